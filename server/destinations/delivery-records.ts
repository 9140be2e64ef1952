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
import type {Answer} from '../leads/stored-lead.ts';

/** The maximum number of ids in memory. Beyond it the oldest is dropped, whose write has ended long ago. */
const maxRemoteIds = 10_000;

export type DeliveryRecords = {
  /** The id that the destination gave to the lead, even if it is not stored yet. */
  remoteIdOf(due: DueDelivery): string | null;
  /** Stores the id that the destination gave to the lead. */
  taken(due: DueDelivery, remoteId: string): Promise<void>;
  /** Resolves to the answer that the lead has then (`OutboxPort.settle`). */
  settled(due: DueDelivery, settlement: Settlement): Promise<Answer | undefined>;
  postponed(due: DueDelivery, postponed: Postponed): Promise<void>;
  /** No failed write is retried any more. */
  close(): void;
};

/** Identifies a delivery in this process. */
export const keyOf = ({lead, destination, content}: DueDelivery) => `${destination} ${content} ${lead.id}`;

export function createDeliveryRecords(store: OutboxPort, timings: Timings): DeliveryRecords {
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
    remoteIdOf: (due) => due.remoteId ?? remoteIds.get(keyOf(due)) ?? null,

    async taken(due, remoteId) {
      const key = keyOf(due);
      remoteIds.set(key, remoteId);
      const [oldest] = remoteIds.keys();
      if (remoteIds.size > maxRemoteIds && oldest !== undefined) remoteIds.delete(oldest);
      await write(() => store.recordRemoteId(identify(due), remoteId));
      // If the lease has ended, this process may have claimed the delivery again and read it without this id.
      if (Date.now() < due.leaseEnd) remoteIds.delete(key);
    },

    settled: (due, settlement) => write(() => store.settle(identify(due), due.leaseEnd, settlement)),

    postponed: (due, postponed) => write(() => store.postpone(identify(due), due.leaseEnd, postponed)),

    close: () => closing.abort(),
  };
}
