/** When a destination counts as one that refuses everything, and for whom that is to be seen. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {DestinationSettings} from '../../../server/config/destinations.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {countConsecutiveFailures} from '../../../server/destinations/consecutive-failures.ts';
import {emailSettings} from '../../support/email-settings.ts';
import {sentLead} from '../../support/embed-client.ts';
import {refusal, startMailServer} from '../../support/mail-server.ts';
import {openFor} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {listedOrigin, startTestServer} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

const hour = 3_600_000;

/** `performance.now()`, which the test moves. */
function stopwatch(t: TestContext) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  return (milliseconds: number) => void (now += milliseconds);
}

function start() {
  const states: string[] = [];
  const failures = countConsecutiveFailures('crm', (event) => {
    if (event.type === 'destination-replies') states.push(event.state);
  });
  return {
    states,
    state: () => failures.state(),
    refuse: (...leads: string[]) => leads.forEach((lead) => failures.record('refused', lead, 'the reason')),
    deliver: () => failures.record('delivered', 'another', null),
  };
}

suite('a destination that refuses leads', () => {
  test('two leads are enough where nothing else was delivered for a day', (t) => {
    const pass = stopwatch(t);
    const {state, refuse, deliver, states} = start();
    refuse('1');
    pass(23 * hour);
    refuse('2', '1');
    assert.equal(state(), 'ok');
    pass(hour);
    assert.equal(state(), 'refusing');
    refuse('2');
    assert.deepEqual(states, ['refusing'], 'the log says it at the next refusal');
    deliver();
    assert.equal(state(), 'ok');
    assert.deepEqual(states, ['refusing', 'ok']);
  });
  test('one lead that is refused for a day says nothing about the destination', (t) => {
    const pass = stopwatch(t);
    const {state, refuse} = start();
    refuse('1');
    pass(48 * hour);
    refuse('1');
    assert.equal(state(), 'ok');
  });
});

async function refusingServer(t: TestContext, settings: DestinationSettings) {
  return openFor(
    t,
    startTestServer(
      {
        destinations: new Map([['sales', settings]]),
        partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['sales']})],
      },
      quickTimings,
    ),
  );
}

suite('health says that a destination refuses everything', () => {
  test('health is degraded when a webhook answers 422 to every lead, and ok when it takes one', async (t) => {
    const receiver = await openFor(t, startWebhookReceiver(replyWith(422)));
    const server = await refusingServer(t, receiver.settings);
    const isDegraded = async () => (await (await server.fetch('/health')).text()).includes('degraded');
    for (let count = 0; count < 4; count += 1) await sentLead(server);
    await receiver.hasReceived(12);
    assert.equal(await isDegraded(), false);
    await sentLead(server);
    await until(isDegraded);
    assert.equal(server.logLines.filter((line) => line.includes('refuses every lead')).length, 1);
    receiver.answerWith(replyWith(204));
    await until(async () => !(await isDegraded()));
  });
  test('health is degraded when a mail server answers 554 to every e-mail', async (t) => {
    const mail = await openFor(
      t,
      startMailServer({
        onData: (stream, _session, callback) => void stream.resume().on('end', () => callback(refusal(554))),
      }),
    );
    const server = await refusingServer(t, emailSettings(`smtp://127.0.0.1:${mail.port}`));
    const isDegraded = async () => (await (await server.fetch('/health')).text()).includes('degraded');
    for (let count = 0; count < 5; count += 1) await sentLead(server);
    await until(isDegraded);
  });
});
