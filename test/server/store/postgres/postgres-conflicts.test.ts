/** Transactions that PostgreSQL gives up because of another one: 40001 serialization failures, 40P01 deadlocks. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import pg from 'pg';
import {openPostgresStore} from '../../../../server/store/postgres/store.ts';
import {StoreUnavailable} from '../../../../server/leads/store-errors.ts';
import type {LeadStore} from '../../../../server/leads/ports.ts';
import {
  databaseFor,
  openPostgresStores,
  withoutPostgres,
  type TestDatabase,
} from '../../../support/postgres.ts';
import {openFor} from '../../../support/opened.ts';
import {until} from '../../../support/until.ts';
import {doneAnswer, keyOf, newDelivery, newEntry} from '../../../support/sample-leads.ts';
import {testEncryptor} from '../../../support/test-server.ts';

const newKey = () => ({owner: 'caller:acme', digest: randomUUID(), fingerprint: 'of this lead'});

/** Makes the next so many statements that change leads fail; resolves with a count of how many were tried. */
async function failNext(
  database: TestDatabase,
  state: string,
  times: number,
): Promise<() => Promise<number>> {
  // A sequence is not rolled back, so it counts the tries that failed, too.
  await database.query(`CREATE SEQUENCE tries;
    CREATE FUNCTION fail_at_first() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('tries') <= ${times} THEN RAISE 'in the way of another' USING ERRCODE = '${state}'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER failing BEFORE INSERT OR UPDATE ON leads EXECUTE FUNCTION fail_at_first();
    CREATE TRIGGER failing BEFORE UPDATE ON deliveries EXECUTE FUNCTION fail_at_first()`);
  return async () => Number((await database.query('SELECT last_value FROM tries'))[0]!['last_value']);
}

/** Every way in which the store writes to the leads. */
const writes: Record<string, (store: LeadStore, id: string) => Promise<unknown>> = {
  'leads without keys': (store) => Promise.all(Array.from({length: 100}, () => store.accept(newEntry()))),
  'leads under keys': (store) =>
    Promise.all(Array.from({length: 100}, () => store.accept(newEntry({idempotency: [newKey()]})))),
  "a destination's id": (store, lead) => store.recordRemoteId(keyOf(lead), 'u-1'),
  'an answer': (store, lead) => store.settle(keyOf(lead), 0, {state: 'delivered', answer: doneAnswer}),
};

suite('PostgreSQL where two processes change the same lead', {skip: withoutPostgres}, () => {
  test('the event of an answer that is stored while its lead is erased is not sent', async (t) => {
    const {database, stores} = await openPostgresStores(t, 1);
    const [store] = stores as [LeadStore];
    const entry = newEntry({answer: {status: 'pending'}, deliveries: [newDelivery()]});
    await store.accept(entry);
    const other = new pg.Client(database.url);
    // The database is dropped before the client ends.
    other.on('error', () => undefined);
    await other.connect();
    t.after(() => other.end());
    const ofLead = `WHERE lead_id = '${entry.id}'`;
    // As `settle` does: the delivery ends, and the event of the answer is stored.
    await other.query(`BEGIN; UPDATE deliveries SET state = 'delivered', settled_at = 1 ${ofLead}`);
    const erasing = store.erase(entry.id, Date.now(), () => false);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await database.query(waiting)).length > 0);
    await other.query(`INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous,
        ambiguous_counted, next_attempt_at, leased_until, happened_at)
      SELECT lead_id, 'crm', 'answered', 0, 'waiting', 0, 0, 0, 0, 0, 1 FROM deliveries ${ofLead}; COMMIT`);
    assert.equal(await erasing, true);
    const rows = await database.query(`SELECT content, state FROM deliveries ${ofLead} ORDER BY content`);
    assert.deepEqual(rows, [
      {content: 'answered', state: 'dropped'},
      {content: 'lead', state: 'delivered'},
    ]);
  });
});

suite('PostgreSQL that gives up a transaction in favour of another', {skip: withoutPostgres}, () => {
  for (const state of ['40001', '40P01']) {
    for (const [what, write] of Object.entries(writes)) {
      test(`a transaction that PostgreSQL gave up is tried again after ${state}: ${what}`, async (t) => {
        const {database, stores} = await openPostgresStores(t, 1);
        const store = stores[0]!;
        const entry = newEntry({answer: {status: 'pending'}});
        await store.accept(entry);
        const tries = await failNext(database, state, 3);
        await write(store, entry.id);
        assert.ok((await tries()) >= 4);
      });
    }
  }

  test('a transaction that PostgreSQL gives up is tried five times and then no more', async (t) => {
    const {database, stores} = await openPostgresStores(t, 1);
    const tries = await failNext(database, '40001', 1_000);
    await assert.rejects(stores[0]!.accept(newEntry()), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.equal(error.reason, '40001 in the way of another');
      return true;
    });
    assert.equal(await tries(), 5);
  });

  test('serializable transactions of two processes take every lead once', async (t) => {
    const {database, stores} = await openPostgresStores(t, 2, async (empty) => {
      const name = new URL(empty.url).pathname.slice(1);
      await empty.query(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
    });
    const keys = Array.from({length: 200}, newKey);
    const deliveries = [newDelivery({nextAttemptAt: 0, leaseEnd: 0})];
    const accepted = await Promise.all(
      [keys, keys.toReversed()].flatMap((order, index) =>
        order.map((idempotency) => stores[index]!.accept(newEntry({idempotency: [idempotency], deliveries}))),
      ),
    );
    const outcomes = accepted.map(({outcome}) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 200);
    assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 200);

    const claims = await Promise.all(
      stores.map((store) =>
        store.claimDue('default', {now: 1, leaseEnd: Date.now() + 60_000, limit: 200, maxSends: 3}),
      ),
    );
    const claimed = claims.flatMap(({due}) => due.map(({lead}) => lead.id));
    assert.equal(new Set(claimed).size, claimed.length);
    assert.deepEqual(await database.query('SELECT count(*)::int FROM leads'), [{count: 200}]);
  });

  test('an upgrade is tried again if it and a server of the version before wait for each other', async (t) => {
    const database = await databaseFor(t);
    const written = join(import.meta.dirname, '../../../support/databases/1.0.0.sql');
    await database.query(readFileSync(written, 'utf8'));
    // The upgrade looks for deadlocks after five seconds, and the other transaction never does.
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} SET deadlock_timeout = '5s'`);
    const older = new pg.Client({connectionString: database.url});
    // The database is dropped before the client ends.
    older.on('error', () => undefined);
    await older.connect();
    t.after(() => older.end());
    await older.query("SET deadlock_timeout = '1h'; BEGIN; LOCK TABLE public.leads IN ROW EXCLUSIVE MODE");
    const opening = openPostgresStore(database.url, testEncryptor);
    const waits = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'public.leads'::regclass";
    await until(async () => (await database.query(waits)).length > 0);
    await older.query('LOCK TABLE public.consents IN ROW EXCLUSIVE MODE; COMMIT');
    const store = await openFor(t, opening);
    assert.equal((await store.accept(newEntry())).outcome, 'created');
  });
});
