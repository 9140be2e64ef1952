/** The keys of statements about consents, as a server has them: read again and again, with those of versions 1.7 and 1.8. */
import {clearWord} from '../config/data-keys.ts';
import type {Timings} from '../config/timings.ts';
import {
  changeKeys,
  doubtsOf,
  formerKeys,
  isGenuine,
  signingKey,
  takeOver,
  type EvidenceKey,
  type StoredKeys,
} from '../leads/evidence.ts';
import type {LeadStore} from '../leads/ports.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';
import {isErased} from './rows.ts';
import {pauseFor, repeat} from './upkeep.ts';

/** @param formerWords of `EVIDENCE_KEY`, whose keys the store takes over */
export async function watchEvidence(
  {store, emit, timings}: {store: LeadStore; emit: Emit; timings: Pick<Timings, 'evidenceKeys'>},
  formerWords: readonly string[],
) {
  let keys: readonly EvidenceKey[] = [];
  let given: readonly EvidenceKey[] | undefined;
  async function look() {
    given ??= [...formerKeys(formerWords), ...(await store.evidenceKeysAside())];
    ({keys} = await takeOver(store, given));
  }
  const failed = (error: unknown) => emit({type: 'words-not-kept', reason: reasonOf(error)});
  // What consents need later is no reason to take no leads now.
  await look().catch(failed);
  const looking = repeat(async () => {
    await look().catch(() => undefined);
    return timings.evidenceKeys;
  }, timings.evidenceKeys);
  const examining = repeat(async (signal) => {
    const stored = await examine(store, signal).catch(
      (error: unknown) => void (signal.aborted || failed(error)),
    );
    for (const {text, remedy} of stored ? doubtsOf(stored) : [])
      emit({type: 'evidence-doubtful', warning: `${text}. ${remedy}`});
    return examineEvery;
  }, 0);
  const known = (id: string) => keys.find((key) => key.id === id);
  return {
    /** The key that signs new leads. Undefined until the store could be read for the first time. */
    signing: () => signingKey(keys),
    /** Looks into the store again if the key is not known here: another server may have just made it. */
    async find(id: string) {
      if (!known(id)) await look();
      return known(id);
    },
    async stop() {
      await Promise.all([looking.stop(), examining.stop()]);
    },
  };
}

/** Milliseconds. */
const examineEvery = 24 * 3_600_000;

/**
 * Versions 1.7 and 1.8 stored public keys in clear, and the words of their private parts may be lost. Such a key is taken over
 * if a stored consent names it: leads are sealed, so whoever has no data key cannot make one that names a key of their own.
 * Who deletes the rows that are sealed gains nothing, either. What no consent names any more stays unpublished.
 */
async function examine(store: LeadStore, signal: AbortSignal): Promise<StoredKeys> {
  const stored = await store.evidenceKeys();
  const inClear = stored.ignored.filter((key) => !key.isSealed && isGenuine(key));
  // Whoever has no data key can write a lead in clear, as long as these are read.
  const hasClear = (await store.keyUses()).some(({key}) => key === clearWord);
  if (inClear.length === 0 || hasClear) return stored;
  const counts = await countSigned(store, signal);
  const named = inClear.flatMap(({id, publicKey}) => {
    const consents = counts.get(id);
    return consents === undefined ? [] : [{id, publicKey, consents}];
  });
  return changeKeys(store, (keys) => named.filter(({id}) => !keys.some((known) => known.id === id)));
}

/** How many leads are opened at once. */
const sliceSize = 100;

/** How many consents each key has signed. Opens all leads. @throws when it is to stop */
async function countSigned(store: LeadStore, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let after: string | undefined; ;) {
    const begun = performance.now();
    const leads = await store.readLeads({}, {limit: sliceSize, after});
    const kept = await store.keptConsents(leads.filter(isErased).map(({id}) => id));
    for (const lead of leads) {
      const found = 'consent' in lead ? lead : kept.get(lead.id);
      const key = found && 'consent' in found ? found.consent?.evidence?.key : undefined;
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    if (leads.length < sliceSize) return counts;
    after = leads.at(-1)?.id;
    // New leads come first: a tenth of the time at most goes into this.
    await pauseFor(9 * (performance.now() - begun), signal);
    signal.throwIfAborted();
  }
}
