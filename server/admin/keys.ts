/** Which data keys are in use, sealing everything with the first one of DATA_KEY, and the way out of a lost one. */
import {z} from 'zod';
import {clearWord} from '../config/data-keys.ts';
import type {StoredPart} from '../leads/data-keys.ts';
import {goneAfter, type ProcessReport} from '../reload/reloads.ts';
import {checkInHex, checkValueOf} from '../store/sealing.ts';
import {confirmOf, count, isoTime, Refusal, time, type Admin, type Job} from './admin.ts';
import {eraseEach, writeDown, type Erasing} from './erasing.ts';
import {purge, type Waiting} from './purging.ts';
import {localTime} from './words.ts';

/**
 * - `key`: its check value, which says nothing of the key itself. `clear` stands for data that is not sealed
 * - `seals`: whether it is the first key of DATA_KEY
 * - `rows`: how much is stored under it, if that was counted
 * - `servers`: the names of the servers that seal with it
 */
export const keyRow = z.object({
  key: z.string(),
  in_use_since: time.nullable(),
  listed: z.boolean(),
  seals: z.boolean(),
  rows: count.optional(),
  servers: z.array(z.string()),
});
type KeyRow = z.infer<typeof keyRow>;

export const keyName = (word: string): string => checkInHex(checkValueOf(word));
/** A server of an older version knows no keys. */
const sealsWith = ({sealsWith: key = clearWord}: ProcessReport) => key;
const running = (store: Admin['store']) => store.processes(Date.now() - goneAfter);

/** @param isCounted reads all leads */
export async function listKeys(
  {store, config: {dataKeys}}: Admin,
  {isCounted}: {isCounted: boolean},
): Promise<KeyRow[]> {
  const listed = dataKeys.map(keyName);
  const [seals = clearWord] = listed;
  const uses = await store.keyUses();
  const counts = new Map<string, number>();
  if (isCounted)
    for await (const parts of store.storedParts())
      for (const {key} of parts) counts.set(key, (counts.get(key) ?? 0) + 1);
  const processes = await running(store);
  return [...new Set([...listed, ...uses.map(({key}) => key)])].map((key) => ({
    key,
    in_use_since: isoTime(uses.find((use) => use.key === key)?.since ?? null),
    listed: listed.includes(key),
    seals: key === seals,
    ...(isCounted && {rows: counts.get(key) ?? 0}),
    servers: processes.filter((process) => sealsWith(process) === key).map(({name}) => name),
  }));
}

/** Passes that seal nothing although something is left, after which the rotation gives up. */
const maxIdlePasses = 5;
/** Rows after which progress is reported. */
const reportedEach = 10_000;

/**
 * - `resealed`: rows that were sealed with `key` now
 * - `unreadable`: ids of leads of which something stays as it is
 * - `forgotten`: keys that are in use no more
 */
export const rotation = z.object({
  key: z.string(),
  resealed: count,
  unreadable: z.array(z.string()),
  forgotten: z.array(z.string()),
  out_of_files: z.boolean(),
});
export type Rotation = z.infer<typeof rotation>;

/** @throws Refusal if DATA_KEY has no key to seal with, or a server seals with another one, so that there would be no end */
export async function* rotateKeys(admin: Admin): Job<{sealed: number} | Waiting, Rotation> {
  const {store, config} = admin;
  const {dataKeys} = config;
  const [key = clearWord, ...others] = dataKeys.map(keyName);
  if (key === clearWord)
    throw new Refusal(
      others.length === 0
        ? 'There is no DATA_KEY to seal with.'
        : `DATA_KEY begins with "${clearWord}": put the new key first, in all servers, and restart them.`,
    );
  await refuseOthers(store, key);
  await refuseBackwards(store, key);
  await store.useKeys();
  const {resealed, unreadable} = yield* sealAll(store);
  // A server with another order of keys may have started meanwhile.
  await refuseOthers(store, key);
  const forgotten: string[] = [];
  if (unreadable.length === 0)
    for (const use of await store.keyUses()) {
      if (use.key === key) continue;
      await store.forgetKey(use.key);
      forgotten.push(use.key);
    }
  const out_of_files = yield* purge(admin);
  const unused = others.filter((other) => other !== clearWord);
  if (out_of_files && resealed + unreadable.length + forgotten.length === 0 && unused.length > 0)
    throw new Refusal(
      `There was nothing to seal: everything is sealed with ${key} already, the first key of DATA_KEY, and nothing with ${unused.join(' or ')}. If ${key} is the new key, the other can leave DATA_KEY. If it is the old one, do not destroy it: put the new one first, in all servers, restart them, and run this again.`,
    );
  return {key, resealed, unreadable, forgotten, out_of_files};
}

async function refuseOthers(store: Admin['store'], key: string) {
  const others = (await running(store)).filter((process) => sealsWith(process) !== key);
  if (others.length === 0) return;
  const list = others.map(
    (process) => `${process.name} (${sealsWith(process)}, seen ${localTime(process.seenAt)})`,
  );
  throw new Refusal(
    `These servers do not seal with ${key}, the first key of DATA_KEY here: ${list.join(', ')}. If ${key} is the new key, restart them with this DATA_KEY; if it is the old one, run this with theirs. One that was killed is forgotten after a minute.`,
  );
}

/** Beside a server that seals with the older one of two keys, that is meant. */
async function refuseBackwards(store: Admin['store'], key: string) {
  const uses = await store.keyUses();
  const since = uses.find((use) => use.key === key)?.since ?? Infinity;
  const newer = uses.find((use) => use.key !== clearWord && use.since > since);
  if (newer && (await running(store)).length === 0)
    throw new Refusal(
      `DATA_KEY begins with ${key}, but ${newer.key} is newer, in use since ${localTime(newer.since)}: put ${newer.key} first. To go back to ${key}, run this beside a server that seals with it.`,
    );
}

/** Repeats the pass until it finds nothing more: others may write while it goes on. */
async function* sealAll(
  store: Admin['store'],
): Job<{sealed: number}, Pick<Rotation, 'resealed' | 'unreadable'>> {
  let resealed = 0;
  for (let idle = 0; idle < maxIdlePasses;) {
    const before = resealed;
    let pass = {examined: 0, resealed: 0, unreadable: [] as readonly string[]};
    for await (const done of store.reseal()) {
      const [sealed, earlier] = [before + done.resealed, before + pass.resealed];
      if (Math.floor(sealed / reportedEach) > Math.floor(earlier / reportedEach)) yield {sealed};
      pass = done;
    }
    resealed += pass.resealed;
    const unreadable = [...new Set(pass.unreadable)];
    if (pass.examined === pass.unreadable.length) return {resealed, unreadable};
    if (pass.resealed === 0) idle += 1;
  }
  throw new Refusal('Rows change all the time while they are sealed. Begin again later.');
}

/**
 * - `leads`: the ids of those that would be erased. Their duplicates go with them, also those that can be read
 * - `consents`: the ids of erased leads whose consent is kept
 * - `evidence_keys`: the keys of statements about consents that are lost, too: those that were sent cannot be verified any more
 * - `person_key`: the key of the person digests is lost, too. By it alone, the `suppressed` numbers are recognised
 */
export const lostKey = z.object({
  ...{key: z.string(), leads: z.array(z.string()), consents: z.array(z.string())},
  ...{evidence_keys: z.array(z.string()), person_key: z.boolean(), suppressed: count, confirm: z.string()},
});
type LostKey = z.infer<typeof lostKey>;

/** @throws Refusal if the key is not lost, or not in use */
export async function planForgetting({store, config}: Admin, key: string): Promise<LostKey> {
  const [server] = (await running(store)).filter((process) => sealsWith(process) === key);
  const owner = config.dataKeys.map(keyName).includes(key) ? 'DATA_KEY' : server?.name;
  if (owner !== undefined) throw new Refusal(`The key ${key} is not lost: ${owner} has it.`);
  const uses = (await store.keyUses()).map((use) => use.key);
  if (key === clearWord || !uses.includes(key))
    throw new Refusal(`No key ${key} is in use: see "lead-prequal keys status".`, 'unknown');
  if (config.dataKeys[0] === clearWord && !uses.includes(clearWord))
    throw new Refusal('First set DATA_KEY to the key that seals from now on (docs/privacy.md).');
  const lost: StoredPart[] = [];
  for await (const parts of store.storedParts()) lost.push(...parts.filter((part) => part.key === key));
  const idsOf = (...kinds: string[]) => [
    ...new Set(lost.filter(({part}) => kinds.includes(part)).map(({lead}) => lead)),
  ];
  const [leads, consents] = [idsOf('lead', 'answer'), idsOf('consent')];
  const evidence_keys = idsOf('evidence key');
  const person_key = idsOf('person key').length > 0;
  const suppressed = person_key ? await store.countSuppressed() : 0;
  const confirm = confirmOf([key, ...leads, ...consents]);
  return {key, leads, consents, evidence_keys, person_key, suppressed, confirm};
}

/**
 * Erases what nobody can read any more, so that a server starts without the key. It may be interrupted and begun again.
 * @throws Refusal as the plan, or if the plan is another one than that of `confirm`
 */
export async function* forgetLostKey(
  admin: Admin,
  {key, confirm}: Pick<LostKey, 'key' | 'confirm'>,
): Job<Erasing, {out_of_files: boolean}> {
  const {store} = admin;
  const {leads, consents, ...plan} = await planForgetting(admin, key);
  if (plan.confirm !== confirm)
    throw new Refusal('Nothing was erased, because something has changed: look at the plan again');
  await admin.look({erasure: 'of a lost key'}, [...leads, ...consents]);
  // The key of the person digests is made anew.
  await store.useKeys();
  // The digests go first: each lead that cannot be read looks for its own among all.
  await store.dropSealed(key);
  const at = Date.now();
  const erasures = [...leads, ...consents].map((id, index) => ({id, at, all: index >= leads.length}));
  await writeDown(admin, erasures);
  yield* eraseEach(admin, erasures);
  const out_of_files = yield* purge(admin);
  if (out_of_files) await store.forgetKey(key);
  return {out_of_files};
}
