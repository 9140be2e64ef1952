/**
 * Monitors whether the store works: it notes when a lead is stored, and when storing or reading a lead fails. If no lead was
 * stored for a while, it makes a trial write.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {limits} from '../../contract/api.ts';
import {isAboutRow, reasonOf} from '../leads/store-errors.ts';
import type {LeadStore} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';

export type StoreWatch = ReturnType<typeof watchStore>;

/** In milliseconds. They are chosen so that `outage` notices a failure, and its end, within 5 seconds. */
const times = {
  /** The time between two checks whether a trial write is due. */
  interval: 500,
  /** A trial write is due when no write has succeeded for this time. During an outage it is always due. */
  quiet: 1_500,
  /** A trial write is due at least this often, because with some faults, such as a deleted file, leads still seem to be stored. */
  rest: 10_000,
  /** A trial write that takes longer counts as failed until it succeeds. */
  patience: 2_500,
  /**
   * An outage lasts at least this long after the last failure. On a full disk, a small write may succeed between larger
   * writes that fail.
   */
  minOutage: 2_000,
};

/**
 * Bytes of a trial write. It is usually small, because an idle server makes one every two seconds. During an outage
 * it is as large as the largest lead, so that a disk without room for that lead still counts as full.
 */
const trialBytes = {usual: 16, duringOutage: limits.bodyBytes};

/** An id that no lead has. Reading it checks that the store can be read. */
const noLead = '00000000-0000-7000-8000-000000000000';

/** @param noteSuccess is called with the time at which a write began that stored a lead */
const watched = (
  store: LeadStore,
  noteSuccess: (begun: number) => void,
  noteFailure: (error: unknown) => void,
): LeadStore => ({
  ...store,
  async accept(entry) {
    const begun = performance.now();
    try {
      const accepted = await store.accept(entry);
      // All other outcomes wrote nothing, so they do not show that the store works.
      if (accepted.outcome === 'created') noteSuccess(begun);
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
});

export function watchStore(store: LeadStore, emit: Emit) {
  let succeededAt = performance.now();
  let probedAt = succeededAt;
  let failure: {at: number; reason: string} | undefined;
  let probing = false;
  let emitted: string | undefined;

  /** @param begun when the write began, in milliseconds of `performance.now()` */
  function noteSuccess(begun: number) {
    succeededAt = performance.now();
    emit({type: 'store-written', ms: succeededAt - begun});
    if (failure && succeededAt - failure.at >= times.minOutage) failure = undefined;
  }
  function noteFailure(error: unknown) {
    if (isAboutRow(error)) return;
    failure = {at: performance.now(), reason: reasonOf(error)};
  }

  async function probe() {
    probing = true;
    const begun = performance.now();
    probedAt = begun;
    const outcome = store
      .probe(Date.now(), failure ? trialBytes.duringOutage : trialBytes.usual)
      .then(() => store.find(noLead))
      .then(() => noteSuccess(begun), noteFailure);
    const isSlow = await Promise.race([outcome.then(() => false), sleep(times.patience, true, {ref: false})]);
    if (isSlow) noteFailure(new Error(`a write has not come back for ${times.patience / 1_000} s`));
    // Until this trial write ends, no other is started, because it would only wait behind this one.
    await outcome;
    probing = false;
  }

  /** Why the store does not work, in words for the log and not for the public. Undefined while the store works. */
  const outage = () => failure?.reason;

  /** Emits an observation when an outage begins, when its reason changes, and when it ends. */
  function emitChange() {
    const reason = outage();
    if (reason === emitted) return;
    emit(reason === undefined ? {type: 'store-recovered'} : {type: 'store-failed', reason});
    emitted = reason;
  }

  const timer = setInterval(() => {
    const now = performance.now();
    const isDue = failure !== undefined || now - succeededAt >= times.quiet || now - probedAt >= times.rest;
    if (isDue && !probing) void probe();
    emitChange();
  }, times.interval).unref();

  return {
    /** The store. Its calls that store or read a lead are watched. */
    store: watched(store, noteSuccess, noteFailure),
    outage,
    stop: () => clearInterval(timer),
  };
}
