/** Plays many histories, on all cores. */
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {Worker} from 'node:worker_threads';
import type {Mutant} from './mutants.ts';
import type {Order, Played} from './thread.ts';

/** @yields the histories as they end, in any order */
export async function* simulate(
  orders: Iterable<Order>,
  {mutant, threads = availableParallelism()}: {mutant?: Mutant | undefined; threads?: number} = {},
): AsyncGenerator<Played> {
  const queue = orders[Symbol.iterator]();
  const running = new Map<Worker, Promise<{worker: Worker; played: Played}>>();
  function next(worker: Worker) {
    const {value: order, done} = queue.next() as IteratorResult<Order, undefined>;
    if (done) {
      running.delete(worker);
      return;
    }
    worker.postMessage(order);
    running.set(
      worker,
      once(worker, 'message').then(([played]) => ({worker, played: played as Played})),
    );
  }
  const workers = Array.from(
    {length: threads},
    () => new Worker(new URL('./thread.ts', import.meta.url), {workerData: {mutant}}),
  );
  try {
    for (const worker of workers) next(worker);
    while (running.size > 0) {
      const {worker, played} = await Promise.race(running.values());
      next(worker);
      yield played;
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
