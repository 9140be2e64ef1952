/**
 * After a restore, the server compares the store with the file of erasures before it opens its port, and repeats missing erasures
 * and stops. If they are many, it refuses to start, and an operator must confirm them.
 */
import {closeSync, existsSync, fstatSync, readSync} from 'node:fs';
import {z} from 'zod';
import type {AuditStore} from '../leads/audit.ts';
import type {ErasureStore} from '../leads/erasure.ts';
import type {PersonReader, PersonStore} from '../leads/persons.ts';
import type {ReadStore, Maintenance} from '../leads/ports.ts';
import type {PrivacyRequestStore} from '../leads/privacy-requests.ts';
import {breadthOf, type SuppressionKind, type RevocationStore} from '../leads/revocation.ts';
import {appendErasures, compactErasures, openFile, type StopLine} from '../store/erasures-file.ts';
import {count, finish, Refusal, type Job, type With} from './admin.ts';
import {noting} from './audit.ts';
import {presentAddresses} from './destinations.ts';
import {eraseEach, keyOfDigests} from './erasing.ts';
import {peopleOf} from './persons.ts';
import {purge, type Patience, type Waiting} from './purging.ts';
import {
  afterRestore,
  isNothing,
  leadsOf,
  numbersOf,
  planRepair,
  prepareRepair,
  repairDoubts,
  whyTooMuch,
  type Repair,
} from './repair-plan.ts';

/**
 * The number of leads erased again, consents revoked again, numbers held again, and lawsuits and privacy requests entered again.
 */
export const repaired = z.object({
  ...{erased: count, revoked: count, numbers: count, lawsuits: count, requests: count},
  out_of_files: z.boolean(),
});
export type Repaired = z.infer<typeof repaired>;

/** Holds digests again, as a line of the file of erasures says. */
const holdAgain = (
  {store}: With<RevocationStore>,
  digests: Partial<Record<SuppressionKind, readonly string[]>>,
  {scope, askedAt: since, does}: StopLine,
) => {
  const asks = does === 'ask';
  const all = {number: [], both: [], mailbox: [], ...digests};
  return store.suppress({...all, scopes: [scope], since, asks, byMailbox: asks}, []);
};

type Restored = ReadStore & RevocationStore & PrivacyRequestStore & ErasureStore & Maintenance;

/** Carries out a prepared plan, and can be run again. @param patience how long to wait until old copies are gone from the files */
export async function* repair(
  admin: With<Restored, 'config' | 'noteAccess'>,
  plan: Repair,
  patience?: Patience,
): Job<{erased: string} | Waiting, Repaired> {
  const {store, config, noteAccess} = admin;
  const {toErase, toRevoke, suppress, history, byLeads, leads, holds, requests} = plan;
  if (!isNothing(plan)) await noteAccess({erasure: 'again'}, [...leads], leads.size);
  const revoked = new Set<string>();
  const present = presentAddresses(config);
  const revoke = async (id: string, {askedAt: now, scope}: StopLine) => {
    if (await store.revoke(id, {now, scope: breadthOf([scope]), present})) revoked.add(id);
  };
  for (const line of toRevoke) await revoke(line.of, line);
  for (const {stop, allow} of suppress) {
    await holdAgain(admin, {[stop.kind]: [stop.of]}, stop);
    for (const id of await leadsOf({store}, {stop, allow})) await revoke(id, stop);
    if (allow) await store.allow([stop.of], [stop.scope], allow.at, afterRestore, []);
  }
  for (const line of byLeads) {
    const {people} = await peopleOf(admin, [line.of]);
    const [{phone = '', address = ''} = {}] = await store.digestsOfPeople([...people.values()]);
    await holdAgain(admin, {number: [phone], mailbox: [address].filter(Boolean)}, line);
  }
  await store.noteStops(history);
  for (const hold of holds) await store.keepForLaw(hold);
  // Entered before the erasures, which end the requests to erase.
  for (const request of requests) await store.putRequest(request);
  const erased = yield* eraseEach(admin, toErase);
  return {
    erased,
    revoked: revoked.size,
    numbers: numbersOf(plan),
    lawsuits: holds.length,
    requests: requests.length,
    out_of_files: yield* purge(admin, patience),
  };
}

/**
 * Repairs the store before the server opens its port.
 * @param say receives what was done, and warnings about what cannot be done
 * @throws Error if the repair is so large that an operator must confirm it
 */
export async function repairAtStart(
  {store, config}: With<Restored & AuditStore & PersonStore, 'config'>,
  say: {done: (done: Repaired) => void; doubt: (text: string) => void},
): Promise<void> {
  // Compact first: with lines that later ones have replaced, the file may not fit into memory.
  if (config.erasuresFile !== undefined && existsSync(config.erasuresFile))
    compactErasures(config.erasuresFile);
  const first = await planRepair({store, config});
  for (const doubt of await repairDoubts({store, config}, first)) say.doubt(doubt);
  if (!first) return;
  refuseMuch(first);
  const plan = await prepareRepair({store, config}, first);
  refuseMuch(plan);
  if (!isNothing(plan)) {
    const noteAccess = noting(store, {actor: 'start', action: 'repair'});
    // The start does not wait for programs that are reading the database files.
    const patience = {pause: 0, saidEach: 0, max: 0};
    say.done(await finish(repair({store, config, noteAccess}, plan, patience)));
  }
  await noteRepaired({store}, plan);
}

function refuseMuch(plan: Repair): void {
  const tooMuch = whyTooMuch(plan);
  if (tooMuch !== undefined) throw new Error(tooMuch);
}

/** Notes that the store knows all lines of the file, and adds the key of the digests to the file if it lacks it. */
export async function noteRepaired(
  {store}: With<PersonReader & RevocationStore>,
  {path, keys, lastAt}: Repair,
): Promise<void> {
  const key = await keyOfDigests({store});
  const isThere = keys.some(
    (one) => one.check === key?.check && one.encrypted?.dataKey === key.encrypted?.dataKey,
  );
  const lines = key && !isThere ? [key] : [];
  // A line with a time in the future must not be noted as it is: later lines would then not be noticed.
  await store.noteErasuresUntil(Math.min(Date.now(), Math.max(lastAt, ...lines.map(({at}) => at))));
  appendErasures(path, lines);
}

/** How many bytes at the end of the file are searched for the newest line. */
const endSize = 64 * 1024;

/** The newest time among the last lines. */
function lastLineAt(path: string): number {
  const file = openFile(path);
  try {
    const {size} = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, endSize));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const times = tail.toString('latin1').match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    return Math.max(0, ...times.map((each) => Date.parse(each)));
  } finally {
    closeSync(file);
  }
}

/** @throws Refusal if the store was restored, and no server has started on it since */
export async function refuseRestored({store, config}: With<ReadStore, 'config'>): Promise<void> {
  const {erasuresFile: path} = config;
  if (path === undefined || !existsSync(path)) return;
  if (lastLineAt(path) <= (await store.erasuresKnown()).until) return;
  const plan = await planRepair({store, config});
  if (plan && plan.acts > 0)
    throw new Refusal(
      'This store was restored, and does not know yet who was erased and who said stop since the backup: start the server, which sees to that, and then try again',
    );
}
