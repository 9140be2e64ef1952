/**
 * A compliance officer's day: a letter, a link and a mail program's button say stop while a receiver is down for eleven days;
 * the same people come again, elsewhere and spelled otherwise; one is erased; then a backup from before all of it is restored. Does
 * it hold, and what does the record say?
 */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../contract/reference.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import type {ShownConsent} from '../../server/admin/consents.ts';
import {readConfig} from '../../server/config/config.ts';
import {startServer} from '../../server/server.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {missing} from '../support/installed.ts';
import {logTo} from '../support/observation-log.ts';
import {openFor} from '../support/opened.ts';
import {databaseKinds, linesOf, runCommand} from '../support/operator.ts';
import {writeConfig} from '../support/config-file.ts';
import {createDatabaseWithTables} from '../support/postgres.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {execute, rowsOf} from '../support/rows.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme, globex, inFile} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver, type WebhookReceiver} from '../support/webhook-receiver.ts';

const day = 86_400_000;
const consent = {version: '1', required: true, text: 'Acme Funding may call me.'};
const body = {consent: {version: '1', agreed: true}};
const key = 'a-data-key-of-at-least-32-characters';
type Event = {type: string; data: {id: string; consent?: {revoke_link?: string}}};

/** A machine with the server, and the store that both machines share on PostgreSQL. */
async function open(t: TestContext, isPostgres: boolean) {
  const folder = temporaryFolder(t);
  const [crm, news] = [await openFor(t, startWebhookReceiver()), await openFor(t, startWebhookReceiver())];
  const database = isPostgres ? await createDatabaseWithTables() : undefined;
  if (database) t.after(() => database.drop());
  const settings = serviceSettings(folder);
  const receiver = ({port}: WebhookReceiver, credentials: string) => ({
    ...{type: 'webhook', url: `http://127.0.0.1:${port}/leads`, credentials},
  });
  const send_to = ['crm', 'news'];
  const folders = [temporaryFolder(t), temporaryFolder(t)];
  const folderOf = (machine: number) => folders[machine - 1] ?? folder;
  const environment = (machine: number): Record<string, string> => ({
    ...settings,
    ...(database && {DATABASE_URL: database.url}),
    ...{DATA_KEY: key, PORT: '0'},
    CONFIG_FILE: writeConfig(
      folderOf(machine),
      [
        {name: 'Acme Funding', consent, send_to},
        {key: 'bright', name: 'Bright Loans', consent, send_to},
      ],
      {crm: receiver(crm, 'CRM'), news: receiver(news, 'NEWS')},
      {
        callers: [acme, globex].map((each) => ({...inFile(each), send_to})),
        erasures_file: join(folder, `erasures-${isPostgres ? machine : 1}`),
      },
    ),
    CREDENTIALS_CRM_SECRET: crm.secret,
    CREDENTIALS_NEWS_SECRET: news.secret,
  });
  const logLines: string[] = [];
  const timings = {...quickTimings, eventsGivenUpAfter: 1};
  async function serve(machine = 1) {
    const config = readConfig(environment(machine));
    const log = logTo(logLines, 'info');
    const server = await startServer(config, log.emit, undefined, timings, () => config);
    log.flush();
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= server.close());
    t.after(close);
    return {fetch: fetchFrom(`http://127.0.0.1:${server.port}`), close};
  }
  async function run(machine: number, ...words: string[]) {
    const ran = await runCommand(environment(machine), ...words);
    assert.equal(ran.code, 0, `${words.join(' ')}: ${ran.stdout}${ran.stderr}`);
    return ran;
  }
  const path = settings['DATABASE_PATH'] ?? '';
  return {
    ...{crm, news, serve, run, logLines, folder},
    fails: (machine: number, ...words: string[]) => runCommand(environment(machine), ...words),
    select: (sql: string) => database?.query(sql) ?? Promise.resolve(rowsOf(path, sql)),
    execute: async (sql: string) => (database ? void (await database.query(sql)) : execute(path, sql)),
    async backUp(file: string) {
      if (database) execFileSync('pg_dump', ['--format=custom', `--file=${file}`, database.url]);
      else await run(1, 'backup', file);
    },
    async restore(file: string) {
      const args = ['--clean', '--if-exists', '--single-transaction', `--dbname=${database?.url}`, file];
      if (database) execFileSync('pg_restore', args);
      else await run(1, 'restore', file, '--replace');
    },
  };
}

for (const {name, postgres, skip} of databaseKinds)
  suite(`over ${name}`, {skip: skip || (postgres && missing('pg_dump'))}, () => {
    test('a letter, a link, a button, an erasure and a restore: everything that was said holds', async (t) => {
      const {crm, news, serve, run, fails, select, execute: change, ...operated} = await open(t, postgres);
      const events = ({received}: WebhookReceiver, id: string) =>
        received.map((each) => JSON.parse(each.body) as Event).filter(({data}) => data.id === id);
      const typesAt = (receiver: WebhookReceiver, id: string) => events(receiver, id).map(({type}) => type);
      const told = (receiver: WebhookReceiver, id: string, type: string) =>
        until(() => typesAt(receiver, id).includes(type), `${id} is told of ${type}`);
      let server = await serve();
      const page = async (who: object, partner = 'acme') => (await sentLead(server, who, {partner, body})).id;
      const call = async (who: object, user = acme) => {
        const lead = {...prequalificationBody, cid: user.cids[0], ...who};
        const reply = await server.fetch('/json/leads', postJson(lead, basic(user)));
        return (await readJson<EmbedAnswer>(reply, 201)).id;
      };
      const statesOf = async (id: string) =>
        (await select(`SELECT state FROM deliveries WHERE lead_id = '${id}' AND content = 'created'`))
          .map(({state}) => String(state))
          .toSorted()
          .join();
      const linkOf = (id: string) => new URL(events(news, id)[0]?.data.consent?.revoke_link ?? '').pathname;
      const press = (id: string, sent: Record<string, string>) =>
        server.fetch(linkOf(id), {method: 'POST', body: new URLSearchParams(sent)});

      const jane = somebody({first_name: 'Jane', phone: '415-555-0132'});
      const ann = somebody({first_name: 'Ann', phone: '415-555-0133'});
      const carl = somebody({first_name: 'Carl', phone: '415-555-0134'});
      const [first, linked, clicked] = [await page(jane), await page(ann), await page(carl)];
      for (const id of [first, linked, clicked])
        for (const each of [crm, news]) await told(each, id, 'lead.created');
      const backup = join(operated.folder, 'before');
      await operated.backUp(backup);

      // Three ways, while crm is down. The second machine of PostgreSQL has a file of its own.
      crm.answerWith(replyWith(500));
      const byLetter = ['--asked', '2026-11-20', '--via', 'letter', '--yes'];
      await run(1, 'consent', 'revoke', '(415) 555-0132', ...byLetter);
      if (postgres) {
        await server.close();
        server = await serve(2);
      }
      assert.equal((await press(linked, {ask: 'stop'})).status, 200);
      assert.equal((await press(clicked, {'List-Unsubscribe': 'One-Click'})).status, 200);
      for (const id of [first, linked, clicked]) await told(news, id, 'consent.revoked');

      // They come again: another spelling, by callers, and at another partner with the same cid.
      const stopped = {
        spelled: await page({...jane, email: 'other@example.com', phone: '+1 415.555.0132'}),
        elsewhere: await page({...jane, email: 'third@example.com'}, 'bright'),
        called: await call({phone: '4155550133', email: ann.email}),
        again: await page({...carl, phone: '(415) 555 0134'}),
      };
      for (const [who, id] of Object.entries(stopped)) assert.equal(await statesOf(id), 'held,held', who);
      const free = {
        partner: await page({...ann, last_name: 'Lee'}, 'bright'),
        client: await call({phone: '415-555-0133', email: ann.email}, globex),
      };
      for (const id of Object.values(free)) await told(news, id, 'lead.created');
      await run(1, 'leads', 'erase', first, '--yes');
      await told(news, first, 'lead.erased');

      // Eleven days later, crm is still down, and nothing was given up.
      await change(`UPDATE deliveries SET happened_at = happened_at - ${11 * day}, failing_since = failing_since - ${11 * day}
        WHERE content IN ('revoked', 'erased')`);
      const waits = () =>
        select(`SELECT state, content FROM deliveries
        WHERE destination = 'crm' AND content IN ('revoked', 'erased') ORDER BY content`);
      const tries = crm.received.length;
      await until(() => crm.received.length > tries + 3);
      assert.deepEqual(
        (await waits()).map((row) => `${String(row['content'])} ${String(row['state'])}`),
        ['erased waiting', 'revoked waiting', 'revoked waiting', 'revoked waiting'],
      );
      const {stdout: status} = await fails(1, 'status');
      assert.match(status, /3 people said stop, and crm has not heard it for \d+ days; by \w+ \d+ it must/);
      assert.match(status, /1 person was erased, and crm has not heard it for 11 days/);
      crm.answerWith(replyWith(204));
      for (const id of [first, linked, clicked]) await told(crm, id, 'consent.revoked');
      await told(crm, first, 'lead.erased');

      const records = async () => {
        const shown = await run(1, 'consent', 'show', '415-555-0132', '--json');
        return linesOf<ShownConsent>(shown).find(({lead}) => lead === first) ?? assert.fail('no record');
      };
      const allHeard = () => until(async () => (await waits()).every(({state}) => state === 'delivered'));
      const recorded = async () => {
        const {taken_back: back, stops, told: who, person} = await records();
        assert.equal(person?.first_name, 'Jane', 'the consent is kept');
        assert.equal(back?.for, 'all');
        assert.equal(back.way, 'letter');
        assert.equal(new Date(back.asked_at ?? '').toDateString(), 'Fri Nov 20 2026');
        assert.equal(new Date(back.entered_at ?? '').toDateString(), new Date().toDateString());
        assert.deepEqual(
          stops.map(({what, for: scope, way}) => [what, scope, way]),
          [['stop', '*', 'letter']],
        );
        const news = who
          .map(({destination, content, state}) => `${destination} ${content} ${state}`)
          .toSorted();
        const all = ['crm erased', 'crm revoked', 'news erased', 'news revoked'];
        assert.deepEqual(
          news,
          all.map((each) => `${each} delivered`),
        );
        const {stdout} = await run(1, 'leads', 'show', first);
        assert.match(stdout, /Revoked +2026-11-20 .*, for everybody, by letter, entered/);
        const {stdout: printed} = await run(1, 'consent', 'show', first);
        assert.match(printed, /Revoked[\s\S]*by letter/);
        const {stdout: exported} = await run(1, 'leads', 'export', '--consents');
        assert.match(
          exported,
          /"taken_back":\{"for":"all","asked_at":"2026-11-[12]\d[^"]*",[^}]*"way":"letter"/,
        );
      };
      await allHeard();
      await recorded();
      const byLink = linesOf<ShownConsent>(await run(1, 'consent', 'show', linked, '--json'))[0];
      assert.deepEqual([byLink?.taken_back?.for, byLink?.taken_back?.way], ['partner', 'link']);
      const byButton = linesOf<ShownConsent>(await run(1, 'consent', 'show', clicked, '--json'))[0];
      assert.equal(byButton?.taken_back?.way, 'unsubscribe');

      await server.close();
      await operated.restore(backup);
      const refused = await fails(1, 'leads', 'list');
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /was restored, .* start the server/);
      for (const machine of postgres ? [1, 2] : [1]) {
        server = await serve(machine);
        if (machine === 1 && postgres) await server.close();
      }
      const repairs = operated.logLines.filter((line) => line.includes('the store was restored'));
      assert.equal(repairs.length, postgres ? 2 : 1);
      const [left = assert.fail()] = await select(
        `SELECT erased_at, revoked_for FROM leads WHERE id = '${first}'`,
      );
      assert.ok(left['erased_at'] !== null && left['revoked_for'] === 'all');
      const audit = linesOf<{action: string; leads: number}>(
        await run(1, 'audit', 'list', '--who', 'start', '--json'),
      );
      assert.equal(audit.length, postgres ? 2 : 1);
      const later = [
        await page({...jane, email: 'fourth@example.com', phone: '415 555 0132'}),
        await page({...ann, last_name: 'Kay', phone: '(415) 555-0133'}),
        await call({phone: '415-555-0134', email: carl.email}),
      ];
      for (const id of later) assert.equal(await statesOf(id), 'held,held', id);
      const other = await page({...ann, last_name: 'Ray'}, 'bright');
      await told(news, other, 'lead.created');
      for (const each of [crm, news])
        await until(() => typesAt(each, first).filter((type) => type === 'lead.erased').length > 1);
      await allHeard();
      await recorded();
      // A stranger's lead with Ann's number waits for a decision; Ann's own leads do not.
      const asksOf = async () =>
        (await fails(1, 'status')).stdout.match(/asked to stop the number of \S+ .*/g) ?? [];
      assert.deepEqual(await asksOf(), []);
      const stranger = await page({...ann, email: 'lee@example.com'});
      assert.equal(await statesOf(stranger), 'held,held');
      assert.match(
        (await asksOf()).join(),
        new RegExp(`^.*${referenceOf(stranger)} \\(1 lead\\): decide by \\w+ \\d+`),
      );
      await run(1, 'consent', 'allow', '415-555-0133', '--reason', 'it is hers');
      await told(news, stranger, 'lead.created');
      assert.deepEqual(await asksOf(), []);
    });
  });
