/** The keys of statements about consents, as a server uses them: it reads them again and again, and examines old ones. */
import type {Timings} from '../config/timings.ts';
import {
  changeKeys,
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

export type EvidenceWatch = {
  /** The key that signs new leads. Undefined until the store could be read for the first time. */
  signing: () => EvidenceKey | undefined;
  /** Looks into the store again if the key is not known here: another server may have just made it. */
  find: (id: string) => Promise<EvidenceKey | undefined>;
  stop: () => Promise<void>;
};

type Parts = {store: LeadStore; emit: Emit; timings: Pick<Timings, 'evidenceKeys'>};

/** @param formerWords of `EVIDENCE_KEY`, whose keys the store takes over */
export async function watchEvidence(
  {store, emit, timings}: Parts,
  formerWords: readonly string[],
): Promise<EvidenceWatch> {
  let keys: readonly EvidenceKey[] = [];
  let given: readonly EvidenceKey[] | undefined;
  async function look() {
    given ??= [...formerKeys(formerWords), ...(await store.evidenceKeysAside())];
    ({keys} = await takeOver(store, given));
  }
  // Without a key, leads are taken without the evidence that others can verify. The next look tries again.
  await look().catch((error: unknown) => emit({type: 'evidence-failed', reason: reasonOf(error)}));
  const looking = repeat(async () => {
    await look().catch(() => undefined);
    return timings.evidenceKeys;
  }, timings.evidenceKeys);
  const examining = repeat(async (signal) => {
    await examine({store, emit, signal}).catch((error: unknown) =>
      emit({type: 'evidence-failed', reason: reasonOf(error)}),
    );
    return examineEvery;
  }, 0);
  const known = (id: string) => keys.find((key) => key.id === id);
  return {
    signing: () => signingKey(keys),
    async find(id) {
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
 * Versions 1.7 and 1.8 stored public keys in clear, and their private parts come from words that may be lost. Such a key is
 * published if a stored consent names it, because a lead is sealed, and whoever has no data key cannot make one that names a
 * key of their own. Then it is sealed, too. Other rows in clear stay as they are, are not published, and the log says so.
 */
async function examine({store, emit, signal}: Pick<Parts, 'store' | 'emit'> & {signal: AbortSignal}) {
  const {ignored} = await store.evidenceKeys();
  if (ignored.length === 0) return;
  const candidates = ignored.filter((key) => !key.isSealed && isGenuine(key));
  const counts = candidates.length === 0 ? new Map<string, number>() : await countSigned(store, signal);
  if (signal.aborted) return;
  const found = candidates.flatMap(({id, publicKey}) => {
    const consents = counts.get(id);
    return consents === undefined ? [] : [{id, publicKey, consents}];
  });
  const stored = await changeKeys(store, (keys) =>
    found.filter(({id}) => !keys.some((known) => known.id === id)),
  );
  sayWhatIsLost(stored, emit);
}

function sayWhatIsLost({keys, ignored}: StoredKeys, emit: Emit) {
  for (const {id: key, privateKey, consents = 0} of keys)
    if (privateKey === undefined) emit({type: 'evidence-lost', key, consents});
  if (ignored.length > 0) emit({type: 'evidence-ignored', keys: ignored.map(({id}) => id)});
}

/** How many leads are opened at once. */
const sliceSize = 100;

/** How many consents each key has signed. Opens all leads, which takes long. */
async function countSigned(store: LeadStore, signal: AbortSignal): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let after: string | undefined, isLast = false; !isLast && !signal.aborted;) {
    const begun = performance.now();
    const leads = await store.readLeads({}, {limit: sliceSize, after});
    const kept = await store.keptConsents(leads.filter(isErased).map(({id}) => id));
    for (const lead of leads) {
      const found = 'consent' in lead ? lead : kept.get(lead.id);
      const key = found && 'consent' in found ? found.consent?.evidence?.key : undefined;
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    after = leads.at(-1)?.id;
    isLast = leads.length < sliceSize;
    // New leads come first: a tenth of the time at most goes into this.
    if (!isLast) await pauseFor(9 * (performance.now() - begun), signal);
  }
  return counts;
}
