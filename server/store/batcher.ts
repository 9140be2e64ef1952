/**
 * Group commit: writes that arrive together share one commit, and the next batch leaves when the last one
 * returns. Alone, a write waits for nobody; under load, one fsync serves many.
 */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {RowRefused, StoreUnavailable} from './lead-store.ts';

/** What became of one item of a batch: a bad one fails alone. `aboutRow`: the database refuses this row, not others. */
export type Outcome<Result> = {result: Result} | {error: string; aboutRow?: boolean};

export type Batcher<Item, Result> = {
  /** Resolves after the commit. Rejects with `StoreUnavailable` when it failed or too many are waiting. */
  add(item: Item): Promise<Result>;
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>;
};

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: StoreUnavailable) => void;
};

/** @param sizes items in one commit, and items that may wait before new ones are turned away */
export function createBatcher<Item, Result>(
  commit: (batch: Item[]) => Promise<Outcome<Result>[]>,
  {maxBatch = 500, maxWaiting = 20_000} = {},
): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function commitAll() {
    while (waiting.length > 0) {
      // What else arrives in this turn of the event loop goes along.
      await endOfTurn();
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      const outcomes = await commit(batch.map(({item}) => item)).catch((error: unknown) => error);
      for (const [index, {resolve, reject}] of batch.entries()) {
        const outcome = Array.isArray(outcomes) ? (outcomes as Outcome<Result>[])[index] : undefined;
        if (outcome && 'result' in outcome) resolve(outcome.result);
        else if (outcome?.aboutRow) reject(new RowRefused(outcome.error));
        else reject(new StoreUnavailable(outcome?.error ?? outcomes));
      }
    }
    running = undefined;
  }

  return {
    add(item) {
      if (waiting.length >= maxWaiting) return Promise.reject(new StoreUnavailable('Too many writes wait'));
      return new Promise((resolve, reject) => {
        waiting.push({item, resolve, reject});
        running ??= commitAll();
      });
    },
    drained: () => running ?? Promise.resolve(),
  };
}
