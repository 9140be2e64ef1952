/** What each role sees and does on the pages as they are, over a store with a lead whose every value is recognizable. */
import assert from 'node:assert/strict';
import {before, suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import type {Role} from '../../../server/leads/operators.ts';
import {routes} from '../../../server/pages/routes.ts';
import {hookAndUpstream} from '../../support/operator.ts';
import {suiteOwner} from '../../support/opened.ts';
import {ownForm, servePages, type ServedPages} from '../../support/pages.ts';
import {asLead, canaryLead, newEntry, standardBody, eventTo} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const {lead_type: type, ...canaries} = canaryLead;
const lead = asLead({...standardBody, ...canaries, lead_type: type});
const entry = newEntry({lead, partner: 'acme', deliveries: [eventTo('hook', {state: 'held'})]});
const {id} = entry;
/** Name, address, number, notes and funds of the lead, in any way to write them. */
const personal = /canary|415\D*555\D*0199|7,?654,?321|1,?234,?567|5,?432,?101/i;

suite('what a role may see and do', () => {
  let served: ServedPages;
  const owner = suiteOwner();
  const cookies = {} as Record<Role, string>;
  before(async () => {
    served = await servePages(owner, routes, {settings: hookAndUpstream(temporaryFolder(owner))});
    await served.accept(entry);
    for (const role of ['viewer', 'agent', 'admin'] as const)
      cookies[role] = await served.sessionOf(role, role);
    await post('admin', '/destinations/hook/pause');
  });
  const get = (role: Role, path: string) => served.ask(path, {headers: {cookie: cookies[role]}});
  const post = (role: Role, path: string, form: Record<string, string> = {}) =>
    served.ask(path, {method: 'POST', headers: {...ownForm, cookie: cookies[role]}, form});

  test('a viewer sees no name, number or funds at any address', async () => {
    const {location: encrypted = ''} = (await post('agent', '/search', {q: canaryLead.email})).headers;
    assert.match((await get('agent', encrypted)).text, personal);
    const lists = [
      '',
      'none=1',
      'time=today',
      'time=week',
      'partner=acme',
      'state=done',
      'open=held',
      'open=any',
    ];
    const shown = [
      ...[...lists, `after=${'f'.repeat(8)}`, 'campaign=google', 'said=1'].map((query) => `/leads?${query}`),
      ...[encrypted, '/', `/leads/${id}`, `/leads/${referenceOf(id)}`, '/destinations', '/you'],
    ];
    for (const path of shown) {
      const {status, text} = await get('viewer', path);
      assert.ok([200, 303].includes(status), `${status}: ${path}`);
      assert.doesNotMatch(text, personal, path);
    }
  });

  test("a viewer's search for a person is answered as one for nobody", async () => {
    const found = async (q: string) => {
      const {status, text, headers} = await post('viewer', '/search', {q});
      return [status, text, headers.location];
    };
    const nobody = await found('nobody@example.net');
    const searches = [
      ...['4155550199', '(415) 555-0199', '+1 415 555 0199', '0199', 'Canaryfirst Canarylast', 'Canarylast'],
      ...['canary-notes', canaryLead.email, canaryLead.email.toUpperCase()],
    ];
    for (const q of searches) assert.deepEqual(await found(q), nobody, q);
    assert.equal((await found(referenceOf(id)))[2], `/leads/${id}`);
  });

  test('the audit marks a lead that a link of another site has opened', async () => {
    const path = `/leads/${id}`;
    const link = {'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document'};
    const filters = async () =>
      (await served.store.auditEntries({who: 'agent', lead: id}, 9)).map(({filter}) => filter);
    await get('agent', path);
    assert.deepEqual((await filters())[0], {});
    const {text} = await served.ask(path, {headers: link});
    const [, next = assert.fail()] = /content="0;url=([^"]*)"/.exec(text) ?? [];
    await get('agent', next);
    assert.deepEqual((await filters())[0], {from: 'another site'}, 'also soon after a look of their own');
    // From a sibling host the cookie comes along at once.
    const cookie = await served.sessionOf('agent', 'agent Ben');
    await served.ask(path, {headers: {...link, 'sec-fetch-site': 'same-site', cookie}});
    assert.deepEqual((await filters())[0], {from: 'another site'});
    assert.match((await get('admin', '/audit')).text, /opened a lead<small>by a link of another site/);
  });
});
