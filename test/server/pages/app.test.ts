/** How pages, errors and downloads reach a browser, and which accesses are noted. */
import assert from 'node:assert/strict';
import {randomUUIDv7} from 'node:crypto';
import {once} from 'node:events';
import {get, request as httpRequest, type IncomingMessage} from 'node:http';
import {suite, test} from 'node:test';
import {brotliDecompressSync, gunzipSync} from 'node:zlib';
import {Refusal} from '../../../server/admin/admin.ts';
import {html} from '../../../server/html/html.ts';
import type {AuditEntry} from '../../../server/leads/audit.ts';
import {roles} from '../../../server/leads/operators.ts';
import {StoreUnavailable} from '../../../server/leads/store-errors.ts';
import {createAccessLog} from '../../../server/pages/access-log.ts';
import {saying} from '../../../server/pages/layout.ts';
import {routes} from '../../../server/pages/routes.ts';
import type {Reply, Route, Visit} from '../../../server/pages/visit.ts';
import type {Owner} from '../../support/opened.ts';
import {ownForm, ownHost, pagesUrl, servePages, type Ask} from '../../support/pages.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {until} from '../../support/until.ts';

const page = (
  path: string,
  run: (visit: Visit) => Reply | Promise<Reply>,
  method: Route['method'] = 'GET',
) => ({...{method, path, roles, action: 'leads list'}, run: async (visit: Visit) => run(visit)});

const withoutPadding = (text: string) => text.replace(/<!--[\w+/]*=*-->$/, '');

/** Serves pages to somebody who is signed in. */
async function start(t: Owner, ...routes: Route[]) {
  const served = await servePages(t, routes);
  const headers = {cookie: await served.sessionOf('agent', 'Ana')};
  const ask = async (path: string, more: Record<string, string> = {}, asked: Ask = {}) => {
    const answer = await served.ask(path, {headers: {...headers, ...more}, ...asked});
    return {...answer, text: withoutPadding(answer.text)};
  };
  const post = (path: string) =>
    served.ask(path, {method: 'POST', headers: {...headers, ...ownForm}, form: {}});
  return {...served, ask, post, headers};
}

test('a page is compressed as the browser asks for, and caches can tell the copies apart', async (t) => {
  const text = 'Leads '.repeat(1_000);
  const long = page('/', () => ({page: html`${text}`}));
  const {ask} = await start(t, long);
  const decoders = {br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body};
  for (const [encoding, decode] of Object.entries(decoders)) {
    const {headers, body} = await ask('/', {'accept-encoding': encoding});
    assert.equal(headers['content-encoding'] ?? 'identity', encoding);
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(withoutPadding(decode(body).toString()), text);
    assert.ok(body.length < 600 || encoding === 'identity');
  }
  assert.equal((await ask('/', {'accept-encoding': 'gzip, br;q=0'})).headers['content-encoding'], 'gzip');
});

test('the length of a compressed page says little about what stands on it', async (t) => {
  const {ask} = await start(
    t,
    page('/', ({query}) => ({
      page: html`<p>Jane Doe, 202-555-0142</p>
        ${query['q'] ?? ''}`,
    })),
  );
  const lengthOf = async (q: string) => (await ask(`/?q=${q}`, {'accept-encoding': 'br'})).body.length;
  const [right, wrong] = [new Set<number>(), new Set<number>()];
  for (let time = 0; time < 40; time += 1) {
    right.add(await lengthOf('202-555-0142'));
    wrong.add(await lengthOf('917-888-3639'));
  }
  assert.ok(Math.max(...right) > Math.min(...wrong) + 50, 'the one with a repetition may be longer');
  assert.ok(right.size > 10);
});

test('what is asked and sent holds no sign that a database would refuse', async (t) => {
  const seen: object[] = [];
  const {ask, sessionOf} = await start(
    t,
    page('/a/:id', ({query}) => (seen.push(query), {page: html`a`})),
    page('/b', ({form}) => (seen.push(Object.fromEntries(form)), {page: html`b`}), 'POST'),
  );
  assert.equal((await ask('/a/%00?who=%00&time=to%00day')).status, 200);
  const headers = {...ownForm, cookie: await sessionOf('agent')};
  await ask('/b', {}, {method: 'POST', headers, form: {reason: 'a\0b'}});
  assert.deepEqual(seen, [{time: 'today'}, {reason: 'ab'}]);
});

test('a form that comes slowly changes nothing if the session has ended meanwhile', async (t) => {
  let changes = 0;
  const change = () => ((changes += 1), {to: '/'});
  const {port, store, sessionOf, ask} = await start(
    t,
    page('/', () => ({page: html`a`})),
    page('/change', change, 'POST'),
  );
  const cookie = await sessionOf('admin', 'Eve');
  const headers = {...ownForm, host: ownHost, cookie, expect: '100-continue', 'content-length': 3};
  const type = {'content-type': 'application/x-www-form-urlencoded'};
  const slow = httpRequest({port, path: '/change', method: 'POST', headers: {...headers, ...type}});
  slow.flushHeaders();
  await once(slow, 'continue');
  await ask('/');
  const eve = (await store.operators(Date.now())).find(({name}) => name === 'Eve');
  await store.revokeOperator(eve?.id ?? assert.fail(), Date.now());
  slow.end('a=1');
  const [response] = (await once(slow, 'response')) as [IncomingMessage];
  response.resume();
  assert.deepEqual(
    [response.statusCode, response.headers.location, changes],
    [303, '/sign-in?next=%2Fchange&unchanged=1', 0],
  );
});

test('what is said after a change is cut where its address would be too long', async (t) => {
  const said: (string | undefined)[] = [];
  const {ask, post} = await start(
    t,
    page('/', ({query, decrypt}) => (said.push(decrypt(query['said'] ?? '')), {page: html`a`})),
    page('/few', (visit) => saying(visit, '/', 'Done.'), 'POST'),
    page('/many', (visit) => saying(visit, '/', {failed: `Nie: ${'Ł'.repeat(900)}`}), 'POST'),
  );
  for (const path of ['/few', '/many']) {
    const {status, headers} = await post(path);
    assert.equal(status, 303, path);
    await ask(headers.location ?? '');
  }
  assert.equal(said[0], 'Done.');
  assert.match(said[1] ?? '', /^Nie: Ł{500,}…$/);
});

test('a visit has what was asked once, and decrypts what was encrypted in the same session', async (t) => {
  const seen: Visit['query'][] = [];
  const {ask, sessionOf, observations} = await start(
    t,
    page('/leads/:id', ({query, encrypt, decrypt}) => {
      seen.push(query);
      return {page: html`${encrypt('jane@example.com')} ${decrypt(query['who'] ?? '') ?? 'closed'}`};
    }),
  );
  const {text} = await ask('/leads/7?id=8&time=today&twice=1&twice=2&none=');
  assert.deepEqual(seen, [{id: '7', time: 'today'}]);
  const [encrypted = ''] = text.split(' ');
  assert.match((await ask(`/leads/7?who=${encrypted}`)).text, / jane@example\.com$/);
  const other = {cookie: await sessionOf('admin')};
  assert.match((await ask(`/leads/7?who=${encrypted}`, other)).text, / closed$/);
  assert.equal(observations.filter(({type}) => type === 'request-failed').length, 0);
});

test('an error is a page in words, which says nothing of what only the log may say', async (t) => {
  const refusal = new Refusal('Two leads begin so: <b>', 'conflict', ['K7QM <i>']);
  const rows: [error: Error, status: number, words: RegExp][] = [
    [new Refusal('No lead has this id', 'unknown'), 404, /No lead has this id/],
    [refusal, 409, /Two leads begin so: &lt;b&gt;[^]*<li>K7QM &lt;i&gt;<\/li>/],
    [new StoreUnavailable(new Error('password of the database')), 503, /The store cannot be asked/],
    [new Error('password of the database'), 500, /The log of these pages says why/],
  ];
  const routes = rows.map(([error], index) => page(`/${index}`, () => Promise.reject(error)));
  const away = page('/away', () => ({to: '//evil.example'}));
  const {ask, observations} = await start(t, ...routes, away);
  for (const [index, [, status, words]] of rows.entries()) {
    const answer = await ask(`/${index}`);
    assert.equal(answer.status, status);
    assert.match(answer.text, words);
    assert.doesNotMatch(answer.text, /password|node_modules|\.ts:/);
  }
  // A plan that has changed while somebody signed in again: the way back is not that to the sign-in.
  const backFrom = async (path: string, page: string) =>
    /href="([^"]*)">Back</.exec((await ask(path, {referer: pagesUrl + page})).text)?.[1];
  assert.equal(await backFrom('/leads/7/revoke', '/sign-in?next=%2Fleads%2F7%2Frevoke'), '/leads/7');
  assert.equal(await backFrom('//evil.example/7', '/sign-in'), undefined);
  assert.equal(await backFrom('/0', '/leads?time=today'), '/leads');
  assert.equal((await ask('/away')).status, 500);
  const failed = ['store-unavailable', 'request-failed', 'request-failed'];
  const types = observations.map(({type}) => type).filter((type) => failed.includes(type));
  assert.deepEqual(types, failed);
});

test('a plan names the person, but neither the title of its page nor an address does', async (t) => {
  const {ask, accept, sessionOf} = await servePages(t, routes);
  const entry = newEntry();
  await accept(entry);
  const path = `/leads/${entry.id}/revoke`;
  const {text} = await ask(path, {headers: {cookie: await sessionOf('agent')}});
  assert.match(text, /<h1>Stop calls: <bdi>Jane Doe<\/bdi>, \w{4}-\w{4}<\/h1>/);
  assert.match(text, /<title>Stop calls: \w{4}-\w{4}/);
  assert.doesNotMatch([...text.matchAll(/(?:href|action)="[^"]*"/g)].join(), /jane|doe/i);
  assert.equal((await ask(path, {headers: {cookie: await sessionOf('viewer')}})).status, 404);
});

suite('a download', () => {
  const download = (parts: AsyncIterable<string>): Reply => ({
    download: parts,
    name: 'leads 27.csv',
    type: 'text/csv',
  });
  async function* refused(): AsyncGenerator<string> {
    await Promise.reject(new Refusal('There are no leads of that day'));
    yield '';
  }
  async function* broken(): AsyncGenerator<string> {
    yield 'one\n';
    await Promise.reject(new Error('the disk'));
  }

  test('has a name, and is refused with a page before its first part, and cut off after it', async (t) => {
    async function* whole() {
      for (const part of ['one\n', 'two\n']) yield await Promise.resolve(part);
    }
    const {ask} = await start(
      t,
      ...[whole, refused, broken].map((parts) => page(`/${parts.name}`, () => download(parts()))),
    );
    const {text, headers} = await ask('/whole');
    assert.equal(text, 'one\ntwo\n');
    assert.match(headers['content-type'] ?? '', /^text\/csv/);
    assert.equal(headers['content-disposition'], 'attachment; filename="leads 27.csv"');
    assert.match((await ask('/refused')).text, /There are no leads of that day/);
    await assert.rejects(ask('/broken'), {code: 'ECONNRESET'});
  });

  test('is made no faster than it is read, and ends when the browser leaves', async (t) => {
    let [made, ended] = [0, false];
    async function* endless() {
      try {
        for (;;) {
          made += 1;
          yield await Promise.resolve('x'.repeat(64 * 1024));
        }
      } finally {
        ended = true;
      }
    }
    const {port, headers} = await start(
      t,
      page('/endless', () => download(endless())),
    );
    const request = get({port, path: '/endless', headers: {host: ownHost, ...headers}});
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    let [before, looks] = [0, 0];
    await until(() => {
      looks = made === before ? looks + 1 : 0;
      before = made;
      return looks > 20;
    }, 'no more is made');
    assert.ok(made < 1_000 && !ended, `${made} parts`);
    request.destroy();
    await until(() => ended);
  });
});

suite('notes of accesses', () => {
  const minute = 60_000;
  /** @returns what is noted, as the last state of each entry */
  function begin() {
    let now = 0;
    const entries = new Map<string, AuditEntry>();
    const addAuditEntry = (entry: AuditEntry) => {
      entries.set(entry.id, structuredClone(entry));
      return Promise.resolve();
    };
    const accessLog = createAccessLog(() => now);
    const by = {actor: 'operator Ana', action: 'leads list'};
    return {
      noteAccess: (page: object | undefined, ids: string[], who = by) =>
        accessLog.of({addAuditEntry}, who, page)({}, ids),
      pass: (milliseconds: number) => (now += milliseconds),
      noted: () => [...entries.values()],
    };
  }

  test('of the same page are one for a quarter of an hour, which names all leads that were seen', async () => {
    const {noteAccess, pass, noted} = begin();
    await noteAccess({time: 'today'}, ['a']);
    pass(14 * minute);
    await noteAccess({time: 'today'}, ['b', 'a']);
    const [{ids, leads} = assert.fail(), ...others] = noted();
    assert.deepEqual([ids, leads, others], [['a', 'b'], 2, []]);
    pass(2 * minute);
    await noteAccess({time: 'today'}, ['b']);
    assert.equal(noted().length, 2);
  });

  test('of another page, by somebody else, or by what changes something, are others', async () => {
    const {noteAccess, noted} = begin();
    const [list, ben] = [{time: 'today'}, {actor: 'operator Ben', action: 'leads list'}];
    await noteAccess(list, ['a']);
    await noteAccess({...list, after: 'a'}, ['b']);
    await noteAccess(list, ['a'], ben);
    await noteAccess(list, ['a'], {...ben, action: 'leads export'});
    await noteAccess(undefined, ['a']);
    await noteAccess(undefined, ['a']);
    assert.equal(noted().length, 6);
  });

  test('name every lead that was shown, however many come and go on a page that stays open', async () => {
    const {noteAccess, noted} = begin();
    const all = Array.from({length: 180}, () => randomUUIDv7());
    for (let at = 0; at + 50 <= all.length; at += 10) await noteAccess({}, all.slice(at, at + 50));
    assert.deepEqual(new Set(noted().flatMap(({ids}) => ids)), new Set(all));
  });

  test('name every lead that was shown by pages at the same time, also if the store is slow', async () => {
    const entries = new Map<string, AuditEntry>();
    let writes = 0;
    // The first ones take the longest.
    const addAuditEntry = async (entry: AuditEntry) => {
      const copy = structuredClone(entry);
      for (let turn = 20 * ++writes; turn < 200; turn += 1) await Promise.resolve();
      entries.set(entry.id, copy);
    };
    const accessLog = createAccessLog();
    const all = Array.from({length: 8}, () => Array.from({length: 10}, () => randomUUIDv7()));
    const noteAccess = (ids: string[]) =>
      accessLog.of({addAuditEntry}, {actor: 'operator Ana', action: 'leads list'}, {})({}, ids);
    await noteAccess([]);
    await Promise.all(all.map(noteAccess));
    assert.deepEqual(new Set([...entries.values()].flatMap(({ids}) => ids)), new Set(all.flat()));
  });
});
