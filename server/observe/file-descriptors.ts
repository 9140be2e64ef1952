/**
 * Whether no file and no connection can be opened, because this process (EMFILE) or the machine (ENFILE) has as many open as
 * it may. What fails then fails because of that: neither a destination nor the store is the cause.
 */
import {closeSync, openSync} from 'node:fs';

/** In words for the log and for operators. */
export const noDescriptors =
  'this process has no file descriptors left: it can open no more files and connections';

export const isShortage = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/**
 * True if not even a folder can be opened now. Some errors do not tell: without descriptors, the system's resolver says
 * that a name does not exist.
 */
export function isOutOfDescriptors(): boolean {
  try {
    closeSync(openSync('/', 'r'));
    return false;
  } catch (error) {
    return isShortage(error);
  }
}
