/** Looking up the names of destinations: what is asked for, what is kept, and which name waits for which. */
import assert from 'node:assert/strict';
import type {LookupAddress} from 'node:dns';
import {suite, test, type TestContext} from 'node:test';
import {NotTried} from '../../../server/destinations/breaker.ts';
import type {Destination} from '../../../server/destinations/destination.ts';
import {createEmail} from '../../../server/destinations/email/email.ts';
import {createLeadApi} from '../../../server/destinations/lead-api/lead-api.ts';
import {createLookups, LookupTooSlow, type Lookup} from '../../../server/destinations/lookups.ts';
import {createWebhook} from '../../../server/destinations/webhook/webhook.ts';
import {openFor} from '../../support/opened.ts';
import {failureOf} from '../../support/delivery-failure.ts';
import {emailSettings} from '../../support/email-settings.ts';
import {leadApi, upstreamAccess} from '../../support/fake-upstream.ts';
import {eventRequest} from '../../support/sample-events.ts';
import {keyOf, newSecret} from '../../support/webhook-receiver.ts';

/** Milliseconds. */
const [limit, fresh, usable] = [5_000, 60_000, 600_000];

const at = (address: string): LookupAddress[] => [{address, family: 4}];
const away = Object.assign(new Error('no DNS server answers'), {code: 'EAI_AGAIN'});

/** Look-ups with a resolver that answers when the test says so. */
function start(t: TestContext, share = 4) {
  t.mock.timers.enable({apis: ['setTimeout']});
  let time = 0;
  const asked: string[] = [];
  const open = new Map<string, PromiseWithResolvers<LookupAddress[]>>();
  const ask: Lookup = (host) => {
    asked.push(host);
    open.set(host, Promise.withResolvers());
    return open.get(host)!.promise;
  };
  /** Ends a look-up that runs, and lets all who wait for it go on. */
  const answerWith = async (host: string, answer: LookupAddress[] | Error) => {
    const {resolve, reject} = open.get(host)!;
    open.delete(host);
    if (answer instanceof Error) reject(answer);
    else resolve(answer);
    await settled();
  };
  return {
    lookUp: createLookups(ask, share, () => time),
    asked,
    running: () => [...open.keys()],
    answerWith,
    wait: (milliseconds: number) => {
      time += milliseconds;
      t.mock.timers.tick(milliseconds);
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

suite('looking up names of destinations', () => {
  test('a name that many connections wait for is asked for once', async (t) => {
    const {lookUp, asked, answerWith} = start(t);
    const found = Promise.all(Array.from({length: 16}, () => lookUp('crm.example')));
    await answerWith('crm.example', at('192.0.2.1'));
    assert.deepEqual(new Set((await found).flat().map(({address}) => address)), new Set(['192.0.2.1']));
    assert.deepEqual(asked, ['crm.example']);
  });

  test('an answer is used for a minute without asking again', async (t) => {
    const {lookUp, asked, answerWith, wait} = start(t);
    const first = lookUp('crm.example');
    await answerWith('crm.example', at('192.0.2.1'));
    assert.deepEqual(await first, at('192.0.2.1'));
    wait(fresh - 1);
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.1'));
    assert.equal(asked.length, 1);
  });

  test('after a minute the last answer is used until the newer one is there', async (t) => {
    const {lookUp, asked, answerWith, wait} = start(t);
    void lookUp('crm.example');
    await answerWith('crm.example', at('192.0.2.1'));
    wait(fresh);
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.1'));
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.1'));
    assert.equal(asked.length, 2);
    await answerWith('crm.example', at('192.0.2.2'));
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.2'));
    assert.equal(asked.length, 2);
  });

  test('while a name cannot be looked up, its last answer is used for ten minutes, and not longer', async (t) => {
    const {lookUp, answerWith, wait} = start(t);
    void lookUp('crm.example');
    await answerWith('crm.example', at('192.0.2.1'));
    wait(usable - 1);
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.1'));
    await answerWith('crm.example', away);
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.1'));
    await answerWith('crm.example', away);
    wait(1);
    const late = assert.rejects(lookUp('crm.example'), away);
    await answerWith('crm.example', away);
    await late;
  });

  test('a name that could not be looked up is asked for again by the next connection', async (t) => {
    const {lookUp, answerWith} = start(t);
    const failed = assert.rejects(lookUp('crm.example'), away);
    await answerWith('crm.example', away);
    await failed;
    const found = lookUp('crm.example');
    await answerWith('crm.example', at('192.0.2.1'));
    assert.deepEqual(await found, at('192.0.2.1'));
  });

  test('a name that takes too long fails after five seconds, and is not asked for twice meanwhile', async (t) => {
    const {lookUp, asked, answerWith, wait} = start(t);
    const first = assert.rejects(lookUp('slow.example'), LookupTooSlow);
    wait(limit);
    await first;
    const second = assert.rejects(lookUp('slow.example'), LookupTooSlow);
    wait(limit);
    await second;
    assert.deepEqual(asked, ['slow.example']);
    await answerWith('slow.example', at('192.0.2.1'));
    assert.deepEqual(await lookUp('slow.example'), at('192.0.2.1'));
  });

  test('a slow name holds its thread until it is answered, and another one then gets that thread', async (t) => {
    const {lookUp, running, answerWith, wait} = start(t, 2);
    const failures = ['slow-1.example', 'slow-2.example'].map((name) =>
      assert.rejects(lookUp(name), LookupTooSlow),
    );
    wait(limit);
    await Promise.all(failures);
    const found = lookUp('crm.example');
    assert.deepEqual(running(), ['slow-1.example', 'slow-2.example']);
    await answerWith('slow-1.example', away);
    assert.deepEqual(running(), ['slow-2.example', 'crm.example']);
    await answerWith('crm.example', at('192.0.2.1'));
    assert.deepEqual(await found, at('192.0.2.1'));
  });

  test('a name that gets no thread in five seconds counts as not tried', async (t) => {
    const {lookUp, running, wait} = start(t, 1);
    const slow = assert.rejects(lookUp('slow.example'), LookupTooSlow);
    const waits = assert.rejects(lookUp('crm.example'), NotTried);
    wait(limit);
    await Promise.all([slow, waits]);
    assert.deepEqual(running(), ['slow.example']);
  });

  test('a name that gets no thread has its last answer', async (t) => {
    const {lookUp, answerWith, wait} = start(t, 1);
    void lookUp('crm.example');
    await answerWith('crm.example', at('192.0.2.1'));
    wait(fresh);
    const slow = assert.rejects(lookUp('slow.example'), LookupTooSlow);
    assert.deepEqual(await lookUp('crm.example'), at('192.0.2.1'));
    wait(limit);
    await slow;
  });
});

const rejecting =
  (error: Error): Lookup =>
  () =>
    Promise.reject(error);

/** A destination of each kind, at a host with a name. */
const kinds: Record<string, (lookup: Lookup) => Destination> = {
  webhook: (lookup) => {
    const settings = {secrets: [keyOf(newSecret())], isInternal: false};
    return createWebhook({type: 'webhook', url: 'https://crm.example/', ...settings}, 5_000, {lookup});
  },
  'lead-api': (lookup) =>
    createLeadApi({...leadApi, ...upstreamAccess, url: 'https://lender.example/'}, 5_000, {lookup}),
  email: (lookup) => createEmail(emailSettings('smtps://mail.example'), 5_000, {lookup}),
};

for (const [kind, create] of Object.entries(kinds)) {
  const failWith = async (t: TestContext, error: Error) => {
    const destination = await openFor(t, create(rejecting(error)));
    const content = kind === 'lead-api' ? 'lead' : 'created';
    return destination.deliver({...eventRequest({}, content), attempts: 9});
  };

  test(`a ${kind} whose host cannot be looked up in time says so, and all its leads wait`, async (t) => {
    const failure = await failureOf(failWith(t, new LookupTooSlow()));
    assert.match(failure.message, /^The address of the .* could not be found in time/);
    assert.equal(failure.fault, 'failed');
    assert.equal(failure.aboutLead, false);
  });

  test(`a ${kind} whose host could not be looked up because of other hosts counts as not tried`, async (t) => {
    const notTried = new NotTried('no thread');
    await assert.rejects(failWith(t, notTried), (error) => error === notTried);
  });
}
