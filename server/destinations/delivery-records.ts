/**
 * Stores the outcome of deliveries. During an outage of the store, each write is retried for up to an hour, so that no
 * reply of a destination is lost. After that, the write rejects with the last error. A write that the database
 * refuses because of its row is not retried.
 */
import {ExponentialBackoff, handleWhen, retry} from 'cockatiel';
import type {Timings} from '../config/timings.ts';
import type {DueDelivery, Postponed, Settlement} from '../leads/deliveries.ts';
import {isAboutRow, StoreError} from '../leads/store-errors.ts';
import type {OutboxPort} from '../leads/ports.ts';

/** The maximum number of ids in memory. Beyond it the oldest is dropped, whose write has ended long ago. */
const maxRemoteIds = 10_000;

export type DeliveryRecords = ReturnType<typeof createDeliveryRecords>;

/** Identifies a delivery in this process. */
export const keyOf = ({lead, destination, content}: DueDelivery) => `${destination} ${content} ${lead.id}`;

export function createDeliveryRecords(store: OutboxPort, timings: Timings) {
  const remoteIds = new Map<string, string>();
  const closing = new AbortController();
  const retrying = retry(
    handleWhen((error) => error instanceof StoreError && !isAboutRow(error)),
    {
      maxAttempts: 2_000,
      backoff: new ExponentialBackoff({
        initialDelay: timings.firstWriteRetry,
        maxDelay: timings.longestWriteRetry,
      }),
    },
  );
  /**
   * Each attempt calls `work` again, so that it reads the current `due.leaseEnd`: the dispatcher changes it if this
   * process claims the delivery again meanwhile.
   */
  const write = <Result>(work: () => Promise<Result>) => retrying.execute(work, closing.signal);
  const identify = ({lead, destination, content}: DueDelivery) => ({lead: lead.id, destination, content});

  return {
    /** The id that the destination gave to the lead, even if it is not stored yet. */
    remoteIdOf: (due: DueDelivery) => due.remoteId ?? remoteIds.get(keyOf(due)) ?? null,

    /** Stores the id that the destination gave to the lead. */
    async taken(due: DueDelivery, remoteId: string) {
      const key = keyOf(due);
      remoteIds.set(key, remoteId);
      const [oldest] = remoteIds.keys();
      if (remoteIds.size > maxRemoteIds && oldest !== undefined) remoteIds.delete(oldest);
      await write(() => store.recordRemoteId(identify(due), remoteId));
      // If the lease has ended, this process may have claimed the delivery again and read it without this id.
      if (Date.now() < due.leaseEnd) remoteIds.delete(key);
    },

    /** Resolves to the answer that the lead has then (`OutboxPort.settle`). */
    settled: (due: DueDelivery, settlement: Settlement) =>
      write(() => store.settle(identify(due), due.leaseEnd, settlement)),

    postponed: (due: DueDelivery, postponed: Postponed) =>
      write(() => store.postpone(identify(due), due.leaseEnd, postponed)),

    /** No failed write is retried any more. */
    close: () => closing.abort(),
  };
}
