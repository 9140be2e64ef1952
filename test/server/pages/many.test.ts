/** Many leads of the list at once: chosen, one plan for all, and done. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import type {Role} from '../../../server/leads/operators.ts';
import {routes} from '../../../server/pages/routes.ts';
import {writeConfig} from '../../support/config-file.ts';
import {databaseKinds} from '../../support/operator.ts';
import {ownForm, servePages} from '../../support/pages.ts';
import {entryAt, eventTo} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {newSecret} from '../../support/webhook-receiver.ts';

const held = (count: number) =>
  Array.from({length: count}, (_, index) =>
    entryAt(Date.now() - index * 1_000, {suspect: 'trap', deliveries: [eventTo('crm', {state: 'held'})]}),
  );

async function begin(t: TestContext, postgres: boolean, count: number) {
  const crm = {type: 'webhook', url: 'http://127.0.0.1:9/', credentials: 'CRM'};
  const settings = {
    CONFIG_FILE: writeConfig(temporaryFolder(t), [{send_to: ['crm']}], {crm}),
    CREDENTIALS_CRM_SECRET: newSecret(),
  };
  const served = await servePages(t, routes, {settings, postgres});
  await served.accept(...held(count));
  const as = async (role: Role) => {
    const headers = {...ownForm, cookie: await served.sessionOf(role)};
    return {
      get: async (path: string) => (await served.ask(path, {headers})).text,
      post: (path: string, fields: readonly (readonly [string, string])[]) =>
        served.ask(path, {method: 'POST', headers, form: fields.map(([field, value]) => [field, value])}),
    };
  };
  const states = async () =>
    (await served.select('SELECT state FROM deliveries')).map(({state}) => String(state)).toSorted();
  return {...served, as, states};
}
const chosenIn = (page: string) =>
  [...page.matchAll(/class="choice"[^>]*?value="([^"]+)"[^>]*?checked/g)].map(
    ([, id = '']) => ['lead', id] as const,
  );
const confirmIn = (page: string) =>
  ['confirm', /name="confirm" value="([^"]+)"/.exec(page)?.[1] ?? ''] as const;

for (const {name, postgres, skip} of databaseKinds)
  suite(`many leads at once over ${name}`, {skip}, () => {
    test('a wave of 200 that is held goes out after one plan', async (t) => {
      const {as, states} = await begin(t, postgres, 200);
      const {get, post} = await as('agent');
      assert.match(await get('/leads?open=held'), /Choose<\/a>/);
      assert.deepEqual(chosenIn(await get('/leads?open=held&choose=1')), []);
      const leads = chosenIn(await get('/leads?open=held&all=1'));
      assert.equal(leads.length, 200);
      const {text} = await post('/leads/many/release', leads);
      assert.match(text, /Send it on: 200 leads/);
      assert.deepEqual(new Set(await states()), new Set(['held']), 'a plan changes nothing');
      const {headers} = await post('/leads/many/release', [...leads, confirmIn(text)]);
      assert.match(await get(headers.location ?? ''), /Done for 200 leads/);
      assert.deepEqual(new Set(await states()), new Set(['waiting']));
    });

    test('what has changed meanwhile is planned anew, and what cannot be done is left out', async (t) => {
      const {as, states, store} = await begin(t, postgres, 3);
      const {get, post} = await as('admin');
      const leads = chosenIn(await get('/leads?all=1'));
      const {text} = await post('/leads/many/drop', leads);
      const [[, first] = ['', '']] = leads;
      await store.retryDeliveries(Date.now(), {lead: first, state: 'held'});
      await post('/leads/many/drop', [...leads, confirmIn(text)]);
      assert.deepEqual(await states(), ['held', 'held', 'waiting']);
      const again = (await post('/leads/many/release', leads)).text;
      assert.match(again, /Left out: 1 lead\. Nothing of it is held/);
      await post('/leads/many/release', [...leads, confirmIn(again)]);
      assert.deepEqual(await states(), ['waiting', 'waiting', 'waiting']);
    });

    test('what came to nothing meanwhile is said once for all of them', async (t) => {
      const {as, store} = await begin(t, postgres, 40);
      const {get, post} = await as('agent');
      const leads = chosenIn(await get('/leads?open=held&all=1'));
      const {text} = await post('/leads/many/release', leads);
      let left = 10;
      const {retryDeliveries} = store;
      store.retryDeliveries = (...given) => (left-- > 0 ? retryDeliveries(...given) : Promise.resolve(0));
      const {headers} = await post('/leads/many/release', [...leads, confirmIn(text)]);
      const said = await get(headers.location ?? assert.fail('no page'));
      assert.match(said, /Done for 10 leads, and not for 30 leads:/);
      assert.equal(said.match(/No such delivery/g)?.length, 1);
    });

    test('erasing takes all that belongs to them; who may not do it finds no such page', async (t) => {
      const {as, select, store} = await begin(t, postgres, 3);
      const {get, post} = await as('admin');
      const leads = chosenIn(await get('/leads?all=1'));
      const [, [, kept] = ['', '']] = leads;
      await store.keepForLaw({lead: kept, until: Date.now() + 1e9, reason: 'case 12', enteredAt: 1});
      const {text} = await post('/leads/many/erase', leads);
      assert.match(text, /Erase 3 leads for ever, although 1 of them is kept for a lawsuit\./);
      assert.match(text, new RegExp(`${referenceOf(kept)}</span>[^]{0,80}kept for: case 12`));
      await post('/leads/many/erase', [...leads, confirmIn(text)]);
      assert.equal((await select('SELECT id FROM leads WHERE erased_at IS NULL')).length, 0);
      assert.equal((await (await as('agent')).post('/leads/many/erase', leads)).status, 404);
      const viewer = await as('viewer');
      assert.equal((await viewer.post('/leads/many/release', leads)).status, 404);
      assert.doesNotMatch(await viewer.get('/leads?all=1'), /class="choice"|>Choose/);
    });
  });
