/**
 * Group commit: while one batch is being committed, further writes are collected for the next batch. So a single write
 * is committed at once, and under load many writes share one fsync. Reads over a network are collected in the same way.
 */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {storeError, StoreUnavailable, type RefusedPart, type StoreError} from '../leads/store-errors.ts';

/** The outcome of one item of a batch. `refusal` is given if the database would refuse this item again. */
export type Outcome<Result> = {result: Result} | {error: string; refusal?: RefusedPart | undefined};

export type Batcher<Item, Result> = {
  /**
   * Resolves after the commit. Rejects with `StoreUnavailable` if the commit failed or too many items wait, and with
   * `StoreRefused` if the database would refuse this item again.
   */
  add: (item: Item) => Promise<Result>;
  /** Resolves when no item is waiting or being committed. */
  drained(): Promise<void>;
};

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: StoreError) => void;
};

/**
 * `maxBatch`: the maximum number of items in one commit. `maxWaiting`: the number of waiting items at which further ones are
 * rejected.
 */
const [maxBatch, maxWaiting] = [500, 20_000];

/**
 * @param commit resolves to the outcomes in the order of the batch. An item without an outcome counts as failed
 * @param isAlone whether an item takes so long that it gets a batch of its own, so that no other item waits for it
 */
export function createBatcher<Item, Result>(
  commit: (batch: Item[]) => Promise<readonly (Outcome<Result> | undefined)[]>,
  isAlone: (item: Item) => boolean = () => false,
): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function commitAll() {
    while (waiting.length > 0) {
      // Items that arrive in the same turn of the event loop join the batch.
      await endOfTurn();
      const next = waiting.slice(0, maxBatch);
      const alone = next.findIndex(({item}) => isAlone(item));
      const batch = alone < 0 ? next : next.slice(0, alone || 1);
      waiting = waiting.slice(batch.length);
      const [outcomes, failure] = await commit(batch.map(({item}) => item)).then(
        (outcomes) => [outcomes, 'A write has no outcome'] as const,
        (error: unknown) => [[], error] as const,
      );
      for (const [index, {resolve, reject}] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome && 'result' in outcome) resolve(outcome.result);
        else reject(storeError(outcome?.error ?? failure, outcome?.refusal));
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
