/** Loads the files that a visitor does not need before the first touch. */
import type {AnswerModule} from '../submission/types.ts';
import type {TakeawayModule} from '../takeaway/index.ts';
import {importPinned, type Pin} from './pinned-import.ts';
import {laterFiles} from './pins.ts';

export {scriptOrigin} from './pinned-import.ts';

export const loadAnswerModule = () => loadPinned(laterFiles.answer) as Promise<AnswerModule>;
export const loadTakeawayModule = () => loadPinned(laterFiles.takeaway) as Promise<TakeawayModule>;

const loads = new Map<string, Promise<unknown>>();

/**
 * Loads a file once. If that fails, the next call tries again.
 *
 * @throws when the file does not arrive or has another hash
 */
export function loadPinned(pin: Pin): Promise<unknown> {
  const load = loads.get(pin.path) ?? importPinned(pin);
  loads.set(pin.path, load);
  load.catch(() => loads.delete(pin.path));
  return load;
}
