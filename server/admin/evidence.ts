/** The keys that sign statements about consents: lists them, makes a new one, and marks one as leaked. */
import {z} from 'zod';
import {changeKeys, signingKey, signsNext, type EvidenceKey, type EvidenceStore} from '../leads/evidence.ts';
import {isoTime, Refusal, time, type With} from './admin.ts';
import {localTime} from './words.ts';

/**
 * - `state`: `signs`: signs new leads. `kept`: signs only statements of its earlier leads. `lost`: its private part is gone, so
 *   it cannot sign. `ignored`: the data key does not decrypt it. All but `ignored` are published
 * - `signs_since`: when it began to sign new leads. Null if a server before version 2.0 made it
 * - `leaked_since`: from when on its signatures prove nothing
 */
export const evidenceKeyRow = z.object({
  kid: z.string(),
  state: z.enum(['signs', 'kept', 'lost', 'ignored']),
  signs_since: time.nullable(),
  leaked_since: time.nullable(),
});
export type EvidenceKeyRow = z.infer<typeof evidenceKeyRow>;

export async function listEvidenceKeys({store}: With<EvidenceStore>): Promise<EvidenceKeyRow[]> {
  const {keys, ignored} = await store.evidenceKeys();
  const signing = signingKey(keys)?.id;
  const stateOf = ({id, privateKey}: EvidenceKey): EvidenceKeyRow['state'] =>
    id === signing ? 'signs' : privateKey === undefined ? 'lost' : 'kept';
  const none = {signs_since: null, leaked_since: null};
  return [
    ...keys.map((key) => ({
      kid: key.id,
      state: stateOf(key),
      signs_since: isoTime(key.signsSince ?? null),
      leaked_since: isoTime(key.leakedSince ?? null),
    })),
    ...ignored.map(({id: kid}) => ({kid, state: 'ignored' as const, ...none})),
  ];
}

/** Makes a key that signs new leads. Running servers use it within seconds. @returns its id */
export async function renewEvidenceKey({store}: With<EvidenceStore>): Promise<string> {
  const {keys} = await changeKeys(store, (stored) => [signsNext(stored)]);
  return signingKey(keys)?.id ?? '';
}

/** Publishes that the signatures of a key prove nothing from a day on. @returns the id of the key that signs from now on */
export async function markLeaked({store}: With<EvidenceStore>, kid: string, since: number): Promise<string> {
  if (since > Date.now()) throw new Refusal(`${localTime(since)} is not over yet.`);
  const {keys} = await changeKeys(store, (stored) => {
    const key = stored.find(({id}) => id === kid);
    if (!key) throw new Refusal(`No key ${kid} is published: see "lead-prequal evidence list".`, 'unknown');
    const leaked = {...key, leakedSince: since};
    const all = stored.map((each) => (each === key ? leaked : each));
    return signingKey(all) === undefined || signingKey(stored) === key ? [leaked, signsNext(all)] : [leaked];
  });
  return signingKey(keys)?.id ?? '';
}
