/**
 * What the files of a SQLite database hold of personal data: nothing in clear with a data key, and nothing at all of leads that
 * were erased. Each lead has marks of its own in every personal field, and all bytes of all files are searched for them.
 */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {test, type TestContext} from 'node:test';
import type {LeadEntry} from '../../server/leads/new-lead.ts';
import type {LeadStore} from '../../server/leads/ports.ts';
import {usualTimings} from '../../server/config/timings.ts';
import type {Observation} from '../../server/observe/observations.ts';
import {createEncryptor, type Encryptor} from '../../server/store/encryption.ts';
import {startEncryptingClear} from '../../server/store/encrypt-clear.ts';
import {backUpSqlite} from '../../server/store/sqlite/backup.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {putInClear} from '../support/in-clear.ts';
import {openFor} from '../support/opened.ts';
import {execute, rowsOf} from '../support/rows.ts';
import {
  asLead,
  doneAnswer,
  failedAttempt,
  keyOf,
  newDelivery,
  newEntry,
  prequalificationBody,
  sampleConsent,
} from '../support/sample-leads.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';

const leads = Number(process.env['SEALED_LEADS'] ?? 20_000);
const together = 500;
const encryptor = createEncryptor(['a data key of at least 32 characters']);

/** A mark that stands nowhere else: which lead it is of, and where it stood. */
const mark = (n: number, field: string) => `qz${String(n).padStart(6, '0')}-${field}`;
const marks = /qz(\d{6})-([a-z_]+)/gi;

/** A third of the leads waits for an answer that comes later, after a reply that says what was sent. */
const answeredLater = (n: number) => n % 3 === 0;
const entryOf = (n: number): LeadEntry =>
  newEntry({
    lead: asLead({
      ...prequalificationBody,
      first_name: mark(n, 'first_name'),
      last_name: mark(n, 'last_name'),
      email: `${mark(n, 'email')}@example.com`,
      phone: `202-5${String(n).padStart(6, '0')}`,
      notes: mark(n, 'notes'),
      state: 'WY',
    }),
    partner: 'acme',
    attribution: {
      utm_term: mark(n, 'utm_term'),
      gclid: mark(n, 'gclid'),
      landing_page: mark(n, 'landing_page'),
    },
    context: {agent: mark(n, 'context')},
    contextFilters: n % 5 === 0 ? {branch: `branch-${n % 10}`} : {},
    consent: {
      ...sampleConsent,
      page: `https://www.partner.example/${mark(n, 'page')}`,
      ip: mark(n, 'ip'),
      userAgent: mark(n, 'user_agent'),
    },
    answer: answeredLater(n)
      ? {status: 'pending'}
      : {...doneAnswer, reasons: {unsecured_amount: 'bankruptcy'}, policyVersion: mark(n, 'policy')},
    idempotency: [{owner: 'partner:acme', digest: `digest-${n}`, fingerprint: `fingerprint-${n}`}],
    leadDigests: [`same-${n}`],
    deliveries: answeredLater(n) ? [newDelivery()] : [],
  });

async function fill(store: LeadStore): Promise<LeadEntry[]> {
  const entries = Array.from({length: leads}, (_, n) => entryOf(n));
  for (let from = 0; from < leads; from += together) {
    const some = entries.slice(from, from + together);
    await Promise.all(some.map((entry) => store.accept(entry)));
    const [now, leaseEnd] = [Date.now(), Date.now() + 60_000 + from];
    const {due} = await store.claimDue('default', {now, leaseEnd, limit: together, maxSends: 3});
    await Promise.all(
      due.map(async ({lead}) => {
        const n = entries.findIndex(({id}) => id === lead.id);
        const excerpt = `${mark(n, 'reply')} is unknown`;
        await store.postpone(keyOf(lead.id), leaseEnd, {...failedAttempt, until: now, excerpt});
        const answer = {...doneAnswer, policyVersion: mark(n, 'later')};
        await store.settle(keyOf(lead.id), 0, {state: 'delivered', answer});
      }),
    );
  }
  return entries;
}

const isErased = (n: number) => n % 3 === 1 || n % 30 === 0;
async function eraseSome(store: LeadStore, entries: readonly LeadEntry[]) {
  const erased = entries.filter((_, n) => isErased(n));
  for (let from = 0; from < erased.length; from += together)
    await Promise.all(
      erased.slice(from, from + together).map(({id}) => store.erase(id, Date.now(), () => false)),
    );
  await until(() => store.purge());
}

/** In each file of the folder: how many of these leads have a mark in it. */
function found(folder: string, isWanted: (n: number) => boolean): Record<string, number> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const text = readFileSync(join(folder, name)).toString('latin1');
      const numbers = new Set([...text.matchAll(marks)].map(([, n]) => Number(n)).filter(isWanted));
      return [name, numbers.size];
    }),
  );
}
const nothingIn = (counts: Record<string, number>) =>
  assert.deepEqual(counts, Object.fromEntries(Object.keys(counts).map((name) => [name, 0])));

/** How often the beginning of an encrypted blob, which no other has, stands in the files of a folder. */
function blobsFound(folder: string, beginnings: ReadonlySet<string>, head: Buffer): number {
  let count = 0;
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    for (let at = bytes.indexOf(head); at >= 0; at = bytes.indexOf(head, at + 1))
      if (beginnings.has(bytes.toString('hex', at, at + 17))) count += 1;
  }
  return count;
}

async function openSqlite(t: TestContext, encryptor: Encryptor) {
  const folder = temporaryFolder(t);
  const path = join(folder, 'leads.sqlite');
  return {folder, path, store: await openFor(t, openSqliteStore(path, encryptor))};
}

test('with a data key, no file has a mark of any lead, nor anything encrypted of an erased one', async (t) => {
  const {folder, path, store} = await openSqlite(t, encryptor);
  const entries = await fill(store);
  await backUpSqlite(path, join(folder, 'backup.sqlite'));
  nothingIn(found(folder, () => true));
  rmSync(join(folder, 'backup.sqlite'));

  const erased = new Set(entries.filter((_, n) => isErased(n)).map(({id}) => id));
  const rows = rowsOf(path, 'SELECT lead_id, blob FROM sealed') as {lead_id: string; blob: Uint8Array}[];
  const beginnings = new Set(
    rows
      .filter(({lead_id}) => erased.has(lead_id))
      .map(({blob}) => Buffer.from(blob.subarray(0, 17)).toString('hex')),
  );
  const head = Buffer.from(rows[0]!.blob.subarray(0, 5));
  assert.ok(blobsFound(folder, beginnings, head) >= beginnings.size, 'they were there before');
  await eraseSome(store, entries);
  assert.equal(blobsFound(folder, beginnings, head), 0);
  nothingIn(found(folder, () => true));
  const living = entries.find((_, n) => !isErased(n))!;
  assert.ok(await store.find(living.id));
  t.diagnostic(`${erased.size} of ${leads} leads erased, ${beginnings.size} blobs`);
});

test('leads that were stored in clear and then encrypted by a server leave nothing in a file', async (t) => {
  const {folder, path, store} = await openSqlite(t, encryptor);
  const entries = await fill(store);
  await store.close();
  const tables = {
    select: (sql: string) => Promise.resolve(rowsOf(path, sql)),
    execute: (sql: string) => Promise.resolve(execute(path, sql)),
  };
  await putInClear(tables, {encryptor});
  assert.ok(
    Object.values(found(folder, () => true)).some((count) => count > 0),
    'they were there before',
  );
  const now = await openFor(t, openSqliteStore(path, encryptor));
  const seen: Observation[] = [];
  const {stop} = startEncryptingClear({
    store: now,
    emit: (each) => void seen.push(each),
    timings: usualTimings,
  });
  // The work takes a tenth of the time at most, so that 20,000 leads take minutes on an idle machine, too.
  await until(() => seen.some(({type}) => type === 'clear-sealed'), 'all is encrypted', 480_000);
  await stop();
  nothingIn(found(folder, () => true));
  assert.ok(await now.find(entries[0]!.id));
  t.diagnostic(JSON.stringify(seen.at(-1)));
});
