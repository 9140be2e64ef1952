/**
 * Notices when no file and no connection can be opened, because this process (EMFILE) or the machine (ENFILE) has as many
 * open as it may. What fails then fails because of that: neither a destination nor the store is the cause.
 */
import {closeSync, openSync, readFileSync} from 'node:fs';
import type {Emit} from './observations.ts';

/** Milliseconds. */
const times = {
  /** The time between two trials. */
  interval: 500,
  /** A shortage lasts at least this long after the last failed trial: single descriptors are freed all the time. */
  minShortage: 2_000,
  /** The shortest time between two observations that say so. */
  observationInterval: 60_000,
};

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

export type DescriptorWatch = {
  /** True during a shortage. */
  isShort(): boolean;
  stop(): void;
};

export function watchDescriptors(emit: Emit): DescriptorWatch {
  // During a shortage, the file with the limit could not be opened.
  const limit = readLimit();
  let failedAt: number | undefined;
  let emittedAt = -Infinity;
  let isEmitted = false;

  const timer = setInterval(() => {
    const now = performance.now();
    if (isOutOfDescriptors()) {
      failedAt = now;
      if (now - emittedAt < times.observationInterval) return;
      emittedAt = now;
      isEmitted = true;
      emit({type: 'descriptors-exhausted', limit});
    } else if (failedAt !== undefined && now - failedAt >= times.minShortage) {
      failedAt = undefined;
      if (isEmitted) emit({type: 'descriptors-available'});
      isEmitted = false;
    }
  }, times.interval).unref();

  return {isShort: () => failedAt !== undefined, stop: () => clearInterval(timer)};
}

/** How many descriptors this process may have. Undefined where the system has no such file. */
function readLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
