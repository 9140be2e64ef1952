/** Deletes expired keys, digests, proofs and counts of requests every hour, in small batches. */
import {reasonOf} from '../leads/store-errors.ts';
import type {Upkeep} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';
import {repeat} from './repeat.ts';

/**
 * Milliseconds before the next batch. The short interval follows a batch that deleted rows, because more may be left.
 */
const [interval, shortInterval] = [3_600_000, 100];

export const startDeletingExpired = (store: Upkeep, emit: Emit) =>
  repeat(async () => {
    const deleted = await store.deleteExpired(Date.now()).catch((error: unknown) => {
      emit({type: 'expiry-failed', reason: reasonOf(error)});
      return 0;
    });
    return deleted > 0 ? shortInterval : interval;
  }, interval);
