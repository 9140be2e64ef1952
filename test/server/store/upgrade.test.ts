/**
 * Databases that version 1.0.0 wrote, in `test/support/databases`: a SQLite file and a dump of PostgreSQL, each with
 * one lead of every kind and in every state that a delivery can be in. The first name of a lead says which it is.
 */
import assert from 'node:assert/strict';
import {copyFileSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {onePartner} from '../../../server/config/partners.ts';
import type {ObservationType} from '../../../server/observe/observations.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {currentVersion, oldestVersion} from '../../../server/store/schema.ts';
import {backUpSqlite} from '../../../server/store/sqlite/backup.ts';
import {json, startFakeUpstream} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {sentLead} from '../../support/embed-client.ts';
import {databaseFor, withoutPostgres} from '../../support/postgres.ts';
import {execute, rowsOf} from '../../support/rows.ts';
import {amounts as amountsNow, finances as financesNow} from '../../support/sample-leads.ts';
import {
  acme,
  baseConfig,
  listedOrigin,
  startTestServer,
  type Prepare,
  type TestServer,
  testEncryptor,
} from '../../support/test-server.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';
import {openFor} from '../../support/opened.ts';
import {openedLeads} from '../../support/encrypted-rows.ts';

const databases = join(import.meta.dirname, '../../support/databases');

/** The database, and what is in it past the service. */
type Written = {
  prepare: {databasePath: string} | {databaseUrl: string};
  select: (sql: string) => Promise<Record<string, unknown>[]>;
};

/** The files are old, so their times are set anew: keys were just used, and what waits is due in an hour. */
const timesAreFresh = [
  `UPDATE idempotency_keys SET created_at = ${Date.now()}`,
  `UPDATE outbox SET next_attempt_at = ${Date.now() + 3_600_000} WHERE state = 'waiting'`,
];

function copySqlite(t: TestContext, from = join(databases, '1.0.0.sqlite')): Promise<Written> {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  const databasePath = join(folder, 'data/leads.sqlite');
  copyFileSync(from, databasePath);
  for (const sql of timesAreFresh) execute(databasePath, sql);
  return Promise.resolve({
    prepare: {databasePath},
    select: (sql) => Promise.resolve(rowsOf(databasePath, sql)),
  });
}

async function loadPostgres(t: TestContext): Promise<Written> {
  const database = await databaseFor(t);
  await database.query(readFileSync(join(databases, '1.0.0.sql'), 'utf8'));
  for (const sql of timesAreFresh) await database.query(sql);
  return {prepare: {databaseUrl: database.url}, select: (sql) => database.query(sql)};
}

const consent = {text: 'I agree to be contacted about my estimate.', version: '2026-11', required: true};
const partner = (key: string, changes: object = {}) =>
  onePartner({key, origins: [listedOrigin], cid: '1001', consent, ...changes});

/** What the leads are about, and what 1.0.0 calculated, whose policy lent against any investments. */
const finances = {...financesNow, cash: 50_000, investments: 20_001};
const amounts = {...amountsNow, sba_qualified_amount: 600_000, portfolio_loan_qualified_amount: 12_000};

/** The configuration under which 1.0.0 wrote the databases. */
const partners = [
  partner('calculated'),
  partner('lender', {answer_from: 'lender'}),
  partner('careful', {answer_from: 'lender', suspect: 'hold'}),
] as const;

/** The request that 1.0.0 was sent for a lead, made again. */
function sendAgain(server: TestServer, firstName: string, key: string): Promise<EmbedAnswer> {
  const lead = {
    lead_type: 'prequalification',
    first_name: firstName,
    last_name: 'Example',
    phone: '202-555-0142',
    email: `${firstName.toLowerCase()}@example.com`,
    ...finances,
  };
  const body = {consent: {version: '2026-11', agreed: true}};
  return sentLead(server, lead, {partner: key, key: `${firstName}-key-of-16-characters`, body});
}

async function isBroughtUp(t: TestContext, {prepare, select}: Written) {
  const upstream = await openFor(t, startFakeUpstream({read: json(200, {first_name: 'Any', ...amounts})}));
  const config: Prepare = {...prepare, partners, destinations: new Map([['lender', upstream.settings]])};
  const server = await openFor(t, startTestServer(config));
  const [upgraded] = server.logLines.filter((line) => line.includes('the database was brought up'));
  assert.partialDeepStrictEqual(JSON.parse(upgraded ?? '{}'), {from: oldestVersion, to: currentVersion});
  const ids = new Map<string, string>();
  // The server encrypts them while it works.
  const clearKeys = async () => (await select('SELECT 1 FROM data_keys WHERE check_value = 0')).length;
  await until(async () => (await clearKeys()) === 0, 'nothing is in clear any more');
  assert.deepEqual(await select("SELECT id FROM leads WHERE clear_lead <> ''"), []);
  for (const {id, lead} of (await openedLeads({select})).toReversed())
    ids.set((lead as {first_name: string}).first_name, id);
  const idOf = (firstName: string) => ids.get(firstName)!;
  assert.deepEqual(
    await select('SELECT COUNT(*) AS leads FROM leads').then(([row]) => Number(row!['leads'])),
    12,
  );

  const read = (id: string) => server.fetch(`/json/leads/${id}`, {headers: basic(acme)});
  for (const name of ['Calculated', 'Caller', 'Delivered', 'Corrected']) {
    const answer = await readJson<Record<string, unknown>>(await read(idOf(name)), 200);
    assert.deepEqual(answer, {first_name: name, ...amounts}, name);
  }
  const settled = await select(`
    SELECT destination, state, remote_id FROM deliveries WHERE lead_id = '${idOf('Delivered')}'`);
  const [{remote_id, ...row} = {}] = settled.map((each) => ({...each}));
  assert.deepEqual(row, {destination: '(before 1.1)', state: 'delivered'});
  assert.match(String(remote_id), /^upstream-/, 'the id that the upstream gave is kept');
  const [campaign] = await select(`
    SELECT utm_source, utm_medium, utm_campaign FROM leads WHERE id = '${idOf('Delivered')}'`);
  assert.deepEqual({...campaign}, {utm_source: 'newsletter', utm_medium: null, utm_campaign: 'autumn'});
  assert.equal((await read(idOf('Standard'))).status, 404);
  assert.equal((await read(idOf('Refused'))).status, 502);
  assert.equal((await read(idOf('Suspect'))).status, 503);

  const replayed = await sendAgain(server, 'Calculated', 'calculated');
  assert.equal(replayed.id, idOf('Calculated'));
  const caller = {cid: '1001', lead_type: 'prequalification', first_name: 'Caller', last_name: 'Example'};
  const again = await server.fetch(
    '/json/leads',
    postJson(
      {...caller, phone: '202-555-0142', email: 'caller@example.com', ...finances},
      {...basic(acme), 'idempotency-key': 'Caller-key-of-16-characters'},
    ),
  );
  assert.deepEqual(await readJson(again, 201), {id: idOf('Caller')});

  const prepared = async () => (await select('SELECT DISTINCT lead_id FROM person_digests')).length;
  await until(async () => (await prepared()) >= 12, 'leads of before can be found by person');

  // The operator sends all that was waiting, held or refused, beside the server.
  const events: ObservationType[] = [];
  const settings = {...baseConfig('unused'), databaseUrl: undefined, ...prepare};
  const store = await openStore(settings, testEncryptor, ({type}) => events.push(type));
  assert.ok(!events.includes('database-upgraded'), 'it was brought up before');
  t.after(() => store.close());
  const due =
    (await store.retryDeliveries(Date.now(), {})) +
    (await store.retryDeliveries(Date.now(), {state: 'held'}));
  assert.equal(due, 5);
  await until(
    async () => (await select('SELECT lead_id FROM deliveries WHERE settled_at IS NULL')).length === 0,
  );
  assert.deepEqual(
    upstream.sent().toSorted(),
    ['Refused', 'Ambiguous', 'Suspect', 'Waiting'].map(idOf).toSorted(),
    'each lead is sent once, the one that the upstream has already is not, and merged ones are not',
  );
  for (const name of ['Refused', 'Ambiguous', 'Suspect', 'Waiting', 'Taken']) {
    await readJson(await read(idOf(name)), 200);
  }
}

suite('a database that version 1.0.0 wrote', () => {
  test('can be backed up on SQLite before it is brought up', async (t) => {
    const {prepare} = await copySqlite(t);
    assert.ok('databasePath' in prepare);
    const file = join(dirname(prepare.databasePath), 'backup.sqlite');
    assert.partialDeepStrictEqual(await backUpSqlite(prepare.databasePath, file), {leads: 12, outbox: 5});
    await isBroughtUp(t, await copySqlite(t, file));
  });

  test('SQLite data of 1.0.0 are brought up: every lead is found, and each delivery ends once', async (t) => {
    await isBroughtUp(t, await copySqlite(t));
  });

  test(
    'PostgreSQL data of 1.0.0 are brought up: every lead is found, and each delivery ends once',
    {skip: withoutPostgres},
    async (t) => {
      await isBroughtUp(t, await loadPostgres(t));
    },
  );
});
