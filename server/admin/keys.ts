/** Lists the data keys in use, encrypts everything with the first key of DATA_KEY, and recovers from a lost key. */
import {z} from 'zod';
import {clearWord} from '../config/data-keys.ts';
import {dayLength} from '../config/timings.ts';
import type {KeyUse, StoredPart, KeyStore} from '../leads/data-keys.ts';
import type {Maintenance} from '../leads/ports.ts';
import {goneAfter, type ReloadStore} from '../reload/reloads.ts';
import {encryptAll, type EncryptedAll} from '../store/encrypt-clear.ts';
import {checkInHex, checkValueOf} from '../store/encryption.ts';
import {count, isoTime, Refusal, time, type Job, type With} from './admin.ts';
import {eraseEach, writeDown, type Eraser, type Erasing} from './erasing.ts';
import {purge, type Waiting} from './purging.ts';
import {localTime} from './words.ts';

/**
 * - `key`: its check value, which does not reveal the key. `clear` stands for unencrypted data that a server has still to encrypt
 * - `seals`: whether it is the first key of DATA_KEY, which encrypts
 * - `saved_at`: when an operator noted that it is copied to a safe place
 * - `may_leave_at`: after a rotation, from when on it may be removed from DATA_KEY
 * - `rows`: the number of stored parts that it encrypts, if they were counted
 * - `servers`: the names of the servers that encrypt with it
 */
export const keyRow = z.object({
  key: z.string(),
  in_use_since: time.nullable(),
  listed: z.boolean(),
  seals: z.boolean(),
  saved_at: time.nullable(),
  may_leave_at: time.nullable(),
  rows: count.optional(),
  servers: z.array(z.string()),
});
export type KeyRow = z.infer<typeof keyRow>;

export const keyName = (word: string): string => checkInHex(checkValueOf(word));
/** How long links and idempotency keys made with an earlier data key stay valid, in milliseconds. */
const stillNeeded = 7 * dayLength;
const mayLeaveAt = (use: Pick<KeyUse, 'aloneSince'> | undefined) =>
  isoTime(use?.aloneSince ? use.aloneSince + stillNeeded : null);
type Keys = With<ReloadStore & KeyStore & Maintenance, 'config'>;
const running = (store: ReloadStore) => store.processes(Date.now() - goneAfter);

/** @param isCounted whether to count what each key encrypts, which reads all leads */
export async function listKeys({store, config}: Keys, {isCounted}: {isCounted: boolean}): Promise<KeyRow[]> {
  const listed = config.dataKeys.map(keyName);
  const [first] = listed;
  const uses = await store.keyUses();
  const useOf = (key: string | undefined) => uses.find((use) => use.key === key);
  const counts = new Map<string, number>();
  if (isCounted)
    for await (const parts of store.storedParts())
      for (const {key} of parts) counts.set(key, (counts.get(key) ?? 0) + 1);
  const processes = await running(store);
  return [...new Set([...listed, ...uses.map(({key}) => key)])].map((key) => ({
    key,
    in_use_since: isoTime(useOf(key)?.since ?? null),
    listed: listed.includes(key),
    seals: key === first,
    saved_at: isoTime(useOf(key)?.savedAt ?? null),
    may_leave_at: listed.includes(key) && !useOf(key) ? mayLeaveAt(useOf(first)) : null,
    ...(isCounted && {rows: counts.get(key) ?? 0}),
    servers: processes.filter(({sealsWith}) => sealsWith === key).map(({name}) => name),
  }));
}

/** The number of rows between two reports of progress. */
const reportedEach = 10_000;

/**
 * - `resealed`: the number of rows that were encrypted with `key` now
 * - `unreadable`: ids of leads of which a part could not be decrypted, and so was not changed
 * - `forgotten`: keys that are no longer in use
 * - `may_leave_at`: from when on the other keys may be removed from DATA_KEY. Null if there are none, or if one still encrypts something
 */
export const rotation = z.object({
  key: z.string(),
  resealed: count,
  unreadable: z.array(z.string()),
  forgotten: z.array(z.string()),
  may_leave_at: time.nullable(),
  out_of_files: z.boolean(),
});
export type Rotation = z.infer<typeof rotation>;

/** @throws Refusal if a running server encrypts with another key, because the rotation would then never finish */
export async function* rotateKeys(admin: Keys): Job<{encrypted: number} | Waiting, Rotation> {
  const {store, config} = admin;
  const {dataKeys} = config;
  const key = keyName(dataKeys[0]);
  const others = dataKeys.slice(1).map(keyName);
  await refuseOthers(store, key);
  await refuseBackwards(store, key);
  await store.useKeys();
  const {reencrypted, unreadable} = yield* encryptAndReport(store);
  // A server with another order of keys may have started meanwhile.
  await refuseOthers(store, key);
  const uses = unreadable.length === 0 ? await store.keyUses() : [];
  // The mark for unencrypted data is left to the server, which also removes that data from the database files.
  const forgotten = uses.map((use) => use.key).filter((each) => each !== key && each !== clearWord);
  // The time is noted first: if this is killed before all keys are forgotten, the next run notes a later time, which is safe.
  if (forgotten.length > 0) await store.noteKey('alone', Date.now());
  for (const each of forgotten) await store.forgetKey(each);
  const may_leave_at =
    unreadable.length === 0 && others.length > 0
      ? mayLeaveAt((await store.keyUses()).find((use) => use.key === key))
      : null;
  const out_of_files = yield* purge(admin);
  if (out_of_files && reencrypted + unreadable.length + forgotten.length === 0 && others.length > 0)
    throw new Refusal(
      `There was nothing to encrypt: everything is encrypted with ${key} already, the first key of DATA_KEY, and nothing with ${others.join(' or ')}. If ${key} is the new key, the other can leave DATA_KEY${fromDay(may_leave_at)}. If it is the old one, do not destroy it: put the new one first, in all servers, restart them, and run this again.`,
    );
  return {key, resealed: reencrypted, unreadable, forgotten, may_leave_at, out_of_files};
}

/** @param at as `may_leave_at` */
export const fromDay = (at: string | null): string =>
  at === null
    ? ''
    : ` from ${localTime(Date.parse(at))} on, because until then links and idempotency keys need it`;

async function refuseOthers(store: ReloadStore, key: string) {
  const others = (await running(store)).filter(({sealsWith}) => sealsWith !== key);
  if (others.length === 0) return;
  const list = others.map(({name, sealsWith, seenAt}) => `${name} (${sealsWith}, seen ${localTime(seenAt)})`);
  throw new Refusal(
    `These servers do not encrypt with ${key}, the first key of DATA_KEY here: ${list.join(', ')}. If ${key} is the new key, restart them with this DATA_KEY; if it is the old one, run this with theirs. One that was killed is forgotten after a minute.`,
  );
}

/** Refuses a first key that is older than another one: mostly a wrong order. If a server encrypts with it, that is intended. */
async function refuseBackwards(store: ReloadStore & KeyStore, key: string) {
  const uses = await store.keyUses();
  const since = uses.find((use) => use.key === key)?.since ?? Infinity;
  const newer = uses.find((use) => use.key !== clearWord && use.since > since);
  if (newer && (await running(store)).length === 0)
    throw new Refusal(
      `DATA_KEY begins with ${key}, but ${newer.key} is newer, in use since ${localTime(newer.since)}: put ${newer.key} first. To go back to ${key}, run this beside a server that encrypts with it.`,
    );
}

async function* encryptAndReport(store: KeyStore): Job<{encrypted: number}, EncryptedAll> {
  const encrypting = encryptAll(store);
  for (let before = 0; ;) {
    const {done, value: encrypted} = await encrypting.next();
    if (!done) {
      if (Math.floor(encrypted / reportedEach) > Math.floor(before / reportedEach)) yield {encrypted};
      before = encrypted;
    } else if (encrypted.isDone) return encrypted;
    else throw new Refusal('Rows change all the time while they are encrypted. Begin again later.');
  }
}

/**
 * - `leads`: the ids of leads that would be erased. Their duplicates are erased, too, even those that can be read
 * - `consents`: the ids of erased leads whose consent is kept
 * - `evidence_keys`: keys of signed statements that are lost, too: statements that were handed out can no longer be verified
 * - `person_key`: whether the key of the blind indexes is lost, too, by which alone the `suppressed` numbers are recognised
 */
type LostKey = {
  key: string;
  leads: string[];
  consents: string[];
  evidence_keys: string[];
  person_key: boolean;
  suppressed: number;
};

/** @throws Refusal if the key is not lost, or not in use */
export async function planForgetting({store, config}: Keys, key: string): Promise<LostKey> {
  const server = (await running(store)).find(({sealsWith}) => sealsWith === key);
  const owner = config.dataKeys.map(keyName).includes(key) ? 'DATA_KEY' : server?.name;
  if (owner !== undefined) throw new Refusal(`The key ${key} is not lost: ${owner} has it.`);
  const uses = (await store.keyUses()).map((use) => use.key);
  if (key === clearWord || !uses.includes(key))
    throw new Refusal(`No key ${key} is in use: see "lead-prequal keys status".`, 'unknown');
  const lost: StoredPart[] = [];
  for await (const parts of store.storedParts()) lost.push(...parts.filter((part) => part.key === key));
  const idsOf = (...kinds: string[]) => [
    ...new Set(lost.filter(({part}) => kinds.includes(part)).map(({lead}) => lead)),
  ];
  const [leads, consents] = [idsOf('lead', 'answer'), idsOf('consent')];
  const evidence_keys = idsOf('evidence key');
  const person_key = idsOf('person key').length > 0;
  const suppressed = person_key ? await store.countSuppressed() : 0;
  return {key, leads, consents, evidence_keys, person_key, suppressed};
}

/** Erases everything that only the lost key decrypts, so that servers start without it. It can be interrupted and run again. */
export async function* forgetLostKey(
  admin: Eraser,
  {key, leads, consents}: Pick<LostKey, 'key' | 'leads' | 'consents'>,
): Job<Erasing, {out_of_files: boolean}> {
  const {store} = admin;
  await admin.noteAccess({key}, [...leads, ...consents]);
  // Makes a new key for the blind indexes.
  await store.useKeys();
  // The digests are deleted first: otherwise, erasing an unreadable lead would search all digests for its own.
  await store.dropEncrypted(key);
  const at = Date.now();
  const erasures = [...leads, ...consents].map((id, index) => ({id, at, all: index >= leads.length}));
  await writeDown(admin, erasures);
  yield* eraseEach(admin, erasures);
  const out_of_files = yield* purge(admin);
  if (out_of_files) await store.forgetKey(key);
  return {out_of_files};
}

/** `file`: the file with the key, if the server made the key itself */
export const savedKey = z.object({key: z.string(), file: z.string().nullable(), saved_at: time});

/**
 * Notes that the first data key is copied to a safe place. Until then, `status` warns if the server made the key itself.
 * @throws Refusal if no server has started with it
 */
export async function noteSaved(admin: With<KeyStore, 'config' | 'noteAccess'>) {
  const {store, config, noteAccess} = admin;
  const {dataKeys, dataKeyFile} = config;
  const [key, now] = [keyName(dataKeys[0]), Date.now()];
  if (!(await store.keyUses()).some((use) => use.key === key))
    throw new Refusal(
      `Nothing is encrypted with ${key}, the first key of DATA_KEY, yet: start the server first.`,
    );
  await noteAccess({key});
  await store.noteKey('saved', now);
  return {key, file: dataKeyFile ?? null, saved_at: new Date(now).toISOString()};
}
