/** Plays many histories, on all cores. */
import {once} from 'node:events';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import type {Mutant} from './mutants.ts';
import type {Job, Played} from './thread.ts';

/** In memory, where the system has a folder for that. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** @yields the histories as they end, in any order */
export async function* simulate(
  jobs: Iterable<Job>,
  {mutant, threads = availableParallelism()}: {mutant?: Mutant | undefined; threads?: number} = {},
): AsyncGenerator<Played> {
  const queue = jobs[Symbol.iterator]();
  const running = new Map<Worker, Promise<{worker: Worker; played: Played}>>();
  function next(worker: Worker) {
    const {value: job, done} = queue.next() as IteratorResult<Job, undefined>;
    if (done) {
      running.delete(worker);
      return;
    }
    worker.postMessage(job);
    running.set(
      worker,
      once(worker, 'message').then(([played]) => ({worker, played: played as Played})),
    );
  }
  const folder = mkdtempSync(join(place, 'simulation-'));
  const workers = Array.from({length: threads}, () => {
    const workerData = {mutant, folder: mkdtempSync(join(folder, 'thread-'))};
    return new Worker(new URL('./thread.ts', import.meta.url), {workerData});
  });
  try {
    for (const worker of workers) next(worker);
    while (running.size > 0) {
      const {worker, played} = await Promise.race(running.values());
      next(worker);
      yield played;
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
    rmSync(folder, {recursive: true});
  }
}
