/** What the pages say of destinations, and to whom they offer what. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {test, type TestContext} from 'node:test';
import {firstIdAt} from '../../../server/leads/lead-ids.ts';
import type {Role} from '../../../server/leads/operators.ts';
import {routes} from '../../../server/pages/routes.ts';
import {startOfDay} from '../../../server/versions/request-counts.ts';
import {freePort} from '../../support/free-port.ts';
import {writeConfig} from '../../support/config-file.ts';
import {ownForm, servePages} from '../../support/pages.ts';
import {entryAt, erasureAsked, eventTo, newEntry} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {acme, inFile} from '../../support/test-server.ts';
import {newSecret} from '../../support/webhook-receiver.ts';

/** The webhook `crm`, at a port where nothing listens, and the mailbox `sales`, which sends confirmations, too. */
async function begin(t: TestContext, more: object[] = []) {
  const crm = {type: 'webhook', url: `http://127.0.0.1:${await freePort()}/`, credentials: 'CRM'};
  const confirm = {via: 'sales'};
  const settings = {
    CONFIG_FILE: writeConfig(
      temporaryFolder(t),
      [{send_to: ['crm'], confirm}, {key: 'bright', send_to: ['sales'], confirm}, ...more],
      {crm, sales: {type: 'email', to: ['sales@example.com']}},
      {mail_from: 'leads@example.com', callers: [{...inFile(acme), send_to: ['crm']}]},
    ),
    CREDENTIALS_CRM_SECRET: newSecret(),
    SMTP_URL: 'smtp://mail.example.com',
  };
  const served = await servePages(t, routes, {settings});
  const get = async (path: string, role: Role = 'admin') =>
    (await served.ask(path, {headers: {cookie: await served.sessionOf(role)}})).text;
  return {...served, get};
}
const withoutTags = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('what failed is announced as a failure, and what was done as done, with its reason noted', async (t) => {
  const {ask, store, sessionOf} = await begin(t);
  const cookie = await sessionOf('admin');
  const boxAfter = async (what: string) => {
    const {headers} = await ask(`/destinations/crm/${what}`, {
      ...{method: 'POST', headers: {...ownForm, cookie}, form: {reason: 'it moves'}},
    });
    const {text} = await ask((headers.location ?? '').replace(/#.*/, ''), {headers: {cookie}});
    return /<p class="said ?(.*?)" role="(\w+)">([^<]+)/.exec(text)?.slice(1);
  };
  assert.deepEqual((await boxAfter('test'))?.slice(0, 2), ['no', 'alert']);
  await boxAfter('pause');
  await boxAfter('resume');
  assert.deepEqual(
    (await store.auditEntries({}, 9))
      .filter(({action}) => /pause|resume/.test(action))
      .map(({filter}) => filter),
    [{destination: 'crm'}, {destination: 'crm', reason: 'it moves'}],
  );
  assert.deepEqual(await boxAfter('resume'), [
    '',
    'status',
    'crm was not paused. If it had a break, that is ended, and what waits is sent.',
  ]);
});

test('a destination names whose leads go there, or are confirmed there, and callers', async (t) => {
  const text = withoutTags(await (await begin(t)).get('/destinations'));
  assert.match(text, /crm webhook · acme, API callers /);
  assert.match(text, /sales email · bright /);
  assert.match(text, /sales\/confirm confirmation · acme, bright /);
  assert.match(text, /Why\? The server's log has it, too: name nobody\./);
  const more = Array.from({length: 5}, (_, index) => ({key: `more-${index}`, send_to: ['crm']}));
  const many = withoutTags(await (await begin(t, more)).get('/destinations'));
  assert.match(many, /crm webhook · 6 partners, API callers /);
});

test('only who may decide about a request is asked to', async (t) => {
  const {get, store, accept} = await begin(t);
  const entry = entryAt(Date.now() - 60_000, {partner: 'acme'});
  await accept(entry);
  const askedAt = Date.now() - 3 * 3_600_000;
  await store.putRequest({lead: entry.id, ...erasureAsked(askedAt)});
  for (const [role, decides] of [
    ['viewer', false],
    ['agent', false],
    ['admin', true],
  ] as const) {
    const text = withoutTags(await get('/', role));
    assert.match(
      text,
      /1 request of a person waits, the first since \d{4}-\d\d-\d\d, to erase \S+: answer it by \d{4}-/,
    );
    assert.equal(text.includes('Decide'), decides, role);
  }
});

test('a request of today is noted where today has begun and on the server has not', async (t) => {
  const now = Date.UTC(2026, 10, 30, 18);
  t.mock.timers.enable({apis: ['Date'], now});
  const {ask, store, accept, sessionOf} = await begin(t);
  const entry = entryAt(now - 60_000);
  await accept(entry);
  const headers = {...ownForm, cookie: await sessionOf('agent', 'Ana', {zone: 'Asia/Manila'})};
  const path = `/leads/${entry.id}/add`;
  const confirm = /name="confirm" value="([^"]+)"/.exec((await ask(path, {headers})).text)?.[1] ?? '';
  const noted = async (asked: string) => {
    await ask(path, {method: 'POST', headers, form: {confirm, kind: 'know', asked, via: 'letter'}});
    return (await store.requests({lead: entry.id})).map(({askedAt}) => askedAt);
  };
  assert.deepEqual(await noted('2026-12-02'), []);
  assert.deepEqual(await noted('2026-12-01'), [now]);
});

test('a request by letter counts from its day, and people are found by their names', async (t) => {
  const {ask, store, accept, sessionOf} = await begin(t);
  const entry = entryAt(Date.now() - 60_000, {partner: 'acme'});
  await accept(entry);
  const cookie = await sessionOf('admin');
  const path = `/leads/${entry.id}/add`;
  const {text} = await ask(path, {headers: {cookie}});
  const confirm = /name="confirm" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const form = {confirm, kind: 'know', asked: '2026-01-31', via: 'letter'};
  await ask(path, {method: 'POST', headers: {...ownForm, cookie}, form});
  const [request] = await store.requests({lead: entry.id});
  assert.deepEqual(
    [request?.kind, request?.way, request?.askedAt],
    ['know', 'letter', Date.UTC(2026, 0, 31, 12)],
  );

  const found = async (q: string, role: Role) => {
    const headers = {...ownForm, cookie: await sessionOf(role)};
    const {
      headers: {location = ''},
    } = await ask('/search', {method: 'POST', headers, form: {q}});
    return {location, text: withoutTags((await ask(location, {headers})).text)};
  };
  const {last_name} = entry.lead;
  const known = await found(last_name.slice(0, 2), 'admin');
  assert.match(known.text, new RegExp(`${last_name} .*Looked at 1 lead; `));
  // Encrypted: two letters of a name may stand anywhere in it.
  assert.match(known.location, /^\/leads\?who=[\w-]{200,}$/);
  assert.match((await found('zzz', 'admin')).text, /Nobody was found/);
  const [own, other] = [await found(last_name, 'viewer'), await found('zzz', 'viewer')];
  assert.equal(own.location, other.location, 'who sees no names gets the same answer for each');
});

test('since when a destination fails outlives "Try now", and counts no hold and no pause', async (t) => {
  const {get, store, accept, execute} = await begin(t);
  const hour = 3_600_000;
  await accept(entryAt(Date.now() - 72 * hour, {partner: 'acme', deliveries: [eventTo('crm')]}));
  const fails = async (since: number, words: RegExp) => {
    await execute(`UPDATE deliveries SET attempts = 9, failing_since = COALESCE(failing_since, ${since})`);
    assert.match(withoutTags(await get('/destinations')), words);
  };
  await fails(Date.now() - 2.5 * hour, / failing for 2 h /);
  await store.resumeDestination(Date.now(), 'crm');
  await fails(Date.now(), / failing for 2 h /);
  await store.pauseDestination({destination: 'crm', pausedAt: Date.now(), reason: 'it moves'});
  await store.resumeDestination(Date.now(), 'crm');
  await fails(Date.now() - 4.5 * hour, / failing for 4 h /);
  await execute("UPDATE deliveries SET state = 'held'");
  await store.retryDeliveries(Date.now(), {destination: 'crm', state: 'held'});
  await fails(Date.now() - 3.5 * hour, / failing for 3 h /);
});

test("the overview has the operator's clock alone, and no busiest hour without a lead", async (t) => {
  const {get, accept} = await begin(t);
  const deliveries = [eventTo('crm', {state: 'held'})];
  await accept(entryAt(Date.now() - 50 * 3_600_000, {partner: 'acme', suspect: 'trap', deliveries}));
  const text = withoutTags(await get('/'));
  assert.match(text, /Leads are held as a bot's \(1 for 2 days\)/);
  assert.match(text, /No lead has come today\. This hour so far: 0;/);
});

test('the overview says how often the form of a partner was begun and sent, in words and bars', async (t) => {
  const {get, store, accept} = await begin(t);
  await accept(...Array.from({length: 3}, () => entryAt(Date.now(), {partner: 'acme'})));
  const view = {partner: 'acme', origin: 'own', version: '2.0.0', day: startOfDay(Date.now())};
  await store.addViews([
    {...view, stage: 'began', requests: 20},
    {...view, stage: 'shown', requests: 4},
  ]);
  const page = await get('/', 'viewer');
  assert.match(withoutTags(page), /acme 4 shown, 20 began, 3 sent \(13%\)/);
  assert.match(
    page,
    /aria-label="Page views of 30 days[^"]*The most on a day: 24\. In 7 days: 4 shown, 20 began/,
  );
  assert.equal(page.match(/<rect class="v"/g)?.length, 30, 'a partner without a page view has no bars');
});

test('the audit goes back page by page, and names each entry once, also those of one moment', async (t) => {
  const {get, store} = await begin(t);
  const at = new Date(Date.now() - 60_000);
  const actors = Array.from({length: 250}, (_, index) => `actor-${index}.`);
  for (const actor of actors) {
    const id = `${firstIdAt(at.getTime())}-${randomUUID().slice(14)}`;
    const entry = {id, at: at.toISOString(), actor, action: 'leads show', filter: {}, leads: 0, ids: []};
    await store.addAuditEntry(entry);
  }
  const seen: string[] = [];
  for (let path: string | undefined = '/audit?who=actor-'; path !== undefined;) {
    const page: string = await get(path);
    seen.push(...(page.match(/actor-\d+\./g) ?? []));
    path = /href="(\/audit\?[^"]*)">Older/.exec(page)?.[1]?.replaceAll('&amp;', '&');
  }
  assert.deepEqual(seen.toSorted(), actors.toSorted());
});

test('agents find leads by a choice at a question, which viewers are not offered', async (t) => {
  const choices = ['low', 'high'].map((value) => ({value, en: `Over ${value}`}));
  const asking = {key: 'asking', ask: [{name: 'revenue', label: {en: 'Monthly revenue'}, choices}]};
  const {get, accept} = await begin(t, [asking]);
  const leads = choices.map(({value, en: text}) => {
    const answers = [{name: 'revenue', label: 'Monthly revenue', value, text}];
    return newEntry({partner: 'asking', lead: {...newEntry().lead, answers}});
  });
  await accept(...leads);
  assert.match(await get('/leads', 'agent'), /<option value="revenue=high">Monthly revenue: Over high</);
  const shownTo = async (role: Role) => {
    const page = await get('/leads?answer=revenue%3Dhigh', role);
    return leads.map(({id}) => page.includes(`/leads/${id}`));
  };
  assert.deepEqual(
    [await shownTo('agent'), await shownTo('viewer')],
    [
      [false, true],
      [true, true],
    ],
  );
  assert.doesNotMatch(await get('/leads', 'viewer'), /Monthly revenue/);
});
