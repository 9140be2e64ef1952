/**
 * Delivers the leads of the outbox that are due: those for destinations that give no answer, those whose last attempt
 * failed, those that another process left behind, and those that the dispatcher had no room for.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import {reasonOf, StoreError} from '../leads/store-errors.ts';
import type {OutboxPort} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';
import type {Dispatcher} from './dispatcher.ts';
import type {Terms} from './terms.ts';

type Parts = {store: OutboxPort; dispatcher: Dispatcher; emit: Emit; timings: Timings};

type Worker = {stop(): Promise<void>};

type Work = {terms: Terms};

/** Starts a worker for each destination, so that a slow destination does not delay the leads of others. */
export function startWorkers(destinations: ReadonlyMap<string, Work>, parts: Parts) {
  let isStopped = false;
  const running = new Map<Work, Worker>();
  const ended = new Set<Promise<void>>();
  function end(work: Work, worker: Worker) {
    running.delete(work);
    const ending = worker.stop().finally(() => ended.delete(ending));
    ended.add(ending);
  }
  function serve(served: ReadonlyMap<string, Work>) {
    const works = new Set(served.values());
    for (const [work, worker] of running) if (!works.has(work)) end(work, worker);
    for (const [name, work] of isStopped ? [] : served)
      if (!running.has(work)) running.set(work, startWorker(name, work.terms, parts));
  }
  serve(destinations);
  return {
    /** After a reload: stops the workers of destinations that are no longer served, and starts those of new ones. */
    serve,
    /** Claims no more deliveries. Those in progress go on. */
    async stop() {
      isStopped = true;
      for (const [work, worker] of running) end(work, worker);
      await Promise.all(ended);
    },
  };
}

/**
 * Milliseconds. A lease is identified by its end, and a claim by that and the time at which its deliveries are due again.
 * Random parts make both different from those that another process takes at the same time.
 */
const randomParts = {leaseEnd: 1_000, dueAgain: 5_000};
const randomPart = (part: keyof typeof randomParts) => 1 + Math.floor(Math.random() * randomParts[part]);

/** A worker, while it runs. */
type Run = Parts & {
  destination: string;
  terms: Terms;
  stopping: AbortSignal;
  inProgress: number;
  /** When it last ended leases while there was no room, in milliseconds of `performance.now()`. */
  leasesEndedAt: number;
  /** Ends the wait of the worker, because the next delivery may begin when one has ended. */
  wake: () => void;
};

function startWorker(destination: string, terms: Terms, parts: Parts): Worker {
  const stopping = new AbortController();
  const atStart = {inProgress: 0, leasesEndedAt: 0, wake: () => undefined};
  const run: Run = {...parts, destination, terms, stopping: stopping.signal, ...atStart};
  const running = claimUntilStopped(run);
  return {
    async stop() {
      stopping.abort();
      run.wake();
      await running;
    },
  };
}

async function claimUntilStopped(run: Run) {
  const {dispatcher, destination, terms, stopping, emit, timings} = run;
  let begun = 0;
  while (!stopping.aborted) {
    const woken = new AbortController();
    run.wake = () => woken.abort();
    begun = await claimDue(run, begun === 0).catch((error: unknown) => {
      const reason = error instanceof StoreError ? error.reason : reasonOf(error);
      emit({type: 'outbox-unreadable', destination, reason});
      return 0;
    });
    const isBusy = begun > 0 || run.inProgress >= terms.parallelClaimed || dispatcher.room(destination) < 1;
    // Workers that have nothing to do look at the same times, so that they ask together.
    const untilLook = timings.idlePoll - (performance.now() % timings.idlePoll);
    const interval = isBusy ? timings.busyPoll : Math.ceil(untilLook);
    await sleep(interval, undefined, {signal: woken.signal}).catch(() => undefined);
  }
}

/**
 * @param asksFirst whether to claim only if something is due. That takes one query for all workers that ask together
 * @returns how many deliveries were started
 */
async function claimDue(run: Run, asksFirst: boolean): Promise<number> {
  const {store, dispatcher, destination, terms, emit, timings} = run;
  // A receiver that asked for nothing more must hear of stops and erasures all the same.
  const isGone = dispatcher.isGone(destination);
  const free = Math.min(terms.parallelClaimed - run.inProgress, dispatcher.room(destination));
  // A lease that was never used ends also while there is no room. Otherwise its lead would count as perhaps sent.
  const unused = isGone ? [] : dispatcher.unusedLeases(destination);
  if (free < 1) {
    if (unused.length === 0 || performance.now() - run.leasesEndedAt < timings.idlePoll) return 0;
    run.leasesEndedAt = performance.now();
  }
  const now = Date.now();
  const leaseEnd = now + timings.lease + randomPart('leaseEnd');
  const dueAgain = leaseEnd + randomPart('dueAgain');
  if (asksFirst && !isGone && unused.length === 0 && !(await store.hasDue(destination))) return 0;
  // The dispatcher drops it itself, when it finds that it may have been sent.
  const maxSends = terms.dropsUnknown ? Number.MAX_SAFE_INTEGER : terms.maxSends;
  const claimed = await store
    .claimDue(destination, {
      now,
      leaseEnd,
      dueAgain,
      limit: Math.max(0, free),
      maxSends,
      unused,
      onlyForReceivers: isGone,
    })
    .catch((error: unknown) => {
      dispatcher.abandon(destination, {leaseEnd, dueAgain});
      throw error;
    });
  const {due, held, unreadable} = claimed;
  if (!isGone) dispatcher.claimed(destination, due);
  run.inProgress += due.length;
  for (const delivery of due) {
    void dispatcher.deliver(delivery).finally(() => {
      run.inProgress -= 1;
      run.wake();
    });
  }
  for (const lead of held) emit({type: 'delivery-interrupted', lead, destination});
  for (const lead of unreadable) emit({type: 'lead-unreadable', lead, destination});
  return due.length;
}
