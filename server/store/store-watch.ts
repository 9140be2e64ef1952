/**
 * Knows whether the store works: from every lead that is stored or refused, from a trial write where no lead was
 * stored lately, and from the store's own look for damage.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Logger} from 'pino';
import {limits} from '../../contract/api.ts';
import {reasonOf, RowRefused, type LeadStore} from './lead-store.ts';

export type StoreWatch = {
  /** The store, with what becomes of every lead noted. */
  store: LeadStore;
  /** Why the store does not work, in words for the log and not for the public; undefined where it works. */
  trouble(): string | undefined;
  stop(): void;
};

/** Milliseconds. Together they keep the promise that `trouble` is right within 5 seconds, both ways. */
const times = {
  /** Between two decisions whether a trial write is due. */
  interval: 500,
  /** A trial write is due so long after the last write that succeeded. While there is trouble it is always due. */
  quiet: 1_500,
  /** A trial write that takes longer counts as failed, until it comes back. */
  patience: 2_500,
  /** A failure counts for so long at least: on a full disk a small write may succeed between two larger ones that fail. */
  hold: 2_000,
};

/**
 * Bytes of a trial write. It is small while all is well, because an idle server makes one every two seconds. While
 * there is trouble it is as large as the largest lead: a disk that has room for less is still full.
 */
const trialBytes = {usual: 16, inTrouble: limits.bodyBytes};

/** An id that no lead has. Reading it checks that the store can be read. */
const noLead = '00000000-0000-7000-8000-000000000000';

export function watchStore(store: LeadStore, log: Logger): StoreWatch {
  let succeededAt = performance.now();
  let failure: {at: number; reason: string} | undefined;
  let probing = false;
  let logged: string | undefined;

  function noteSuccess() {
    succeededAt = performance.now();
    if (failure && succeededAt - failure.at >= times.hold) failure = undefined;
  }
  function noteFailure(error: unknown) {
    if (error instanceof RowRefused) return;
    failure = {at: performance.now(), reason: reasonOf(error)};
  }

  async function probe() {
    probing = true;
    const outcome = store
      .probe(Date.now(), failure ? trialBytes.inTrouble : trialBytes.usual)
      .then(() => store.find(noLead))
      .then(noteSuccess, noteFailure);
    const isSlow = await Promise.race([outcome.then(() => false), sleep(times.patience, true, {ref: false})]);
    if (isSlow) noteFailure(new Error(`a write has not come back for ${times.patience / 1_000} s`));
    // A second trial write would only wait behind this one.
    await outcome;
    probing = false;
  }

  const trouble = () => {
    const damage = store.damage();
    return damage === undefined ? failure?.reason : `the database file is damaged: ${damage}`;
  };

  /** One line where trouble begins or becomes another, and one where it ends. */
  function logChange() {
    const reason = trouble();
    if (reason === logged) return;
    if (reason !== undefined) log.error({reason}, 'the store does not work: /readyz says so');
    else log.info('the store works again');
    logged = reason;
  }

  const timer = setInterval(() => {
    const isDue = failure !== undefined || performance.now() - succeededAt >= times.quiet;
    if (isDue && !probing) void probe();
    logChange();
  }, times.interval).unref();

  return {
    store: {
      ...store,
      async accept(entry) {
        try {
          const accepted = await store.accept(entry);
          // Any other outcome wrote nothing.
          if (accepted.outcome === 'created') noteSuccess();
          return accepted;
        } catch (error) {
          noteFailure(error);
          throw error;
        }
      },
      find: (id) =>
        store.find(id).catch((error: unknown) => {
          noteFailure(error);
          throw error;
        }),
    },
    trouble,
    stop: () => clearInterval(timer),
  };
}
