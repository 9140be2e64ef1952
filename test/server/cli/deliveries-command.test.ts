/** `lead-prequal deliveries`: finds deliveries, tries them again and ends them, also beside the service. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {suite, test, type TestContext} from 'node:test';
import {failures, startFakeUpstream, upstreamSettings, type Script} from '../../support/fake-upstream.ts';
import {basic, fetchFrom, postJson, readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {databaseKinds, operate, runCommand, type Ran} from '../../support/operator.ts';
import {newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {serviceSettings, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {acme} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

type Row = {lead: string; state: string; oldest_created_at: string};

const rowsOf = ({stdout}: Ran) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
const leadsOf = (ran: Ran) => rowsOf(ran).map(({lead}) => lead);

function assertSays({code, stderr}: Ran, status: number, words: RegExp) {
  assert.match(stderr, words);
  assert.equal(code, status);
}

/** Entries whose deliveries no single read brings; the few that are held stand behind all others. */
const entriesOf = (waiting: number, held: number) =>
  Array.from({length: waiting + held}, (_, index) => {
    const state = index < waiting ? 'waiting' : 'held';
    const delivery = newDelivery({state, nextAttemptAt: Date.now() + 3_600_000});
    return newEntry({answer: {status: 'pending'}, deliveries: [delivery]});
  });

suite('the command "deliveries"', () => {
  test('an outbox that no single read brings is listed up to the limit, and counted', async (t) => {
    const entries = entriesOf(2_500, 3);
    const ids = entries.map(({id}) => id);
    const {run} = await operate(t, entries);
    const list = (...words: string[]) => run('deliveries', 'list', '--json', ...words);
    const first = await list();
    assert.deepEqual(leadsOf(first), ids.toSorted().slice(0, 50));
    assert.equal(first.stderr, '50 deliveries (--limit shows more)\n');
    const all = await list('--limit', '3000');
    assert.deepEqual(leadsOf(all), ids.toSorted());
    assert.equal(all.stderr, '2,503 deliveries\n');
    const someHeld = await list('--state', 'held');
    assert.deepEqual(leadsOf(someHeld), ids.slice(-3).toSorted());
    assert.equal(someHeld.stderr, '3 deliveries\n');
    const unknown = await list('--state', 'held', '--destination', 'other');
    assertSays(unknown, 1, /There is no destination other/);

    const [held, waiting] = rowsOf(await run('deliveries', 'summary', '--json'));
    assert.partialDeepStrictEqual(held, {destination: 'default', state: 'held', deliveries: 3});
    assert.partialDeepStrictEqual(waiting, {destination: 'default', state: 'waiting', deliveries: 2_500});
    assert.ok(Math.abs(Date.parse(waiting!.oldest_created_at) - Date.now()) < 600_000);
  });

  test('a delivery is settled or dropped by hand, once', async (t) => {
    const entries = entriesOf(0, 3);
    const [taken = '', never = '', third = ''] = entries.map(({id}) => id);
    const {run} = await operate(t, entries);
    const deliveries = (...words: string[]) => run('deliveries', ...words);
    assertSays(await deliveries('settle', taken, '--taken-as', 'u-1'), 0, /^1 delivery settled\n$/);
    assertSays(await deliveries('drop', never), 0, /^1 delivery dropped\n$/);
    assert.deepEqual(leadsOf(await deliveries('list', '--state', 'held', '--json')), [third]);
    assertSays(await deliveries('drop', never), 1, /^0 deliveries dropped\nNo such delivery/);
  });

  test('of several deliveries of a lead, one is settled only when its destination is named', async (t) => {
    const deliveries = ['one', 'two'].map((destination) => newDelivery({destination, state: 'held'}));
    const entry = newEntry({answer: {status: 'pending'}, deliveries});
    const {run} = await operate(t, [entry]);
    const settle = (...words: string[]) =>
      run('deliveries', 'settle', entry.id, '--taken-as', 'u-1', ...words);
    assertSays(await settle(), 1, /^0 settled: .* several upstreams; name one of them with --destination\n$/);
    assertSays(await settle('--destination', 'two'), 0, /^1 delivery settled\n$/);
    assertSays(await settle('--destination', 'two'), 1, /has given its id for this lead already/);
  });

  test('a database that does not exist is named, and no empty one is made in its place', async (t) => {
    const folder = temporaryFolder(t);
    const ran = await runCommand(serviceSettings(folder), 'deliveries', 'list');
    assertSays(ran, 1, /^There is no database at .+\.sqlite\n$/);
    assert.deepEqual(readdirSync(folder), ['embed']);
  });

  test('a file that is no database is named in one line, and stays as it is', async (t) => {
    const folder = temporaryFolder(t);
    const settings = serviceSettings(folder);
    const file = settings['DATABASE_PATH'] ?? '';
    const text = 'Not a database, but a note that somebody left here. '.repeat(40);
    writeFileSync(file, text);
    const ran = await runCommand(settings, 'deliveries', 'list');
    assertSays(ran, 1, /^The database that DATABASE_PATH names cannot be opened: [^\n]+\n$/);
    assert.equal(readFileSync(file, 'utf8'), text);
  });
});

async function startHolding(t: TestContext, postgres: boolean) {
  const script: Script = {create: failures['half of its JSON']};
  const upstream = await openFor(t, startFakeUpstream(script));
  const {run, settings, folder} = await operate(t, [], {
    postgres,
    settings: {...upstreamSettings(upstream), ON_AMBIGUOUS: 'hold'},
  });
  const service = await startService(settings, folder);
  t.after(() => service.end('SIGKILL'));
  const create = async () => {
    const request = postJson(prequalificationBody, basic(acme));
    return (await readJson<{id: string}>(await fetchFrom(service.url)('/json/leads', request), 201)).id;
  };
  return {upstream, script, run, ids: [await create(), await create(), await create()]};
}

for (const {name, postgres, skip} of databaseKinds) {
  suite(`"deliveries" beside a service on ${name}`, {skip}, () => {
    test('what the service holds is listed without secrets, and sent on a retry', async (t) => {
      const {upstream, script, run, ids} = await startHolding(t, postgres);
      const deliveries = (...words: string[]) => run('deliveries', ...words);
      const list = () => deliveries('list', '--json');
      const rows = rowsOf(await list());
      assert.deepEqual(
        rows.map(({lead}) => lead),
        ids,
      );
      for (const row of rows) {
        assert.partialDeepStrictEqual(row, {
          ...{destination: 'default', content: 'lead', state: 'held', attempts: 1, ambiguous: 1},
          ...{under_way: false, last_error: 'The upstream answered with something that is not JSON'},
        });
      }
      // What operators see of a lead is its id.
      const {stdout} = await deliveries('list');
      for (const secret of ['Jane', 'jane@', '202-555', upstream.settings.password])
        assert.ok(!stdout.includes(secret), secret);

      delete script.create;
      assertSays(await deliveries('retry', ids[1]!), 0, /^1 delivery due now$/m);
      await until(async () => rowsOf(await list()).length === 2);
      assertSays(await deliveries('retry', '--all'), 1, /^0 deliveries due now$/m);
      assertSays(await deliveries('retry', '--state', 'held'), 0, /^2 deliveries due now$/m);
      await until(async () => rowsOf(await list()).length === 0);
      assert.deepEqual([...new Set(upstream.taken())].toSorted(), ids);
      assert.equal(upstream.sent().length, 6);
      assertSays(await deliveries('retry', ids[0]!), 1, /^0 deliveries due now$/m);
    });
  });
}
