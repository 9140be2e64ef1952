/**
 * A week of a small business: forms are begun and sent, two agents call at the same time, one lead says stop, another is erased,
 * and an older backup is restored. Pages, commands, files and events say the same of it all the time.
 */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {test, type TestContext} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {sayFormUse} from '../../../server/admin/form-use.ts';
import {outcomeText} from '../../../server/admin/outcomes.ts';
import type {Status} from '../../../server/admin/status.ts';
import {outcomes, type Outcome} from '../../../server/leads/outcomes.ts';
import {routes} from '../../../server/pages/routes.ts';
import {tables} from '../../../server/store/columns.ts';
import {startOfDay} from '../../../server/versions/request-counts.ts';
import {writeConfig} from '../../support/config-file.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {missing} from '../../support/installed.ts';
import {openFor} from '../../support/opened.ts';
import {databaseKinds, idsOf, linesOf} from '../../support/operator.ts';
import {ownForm, servePages} from '../../support/pages.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {asLead, entryAt, eventTo, sampleConsent, standardBody} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {startWebhookReceiver} from '../../support/webhook-receiver.ts';

const consent = {version: '1', required: true, text: 'I agree to calls and messages.'};
/** How often the form of a partner is begun and sent: on each of the five days before today, and today. */
const week = [
  ['acme', [52, 8], [60, 10]],
  ['bright', [14, 2], [10, 0]],
] as const;
const figures = ['acme 320 began, 50 sent (16%)', 'bright 80 began, 10 sent (13%)'];
const daysAgo = (days: number) => Date.now() - days * 86_400_000;
const times = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({length: count}, (_, index) => make(index));

type Told = {id: string; partner: string; outcome: Outcome | null; amount: number | null; leads?: number};
type Event = {type: string; data: Told};
type Row = Record<string, string>;
const rowsIn = (csv: string) => parse<Row>(csv, {columns: true, bom: true});
const resultOf = ({Reference, Result}: Row) => `${Reference} ${Result}`;
const same = (some: Iterable<unknown>, others: Iterable<unknown>, what?: string) =>
  assert.deepEqual(Array.from(some, String).toSorted(), Array.from(others, String).toSorted(), what);
const latin1 = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

async function liveThroughAWeek(t: TestContext, postgres: boolean) {
  const [crm, own] = [await openFor(t, startWebhookReceiver()), temporaryFolder(t)];
  const hook = {type: 'webhook', url: `http://127.0.0.1:${crm.port}/`, credentials: 'CRM'};
  const partners = week.map(([key]) => ({key, consent, send_to: ['crm']}));
  const destinations = {crm: {...hook, events: ['lead.created', 'lead.outcome']}};
  const CONFIG_FILE = writeConfig(own, partners, destinations, {erasures_file: join(own, 'erasures')});
  const settings = {CONFIG_FILE, CREDENTIALS_CRM_SECRET: crm.secret};
  const pages = await servePages(t, routes, {postgres, settings});
  const {store, does, select, folder} = pages;
  /** An event that is repeated counts once. */
  const told = (type: string) => {
    const events = new Map(
      crm.received.map(({headers, body}) => [headers['webhook-id'], JSON.parse(body) as Event]),
    );
    return [...events.values()].flatMap((event) => (event.type === type ? [event.data] : []));
  };
  let people = 1_000;
  const phone = () => ({phone: `(415) 555-${(people += 1)}`});
  for (const [partner, [began, sent]] of week)
    for (const at of [1, 2, 3, 4, 5].map(daysAgo)) {
      const view = {partner, origin: 'own', version: 'unknown', stage: 'began', requests: began} as const;
      await store.addViews([{...view, day: startOfDay(at)}]);
      const entry = () => ({partner, consent: sampleConsent, deliveries: [eventTo('crm')]});
      const lead = () => asLead({...standardBody, ...phone()});
      await pages.accept(...times(sent, () => entryAt(at, {...entry(), lead: lead()})));
    }
  const server = await pages.serve(quickTimings);
  const body = {consent: {version: '1', agreed: true}};
  for (const [partner, , [began, sent]] of week) {
    const path = `/embed/v1/config?partner=${partner}&view=began`;
    await Promise.all(times(began, () => server.fetch(path, {headers: {origin: listedOrigin}})));
    await Promise.all(times(sent, () => sentLead(server, somebody(phone()), {partner, body})));
  }
  await until(() => told('lead.created').length === 60);
  const partnerOf = new Map(told('lead.created').map(({id, partner}) => [id, partner]));
  const ids = [...partnerOf.keys()].toSorted();

  const [maria, jordan] = [await pages.sessionOf('agent', 'Maria'), await pages.sessionOf('agent', 'Jordan')];
  const boss = await pages.sessionOf('admin', 'Ana', {zone: 'UTC'});
  const get = async (path: string) => (await pages.ask(path, {headers: {cookie: boss}})).text;
  const post = (cookie: string, path: string, form: Record<string, string>) =>
    pages.ask(path, {method: 'POST', headers: {...ownForm, cookie}, form});
  let recorded = 0;
  async function press(agent: string, lead: string, form: Record<string, string>) {
    const sent = {id: `press-${(recorded += 1)}`, ...form};
    assert.equal((await post(agent, `/leads/${lead}/note`, sent)).status, 303);
  }
  const [gone = '', stopped = '', undone = '', ...others] = ids;
  const inTurn = (index: number) => ({outcome: outcomes[index % outcomes.length]!, text: 'Called'});
  // Both agents call the same leads. The last six nobody has called.
  const both = (lead: string, index: number) =>
    [maria, jordan].map((agent, second) => press(agent, lead, inTurn(index + second)));
  await Promise.all(others.slice(0, -6).flatMap(both));
  await press(maria, stopped, {outcome: 'wrong_number', id: 'stop'});
  await press(maria, undone, {outcome: 'talked'});
  await press(jordan, undone, {outcome: 'appointment'});
  await press(jordan, undone, {undo: '1'});
  await press(maria, gone, {outcome: 'talked', id: 'marker-1', text: 'Zanzibar'});
  recorded += 1;
  await does('leads', 'note', gone, ...'--outcome funded --amount 777123 --id marker-2'.split(' '));
  await until(() => told('lead.outcome').length === recorded);
  const sealed = await select(`SELECT blob FROM sealed WHERE lead_id = '${gone}' AND part LIKE 'outcome %'`);
  const marks = ['marker-1', 'marker-2', 'Zanzibar', '777123', ...sealed.map(({blob}) => latin1(blob))];
  assert.equal(marks.length, 6);

  const exported = async (...words: string[]) => rowsIn((await does('leads', 'export', ...words)).stdout);
  /** What is told of each lead that is not erased is what all others say. */
  async function agree(hasPages: boolean, erased?: string) {
    const newest = new Map(told('lead.outcome').map((each) => [each.id, each]));
    const wordsOf = ({outcome, amount}: Partial<Told> = {}) =>
      outcome && outcomeText({outcome, amount: amount!});
    const outcomeOf = (id: string) => (id !== erased && newest.get(id)?.outcome) || 'none';
    const groups = Map.groupBy(ids, (id) => `${outcomeOf(id)} ${partnerOf.get(id)}`);
    const counted = linesOf<Told>(await does('leads', 'count', '--by', 'outcome,partner', '--json'));
    const counts = counted.map(({outcome, partner, leads}) => `${outcome ?? 'none'} ${partner} ${leads}`);
    same(
      counts,
      Array.from(groups, ([group, leads]) => `${group} ${leads.length}`),
    );
    for (const outcome of [...outcomes, 'none']) {
      const those = ids.filter((id) => outcomeOf(id) === outcome);
      same(idsOf(linesOf(await does('leads', 'list', '--outcome', outcome, '--json'))), those, outcome);
      const links = hasPages
        ? (await get(`/leads?outcome=${outcome}`)).matchAll(/"\/leads\/([\da-f-]{36})"/g)
        : [];
      if (hasPages) same(new Set(Array.from(links, ([, id]) => id)), those, `${outcome} on the page`);
    }
    const left = ids.filter((id) => id !== erased);
    const expected = left.map((id) => `${referenceOf(id)} ${wordsOf(newest.get(id)) ?? ''}`);
    same((await exported('--for', 'sales')).map(resultOf), expected);
    same(idsOf(await exported()), left);
    const {partners} = JSON.parse((await pages.run('status', '--json')).stdout) as Status;
    const uses = partners.map(({partner, form}) => `${partner} ${form && sayFormUse(form)}`);
    same(uses, figures);
    if (!hasPages) return;
    const overview = (await get('/')).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    for (const words of figures) assert.ok(overview.includes(words), words);
    const dates = times(7, (ago) => new Date(daysAgo(ago)).toISOString().slice(0, 10));
    const files = await Promise.all(dates.map((day) => post(boss, '/leads/export', {day, format: 'sales'})));
    const results = files.flatMap(({text}) => rowsIn(text).map(resultOf));
    same(results, expected);
  }

  /** One lead is stopped, and of the erased one neither a row nor a byte tells what came of it. */
  async function isOver() {
    // A restored server tells both again.
    const [revoked, erased] = [told('consent.revoked'), told('lead.erased')].map(
      (all) => new Set(idsOf(all)),
    );
    const listed = linesOf<{leads: {id: string}[]}>(await does('consent', 'list', '--revoked', '--json'));
    const stops = listed.flatMap(({leads}) => idsOf(leads));
    assert.deepEqual([revoked, erased, stops], [new Set([stopped]), new Set([gone]), [stopped]]);
    const sales = await exported('--for', 'sales');
    const notCalled = sales.filter((row) => /do not call/i.test(row['May be called'] ?? ''));
    assert.equal(notCalled.map(({Reference}) => Reference).join(), referenceOf(stopped));
    const isClean = (text: string, where: string) =>
      assert.ok(!marks.some((mark) => text.includes(mark)), where);
    for (const table of Object.keys(tables))
      for (const row of await select(`SELECT * FROM ${table}`)) {
        const text = Object.values(row).map(latin1).join(' ');
        isClean(text, table);
        if (text.includes(gone)) assert.doesNotMatch(text, /funded|talked/, table);
      }
    const folderOf = dirname(pages.settings['DATABASE_PATH'] ?? '');
    for (const file of postgres ? [] : readdirSync(folderOf).filter((each) => each.includes('.sqlite')))
      isClean(readFileSync(join(folderOf, file), 'latin1'), file);
  }

  await agree(true);
  const [backup, database] = [join(folder, 'backup'), pages.settings['DATABASE_URL'] ?? ''];
  if (postgres) execFileSync('pg_dump', ['-Fc', '-f', backup, database]);
  else await does('backup', backup);
  await post(maria, `/leads/${stopped}/note`, {outcome: 'wrong_number', id: 'stop', stop: '1'});
  await does('leads', 'erase', gone, '--yes');
  await until(() => [...told('consent.revoked'), ...told('lead.erased')].length === 2);
  await agree(true, gone);
  await isOver();
  assert.match(await get(`/leads/${stopped}`), /Do not call/);

  await server.close();
  await store.close();
  if (postgres) execFileSync('pg_restore', ['--clean', '--if-exists', '-d', database, backup]);
  else await does('restore', backup, '--replace');
  await pages.serve(quickTimings);
  await agree(false, gone);
  await isOver();
}

for (const {name, postgres, skip} of databaseKinds)
  test(
    `400 began, 60 sent: all figures agree, and an erasure leaves no outcome, over ${name}`,
    {skip: skip || (postgres && missing('pg_dump'))},
    (t) => liveThroughAWeek(t, postgres),
  );
