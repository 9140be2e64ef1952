/** A server's keys of statements about consents: reads them regularly, and takes over those of versions 1.7 and 1.8. */
import {type Timings, dayLength} from '../config/timings.ts';
import {doubtsOf, formerKeys, signingKey, takeOver, type EvidenceKey} from '../leads/evidence.ts';
import type {LeadStore} from '../leads/ports.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';
import {repeat} from './maintenance.ts';

/** @param formerWords of the former setting `EVIDENCE_KEY`. The store takes over its keys */
export async function watchEvidence(
  {store, emit, timings}: {store: LeadStore; emit: Emit; timings: Pick<Timings, 'evidenceKeys'>},
  formerWords: readonly string[],
) {
  let keys: readonly EvidenceKey[] = [];
  let given: readonly EvidenceKey[] | undefined;
  async function readKeys() {
    given ??= [...formerKeys(formerWords), ...(await store.evidenceKeysAside())];
    ({keys} = await takeOver(store, given));
  }
  const failed = (error: unknown) => emit({type: 'words-not-kept', reason: reasonOf(error)});
  // Without these keys, leads can still be stored, so a failure does not stop the start.
  await readKeys().catch(failed);
  const looking = repeat(async () => {
    await readKeys().catch(() => undefined);
    return timings.evidenceKeys;
  }, timings.evidenceKeys);
  const examining = repeat(async () => {
    const stored = await store.evidenceKeys().catch(failed);
    for (const {text, remedy} of stored ? doubtsOf(stored) : [])
      emit({type: 'evidence-doubtful', warning: `${text}. ${remedy}`});
    return dayLength;
  }, 0);
  const known = (id: string) => keys.find((key) => key.id === id);
  return {
    /** The key that signs new leads. Undefined until the store has been read once. */
    signing: () => signingKey(keys),
    /** Reads the store again if the key is not known here, because another server may have just made it. */
    async find(id: string) {
      if (!known(id)) await readKeys();
      return known(id);
    },
    async stop() {
      await Promise.all([looking.stop(), examining.stop()]);
    },
  };
}
