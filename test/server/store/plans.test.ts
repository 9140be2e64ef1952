/** How both databases find the rows of what servers do again and again: by an index, never through a whole table. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {DatabaseSync, type SQLInputValue} from 'node:sqlite';
import {before, suite, test} from 'node:test';
import pg from 'pg';
import type {Database, Row, Statement, SqlWords} from '../../../server/store/database.ts';
import {postgresWords} from '../../../server/store/postgres/store.ts';
import {leadQueries} from '../../../server/store/queries.ts';
import {sqliteWords} from '../../../server/store/sqlite/connection.ts';
import {fill} from '../../bench/year-of-leads.ts';
import {suiteOwner, type Owner} from '../../support/opened.ts';
import {createDatabaseWithTables, withoutPostgres} from '../../support/postgres.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {testEncryptor} from '../../support/test-server.ts';

/** So many that PostgreSQL, too, chooses an index, for which it has statistics. */
const leads = 20_000;
const shape = {partners: 100, waiting: leads / 2, destinations: 50};
/** Of these, no lead has a delivery that waits. */
const expiringPartners = ['partner-7', 'partner-9'];
const day = 24 * 3_600_000;

type Explained = {
  queries: ReturnType<typeof leadQueries>;
  /** Runs SQL on the same connection. */
  run: (text: string) => Promise<unknown>;
  /** The statements since the last call that read a whole table, with their plans. */
  takeScans: () => string[];
  /** How many statements the longest transaction had. */
  longest: () => number;
};

/** The queries of a store over a connection that asks for the plan of each statement before it runs it. */
function explained(
  words: SqlWords,
  run: (statement: Statement) => Promise<Row[]>,
  planOf: (statement: Statement) => Promise<string[]>,
  isScan: (plan: readonly string[]) => boolean,
): Explained {
  let scans: string[] = [];
  let longest = 0;
  const read = async (statement: Statement) => {
    const plan = await planOf(statement);
    if (isScan(plan)) scans.push([statement.text.replaceAll(/\s+/g, ' '), ...plan].join('\n'));
    return (await run(statement)) as never[];
  };
  const database: Database = {
    ...words,
    read,
    readMany: read,
    readOne: async (statement) => (await read(statement))[0],
    async write(...statements) {
      longest = Math.max(longest, statements.length);
      const results: Row[][] = [];
      for (const statement of statements) results.push(await read(statement));
      return results;
    },
  };
  return {
    queries: leadQueries(database, testEncryptor),
    run: (text) => run({text, values: []}),
    longest: () => longest,
    takeScans() {
      const taken = scans;
      scans = [];
      return taken;
    },
  };
}

async function onSqlite(owner: Owner): Promise<Explained> {
  const folder = temporaryFolder(owner);
  const path = join(folder, 'leads.sqlite');
  await fill('SQLite', path, folder, leads, shape);
  const database = new DatabaseSync(path);
  owner.after(() => database.close());
  const all = ({text, values}: Statement, before = '') =>
    database.prepare(before + text.replaceAll('$', '?')).all(...(values as SQLInputValue[])) as Row[];
  return explained(
    sqliteWords,
    (statement) => Promise.resolve(all(statement)),
    (statement) => Promise.resolve(all(statement, 'EXPLAIN QUERY PLAN ').map(({detail}) => String(detail))),
    (plan) => plan.some((line) => /^SCAN (?!listed|json_each|found|due|page|CONSTANT)/.test(line)),
  );
}

async function onPostgres(owner: Owner): Promise<Explained> {
  const folder = temporaryFolder(owner);
  const database = await createDatabaseWithTables();
  owner.after(() => database.drop());
  await fill('PostgreSQL', database.url, folder, leads, shape);
  // As the server reads them.
  const bigint = 20;
  const types = {
    getTypeParser: (oid: number, format?: 'text') =>
      oid === bigint ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
  } as pg.CustomTypesConfig;
  const client = new pg.Client({connectionString: database.url, types});
  await client.connect();
  owner.after(() => client.end());
  // Small tables, and tables of which a list may name many rows, are read as a whole because that is faster. The question
  // is whether a large one must be. The rows of a test are in memory, where an index costs no more than the table.
  await client.query('SET enable_seqscan = off; SET random_page_cost = 1');
  const run = async ({text, values}: Statement, before = '') =>
    (await client.query<Row>(before + text, [...values])).rows;
  return explained(
    postgresWords,
    (statement) => run(statement),
    async (statement) => (await run(statement, 'EXPLAIN ')).map((row) => String(row['QUERY PLAN'])),
    // An index whose line is not followed by a condition is read as a whole, too.
    (plan) =>
      plan.some(
        (line, index) =>
          /Seq Scan on (leads|deliveries|consents|person_digests)/.test(line) ||
          (/Index (Only )?Scan .*on (leads|deliveries|consents|person_digests)/.test(line) &&
            !/Index Cond/.test(plan[index + 1] ?? '')),
      ),
  );
}

const works: Record<string, (store: Explained['queries'], id: string) => Promise<unknown>> = {
  'claimDue, for each destination': async (store) => {
    for (let index = 0; index < shape.destinations; index += 1) {
      const [now, leaseEnd] = [Date.now(), Date.now() + 60_000];
      const unused = [
        {lead: 'a', leaseEnd: 1},
        {leaseEnd: 1, dueAgain: 1},
      ];
      const limit = {now, leaseEnd, limit: 8, maxSends: 3, unused};
      const {due} = await store.claimDue(`destination-${index}`, limit);
      assert.equal(due.length, 8);
    }
  },
  'hasDue, for each destination': async (store) => {
    const names = Array.from({length: shape.destinations}, (_, index) => `destination-${index}`);
    const found = await Promise.all([...names, 'idle'].map((name) => store.hasDue(name)));
    assert.deepEqual(found, [...names.map(() => true), false]);
  },
  'retention, of leads and of consents': async (store) => {
    const retention = {
      shortest: day,
      keptFor: (partner: string | null) =>
        partner !== null && expiringPartners.includes(partner) ? day : undefined,
      grace: day,
      keepConsent: () => true,
    };
    assert.equal((await store.applyRetention(Date.now(), retention)).leads, 10);
    await store.applyRetention(Date.now(), retention, {of: 'consents', id: ''});
  },
  erase: async (store, id) => {
    assert.equal((await store.erasable([id])).length, 1);
    assert.ok(await store.erase(id, Date.now(), () => true));
  },
  waitingDestinations: async (store) => {
    assert.equal((await store.waitingDestinations()).length, shape.destinations + 1);
  },
  'writeDigests, of leads and of erased leads': async (store) => {
    assert.equal(await store.writeDigests(0), false);
    assert.equal(await store.writeDigests(0), false);
  },
  'finding and erasing by digest': async (store, id) => {
    const lead = (await store.readLead(id))?.lead;
    assert.ok(lead && 'lead' in lead);
    const {digests} = await store.blindIndexes({phone: lead.lead.phone.e164, email: lead.lead.email});
    for (const digest of Object.values(digests)) {
      await store.listLeads({digest, until: Date.now(), partner: lead.partner}, {limit: 10});
      await store.countLeads({digest});
    }
    await store.erase(id, Date.now(), () => true);
    assert.ok(await store.erase(id, Date.now(), () => false));
  },
  'figures of operators': async (store) => {
    const now = Date.now();
    assert.ok((await store.leadDays(now - day, now)).length > 0);
    assert.ok((await store.leadDays(now - day, now)).length > 0);
    assert.ok((await store.countSpans([{since: now - 2 * day, until: now - day}]))[0]!.length > 0);
    assert.ok((await store.deliveryCells(now - day, day)).length > 0);
    await store.sliceEnd(undefined, 1_000);
    await store.countStopped();
  },
  'leads with open deliveries, and outlines': async (store, id) => {
    const [until, limit] = [Date.now(), 5];
    const held = await store.listLeads({open: 'held', until}, {limit});
    assert.deepEqual(held, []);
    assert.equal((await store.listLeads({open: 'any', until}, {limit})).length, limit);
    assert.equal(
      (await store.listLeads({open: 'any', until, status: 'done'}, {limit, after: id})).length,
      limit,
    );
    await store.listOutlines({open: 'any', until, partner: 'partner-7'}, {limit});
    assert.equal((await store.listOutlines({id}, {limit})).length, 1);
    await store.openDeliveriesOf([id]);
    await store.corrections([id]);
    assert.deepEqual(await store.auditEntries({lead: id}, limit), []);
  },
  findRecords: async (store, id) => {
    assert.equal((await store.findRecords([id])).size, 1);
  },
};

for (const [name, open, skip] of [
  ['SQLite', onSqlite, false],
  ['PostgreSQL', onPostgres, withoutPostgres],
] as const) {
  suite(`over ${leads.toLocaleString('en-US')} leads in ${name}:`, {skip}, () => {
    const owner = suiteOwner();
    let store: Explained;
    before(async () => {
      store = await open(owner);
      await store.queries.checkKeys();
      store.takeScans();
      // As if most leads were duplicates and corrections: PostgreSQL reads an index as a whole if it has few rows.
      await store.run(`UPDATE leads SET duplicate_of = id, supersedes = id
        WHERE partner NOT IN ('${expiringPartners.join("', '")}')`);
      if (name === 'PostgreSQL') await store.run('ANALYZE');
    });

    for (const [what, work] of Object.entries(works)) {
      test(`${what} reads no table as a whole`, async () => {
        // The newest lead that has nothing to wait for.
        const [newest] = (await store.run(
          `SELECT MAX(id) AS id FROM leads WHERE erased_at IS NULL`,
        )) as Row[];
        await work(store.queries, String(newest!['id']));
        assert.deepEqual(store.takeScans(), []);
      });
    }

    test('a statement that reads a whole table is found', async () => {
      await store.queries.countOutbox();
      assert.match(store.takeScans().join('\n'), /GROUP BY destination/);
    });

    test('no transaction keeps creates waiting for more than the erasure of a few leads', () => {
      assert.ok(store.longest() <= 1 + 5 * 13, `a transaction has ${store.longest()} statements`);
    });
  });
}
