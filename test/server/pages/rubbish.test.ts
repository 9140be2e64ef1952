/** Whatever stands in an address or a form, the answer is a page that says what is wrong, and nothing fails. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {routes} from '../../../server/pages/routes.ts';
import {yourRoutes} from '../../../server/pages/you.ts';
import type {Owner} from '../../support/opened.ts';
import {databaseKinds} from '../../support/operator.ts';
import {ownForm, servePages} from '../../support/pages.ts';
import {newEntry, eventTo} from '../../support/sample-leads.ts';

const texts = [
  ...['\0', 'a\0', '\ud800', '\u202e', '%', '-1', '1e999', '__proto__', "' OR 1=1 --", '9'.repeat(30)],
  ...['x'.repeat(3_000), 'x@', `${'y'.repeat(3_000)}@example.com`, '4'.repeat(3_000), '*'.repeat(300)],
  ...['0001-01-01', '-271821-04-20', '+275760-09-12', '+275760-09-13', '9999-12-31', '2026-W48'],
];
const common = ['who', 'said', 'after'];
const pages = ['/', '/destinations', '/audit', '/you'];
const names = ['after', 'partner', 'campaign', 'state', 'time', 'open', 'who', 'said', 'until', 'id'];

for (const {name, postgres, skip} of databaseKinds)
  suite(`rubbish over ${name}`, {skip}, () => {
    async function start(t: Owner) {
      const later = {nextAttemptAt: Date.now() + 3_600_000};
      const entry = newEntry({partner: 'acme', deliveries: [eventTo('hook', later)]});
      const served = await servePages(t, routes, {postgres});
      await served.accept(entry);
      const cookie = await served.sessionOf('admin');
      const get = (path: string) => served.ask(path, {headers: {cookie}});
      const post = (path: string, form: Record<string, string>) =>
        served.ask(path, {method: 'POST', headers: {...ownForm, cookie}, form});
      return {id: entry.id, get, post};
    }

    test('in an address', async (t) => {
      const {get, id} = await start(t);
      for (const text of texts) {
        const encoded = encodeURIComponent(text.toWellFormed());
        const [all = [], some = []] = [names, common].map((list) => list.map((name) => `${name}=${encoded}`));
        const asked = [
          ...all.map((one) => `/leads?${one}`),
          ...pages.map((page) => `${page}?${some.join('&')}`),
        ];
        await Promise.all(
          asked.map(async (path) => {
            const {status} = await get(path);
            assert.ok([200, 303].includes(status), `${status}: ${path}`);
          }),
        );
        for (const path of [`/leads/${encoded}`, `/leads/${id}/${encoded}`, `/leads/${encoded}/retry`])
          assert.equal((await get(path)).status, 404, path);
      }
    });

    test('in a form', async (t) => {
      const {post, id} = await start(t);
      const paths = [...routes, ...yourRoutes]
        .filter(({method}) => method === 'POST')
        .map(({path}) => path.replace(':name', 'hook'));
      const fields = ['q', 'day', 'partner', 'format', 'confirm', 'reason', 'credential', 'session'];
      for (const text of texts) {
        const form = Object.fromEntries(fields.map((field) => [field, text]));
        await Promise.all(
          paths.map(async (path) => {
            const {status} = await post(path.replace(':id', id), form);
            assert.ok(status < 500, `${status}: ${path} with ${text}`);
          }),
        );
        const {status} = await post('/leads/export', {day: '2026-11-27', partner: text});
        assert.equal(status, 200, text);
      }
    });

    test('a lead is changed under each way to write its reference', async (t) => {
      const {get, post, id} = await start(t);
      const written = encodeURIComponent(referenceOf(id).toLowerCase().replace('-', ' '));
      const {text} = await get(`/leads/${written}/retry`);
      const [, confirm = assert.fail()] = /name="confirm" value="([^"]+)"/.exec(text) ?? [];
      const noted = await post(`/leads/${written}/note`, {outcome: 'talked'});
      assert.deepEqual([noted.status, (await get(noted.headers.location ?? '')).status], [303, 200]);
      const {status, headers} = await post(`/leads/${written}/retry`, {confirm});
      assert.equal(status, 303);
      const {location = ''} = headers;
      assert.match((await get(location)).text, /1 delivery due now/);
      // What was encrypted to be said is nobody to look for.
      const said = new URL(location, 'https://x.example').searchParams.get('said');
      const other = await get(`/leads?who=${said}`);
      assert.deepEqual([other.status, other.headers.location], [303, '/leads']);
    });
  });
