/** Transactions that PostgreSQL gives up because of another one: 40001 serialization failures, 40P01 deadlocks. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import {StoreUnavailable, type LeadStore} from '../../server/store/lead-store.ts';
import {openPostgresStore} from '../../server/store/postgres-store.ts';
import {createDatabase, withoutPostgres, type TestDatabase} from '../support/postgres.ts';
import {doneAnswer, newEntry} from '../support/sample-leads.ts';

const newKey = () => ({owner: 'caller:acme', digest: randomUUID(), fingerprint: 'of this lead'});

async function open(t: TestContext, prepare: (database: TestDatabase) => Promise<unknown>, count = 1) {
  const database = await createDatabase();
  await prepare(database);
  const stores = await Promise.all(Array.from({length: count}, () => openPostgresStore(database.url)));
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });
  return {database, stores};
}

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
    CREATE TRIGGER failing BEFORE INSERT OR UPDATE ON leads EXECUTE FUNCTION fail_at_first()`);
  return async () => Number((await database.query('SELECT last_value FROM tries'))[0]!['last_value']);
}

/** Every way in which the store writes to the leads. */
const writes: Record<string, (store: LeadStore, id: string) => Promise<unknown>> = {
  'leads without keys': (store) => Promise.all(Array.from({length: 100}, () => store.accept(newEntry()))),
  'leads under keys': (store) =>
    Promise.all(Array.from({length: 100}, () => store.accept(newEntry({idempotency: newKey()})))),
  "an upstream's id": (store, id) => store.recordUpstreamId(id, 'u-1'),
  'an answer': (store, id) => store.recordAnswer(id, doneAnswer, 0),
};

suite('PostgreSQL that gives up a transaction in favour of another', {skip: withoutPostgres}, () => {
  for (const state of ['40001', '40P01']) {
    for (const [what, write] of Object.entries(writes)) {
      test(`is asked again after ${state}: ${what}`, async (t) => {
        const {database, stores} = await open(t, () => Promise.resolve());
        const store = stores[0]!;
        const entry = newEntry({answer: {status: 'pending'}});
        await store.accept(entry);
        const tries = await failNext(database, state, 3);
        await write(store, entry.id);
        assert.ok((await tries()) >= 4);
      });
    }
  }

  test('is asked five times and then no more', async (t) => {
    const {database, stores} = await open(t, () => Promise.resolve());
    const tries = await failNext(database, '40001', 1_000);
    await assert.rejects(stores[0]!.accept(newEntry()), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.equal(error.reason, '40001 in the way of another');
      return true;
    });
    assert.equal(await tries(), 5);
  });

  test('because all its transactions are serializable takes in every lead once, from two processes', async (t) => {
    const {database, stores} = await open(
      t,
      async (empty) => {
        const name = new URL(empty.url).pathname.slice(1);
        await empty.query(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
      },
      2,
    );
    const keys = Array.from({length: 200}, newKey);
    const lease = {upstream: 'default', state: 'waiting', nextAttemptAt: 0, leaseEnd: 0} as const;
    const accepted = await Promise.all(
      [keys, keys.toReversed()].flatMap((order, index) =>
        order.map((idempotency) => stores[index]!.accept(newEntry({idempotency, delivery: lease}))),
      ),
    );
    const outcomes = accepted.map(({outcome}) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 200);
    assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 200);

    const claims = await Promise.all(
      stores.map((store) => store.claimDue('default', 1, Date.now() + 60_000, 200, 'send')),
    );
    const claimed = claims.flatMap(({due}) => due.map(({lead}) => lead.id));
    assert.equal(new Set(claimed).size, claimed.length);
    assert.deepEqual(await database.query('SELECT count(*)::int FROM leads'), [{count: 200}]);
  });
});
