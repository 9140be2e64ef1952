/** Which data keys are in use, and sealing everything with the first one of DATA_KEY. */
import {z} from 'zod';
import {clearWord} from '../config/values.ts';
import {goneAfter, type ProcessReport} from '../reload/reloads.ts';
import {checkInHex, checkValueOf} from '../store/sealing.ts';
import {count, isoTime, Refusal, time, type Admin, type Job} from './admin.ts';
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
  const counts = isCounted ? await store.countByKey() : undefined;
  const processes = await running(store);
  return [...new Set([...listed, ...uses.map(({key}) => key)])].map((key) => ({
    key,
    in_use_since: isoTime(uses.find((use) => use.key === key)?.since ?? null),
    listed: listed.includes(key),
    seals: key === seals,
    ...(counts && {rows: counts.get(key) ?? 0}),
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
  const key = keyName(dataKeys[0]);
  if (key === clearWord)
    throw new Refusal(
      dataKeys.length === 1
        ? 'There is no DATA_KEY to seal with.'
        : `DATA_KEY begins with "${clearWord}": put the new key first, in all servers, and restart them.`,
    );
  await refuseOthers(store, key);
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
  return {key, resealed, unreadable, forgotten, out_of_files: yield* purge(admin)};
}

async function refuseOthers(store: Admin['store'], key: string) {
  const others = (await running(store)).filter((process) => sealsWith(process) !== key);
  if (others.length === 0) return;
  const list = others.map(
    (process) => `${process.name} (${sealsWith(process)}, seen ${localTime(process.seenAt)})`,
  );
  throw new Refusal(
    `These servers do not seal with ${key}: ${list.join(', ')}. Restart them with the DATA_KEY of this command; one that was killed is forgotten after a minute.`,
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
