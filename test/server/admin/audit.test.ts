/** Who looks at personal data is noted in the store before anything of it is shown or changed. */
import assert from 'node:assert/strict';
import {randomUUIDv7} from 'node:crypto';
import {statSync} from 'node:fs';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {noting} from '../../../server/admin/audit.ts';
import {auditKept} from '../../../server/leads/audit.ts';
import {firstIdAt} from '../../../server/leads/lead-ids.ts';
import {startOfDay} from '../../../server/versions/request-counts.ts';
import {basic, postJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {refuseAudit} from '../../support/operations.ts';
import {databaseKinds, hookAndUpstream, linesOf, operate} from '../../support/operator.ts';
import {
  leadWith,
  newDelivery,
  newEntry,
  prequalificationBody,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {columnOf} from '../../support/rows.ts';
import {everyStore} from '../../support/stores.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {acme} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const jane = {first_name: 'Zelda', last_name: 'Quux', email: 'zelda@quux.example', phone: '(415) 555-0132'};

for (const {name, postgres, skip} of databaseKinds) {
  const store = everyStore.find((each) => each.name === name)!;
  async function begin(t: TestContext) {
    const lead = leadWith(jane);
    const deliveries = [newDelivery({destination: 'hook', content: 'created', state: 'held'})];
    const entry = newEntry({partner: 'acme', lead, consent: sampleConsent, deliveries});
    const other = newEntry();
    const settings = hookAndUpstream(temporaryFolder(t));
    const operated = await operate(t, [entry, other], {postgres, settings});
    const noted = async () =>
      linesOf(await operated.run('audit', 'list', '--json')).map(({action, filter, leads, ids}) => ({
        ...{action, filter, leads, ids},
      }));
    return {...operated, noted, id: entry.id, other: other.id, reference: referenceOf(entry.id)};
  }

  suite(`the audit over ${name}`, {skip}, () => {
    test('a row says which leads were meant, how many there were, and their ids', async (t) => {
      const {run, noted, id, other} = await begin(t);
      const [newest, oldest] = [id, other].toSorted().toReversed() as [string, string];
      await run('leads', 'list', '--limit', '1');
      const selected = ['--partner', 'acme', '--since', '2026-01-01T00:00Z', '--phone', jane.phone];
      await run('leads', 'export', ...selected);
      await run('leads', 'list', '--context', `email=${jane.email}`, '--campaign', jane.email);
      await run('consent', 'show', jane.phone);
      await run('deliveries', 'retry', '--destination', 'hook', '--state', 'held');
      await run('deliveries', 'drop', '--destination', 'hook', '--yes');
      await run('leads', 'erase', id, '--yes');
      await run('leads', 'export');
      assert.deepEqual((await noted()).toReversed(), [
        {action: 'leads list', filter: {}, leads: 1, ids: [newest]},
        {
          action: 'leads export',
          filter: {partner: 'acme', since: '2026-01-01T00:00:00.000Z', phone: true},
          ...{leads: 1, ids: [id]},
        },
        {action: 'leads list', filter: {context: true, campaign: true}, leads: 0, ids: []},
        {action: 'consent show', filter: {phone: true}, leads: 1, ids: [id]},
        {
          action: 'deliveries retry',
          filter: {destination: 'hook', state: 'held', deliveries: 1},
          leads: 0,
          ids: [],
        },
        {action: 'deliveries drop', filter: {destination: 'hook', deliveries: 1}, leads: 0, ids: []},
        {action: 'leads erase', filter: {}, leads: 1, ids: [id]},
        {action: 'leads export', filter: {}, leads: 2, ids: [newest, oldest]},
      ]);
    });

    test('a row has fifty ids and the number of all, and is in the database file at the end', async (t) => {
      const {accept, run, noted, settings} = await begin(t);
      await accept(...Array.from({length: 250}, () => newEntry()));
      await run('leads', 'export');
      const log = statSync(`${settings['DATABASE_PATH']}-wal`, {throwIfNoEntry: false});
      assert.equal(log?.size ?? 0, 0, 'a command that only reads leaves an empty log');
      const [{leads, ids} = assert.fail()] = await noted();
      assert.deepEqual([leads, (ids as string[]).length], [252, 50]);
    });

    test('the list is selected by time and by whom, and cut', async (t) => {
      const {admin, run, reference, id} = await begin(t);
      const {store} = await admin();
      await noting(store, {actor: 'root (sudo ana)', action: 'leads show'})({}, [id]);
      // Entries of the same millisecond have no order.
      const noted = Date.now();
      await until(() => Date.now() > noted);
      await noting(store, {actor: 'ben', action: 'leads list'})({email: jane.email}, []);
      const whoOf = async (...words: string[]) =>
        linesOf(await run('audit', 'list', '--json', ...words)).map(({actor}) => actor);
      assert.deepEqual(await whoOf(), ['ben', 'root (sudo ana)']);
      assert.deepEqual(await whoOf('--who', 'ana'), ['root (sudo ana)']);
      assert.deepEqual(await whoOf('--limit', '1'), ['ben']);
      assert.deepEqual(await whoOf('--since', '1h', '--until', 'now'), ['ben', 'root (sudo ana)']);
      assert.deepEqual(await whoOf('--until', '1h'), []);
      assert.deepEqual(await whoOf('--lead', reference), ['root (sudo ana)']);
      const {stdout, stderr} = await run('audit', 'list');
      assert.match(stdout, new RegExp(`root \\(sudo ana\\)  leads show +1  ${reference}\n$`));
      assert.match(stderr, /^2 entries; times are those of/);
    });

    test('what an entry says already is not written again', async (t) => {
      const {admin, id} = await begin(t);
      const {store} = await admin();
      let writes = 0;
      const addAuditEntry: typeof store.addAuditEntry = (entry) => {
        writes += 1;
        return store.addAuditEntry(entry);
      };
      const noteAccess = noting({addAuditEntry}, {actor: 'operator Ana', action: 'leads show'});
      for (const filter of [{lead: id}, {lead: id}, {lead: id, operator: 'Ben', role: 'agent'}])
        await noteAccess(filter, [id]);
      assert.equal(writes, 2);
      const [entry] = await store.auditEntries({lead: id}, 2);
      assert.deepEqual(entry?.filter, {operator: 'Ben', role: 'agent'});
    });

    test('reads of a caller are counted by day, and no read fails for it', async (t) => {
      const server = await openFor(t, store.startServer({}, quickTimings));
      const headers = basic(acme);
      const sent = await server.fetch('/json/leads', postJson(prequalificationBody, headers));
      const place = sent.headers.get('location') ?? '';
      const read = async (path: string) => (await server.fetch(path, {headers})).status;
      for (const status of [200, 200]) assert.equal(await read(place), status);
      assert.equal(await read('/json/leads/none'), 404);
      const counts = async () => (await server.select('SELECT * FROM audit')).map((row) => ({...row}));
      await until(async () => Number((await counts())[0]?.['leads']) === 2, 'two reads are counted');
      const [{actor, action, ids, at} = assert.fail()] = await counts();
      assert.deepEqual([actor, action, ids], [`caller ${acme.user}`, 'GET /json/leads/:id', '[]']);
      assert.equal(Number(at), startOfDay(Date.now()));

      await server.execute(refuseAudit(postgres));
      assert.equal(await read(place), 200);
    });

    test('the revocation and the erasure of a lead with its duplicate are found by either of them', async (t) => {
      const entries = [newEntry(), newEntry()];
      const {run} = await operate(t, entries, {postgres});
      for (const words of [
        ['consent', 'revoke', '202-555-0142', '--yes'],
        ['leads', 'erase', ...entries.map(({id}) => id), '--yes'],
      ])
        assert.equal((await run(...words)).code, 0);
      for (const {id} of entries) {
        const found = linesOf<{action: string}>(await run('audit', 'list', '--lead', id, '--json'));
        assert.deepEqual(columnOf(found, 'action'), ['leads erase', 'consent revoke']);
      }
    });

    test('a row is deleted after two years, with the leads that it names', async (t) => {
      const {admin, select} = await begin(t);
      const {store} = await admin();
      const row = {
        actor: 'ana',
        action: 'leads show',
        filter: {},
        leads: 2,
        ids: [randomUUIDv7(), randomUUIDv7()],
      };
      const now = Date.now();
      const note = (at: number) =>
        store.addAuditEntry({...row, id: `${firstIdAt(at)}-7`, at: new Date(at).toISOString()});
      await note(now - auditKept + 60_000);
      await note(now - auditKept - 1);
      assert.equal((await select('SELECT id FROM audit_leads')).length, 4);
      await store.deleteExpired(now);
      const kept = `${firstIdAt(now - auditKept + 60_000)}-7`;
      for (const [table, rows] of Object.entries({audit: 1, audit_leads: 2}))
        assert.deepEqual(
          (await select(`SELECT id FROM ${table}`)).map(({id}) => id),
          Array.from({length: rows}, () => kept),
        );
    });
  });
}
