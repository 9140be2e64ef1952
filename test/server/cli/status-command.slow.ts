/** `lead-prequal status`: one screen for an operator, and an exit status for a monitor. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {Status} from '../../../server/admin/status.ts';
import {sendLead, somebody} from '../../support/embed-client.ts';
import {openFor} from '../../support/opened.ts';
import {linesOf, operate, runCommand} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin, otherOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

/** A server whose partner acme sends its leads to the webhook crm. */
async function start(t: TestContext) {
  const crm = await openFor(t, startWebhookReceiver());
  const folder = temporaryFolder(t);
  const destinations = {crm: {type: 'webhook', url: crm.settings.url, credentials: 'CRM'}};
  const settings = {
    CONFIG_FILE: writeConfig(folder, [{send_to: ['crm']}], destinations),
    CREDENTIALS_CRM_SECRET: crm.secret,
  };
  const operated = await operate(t, [], {settings});
  const server = await operated.serve();
  const send = (origin = listedOrigin) => sendLead(server, somebody(), {origin});
  const status = async () => {
    const ran = await operated.run('status', '--json');
    return {code: ran.code, ...(linesOf<Status>(ran)[0] ?? assert.fail())};
  };
  return {...operated, crm, server, send, status};
}

test('a server that works has status 0, and its destinations and partners are listed', async (t) => {
  const {run, send, status} = await start(t);
  await send();
  await until(async () => (await status()).destinations[0]?.last_success_at !== null);
  const seen = await status();
  assert.equal(seen.code, 0);
  assert.partialDeepStrictEqual(seen, {
    status: 'ok',
    server: 'ok',
    findings: [],
    destinations: [{destination: 'crm', state: 'ok', since: null, waiting: 0, late_seconds: 0}],
    partners: [{partner: 'acme', leads_today: 1, leads_yesterday: 0, refusals: 0, silent: false}],
  });
  const screen = await run('status');
  assert.equal(screen.code, 0);
  assert.match(
    screen.stdout,
    /^· Nobody is told of the leads that callers send.*\n· Nobody may call .*\n· Leads of callers, acme are kept for ever.*\n\nserver +ok\n/,
  );
  assert.match(screen.stdout, /^configuration +[0-9a-f]{12}, since .+, in \S+:\d+$/m);
  assert.match(screen.stdout, /^crm +ok /m);
  assert.match(screen.stdout, /^acme +1 +0 .* \(\d+ s\)$/m);
  assert.equal(screen.stderr, '');
});

test('a destination that has failed one lead has status 1: since when, why, and how many wait', async (t) => {
  const {crm, run, send, status} = await start(t);
  crm.answerWith(replyWith(503));
  const begun = Date.now();
  await send();
  await until(async () => (await status()).destinations[0]?.last_error !== null);
  const seen = await status();
  assert.equal(seen.code, 1);
  assert.partialDeepStrictEqual(seen, {
    status: 'degraded',
    // The circuit breaker waits for more failures.
    server: 'ok',
    destinations: [{destination: 'crm', state: 'failing', waiting: 1, last_success_at: null}],
  });
  assert.ok(Date.parse(seen.destinations[0]?.since ?? '') >= begun);
  assert.match(seen.findings[0]?.text ?? '', /^crm is failing since .* answered 503/);
  const screen = await run('status');
  assert.equal(screen.code, 1);
  assert.match(
    screen.stdout,
    /^! crm is failing since [\d:]+ [AP]M \(\d+ s\), and 1 delivery is waiting: .*503/,
  );

  crm.answerWith(replyWith(204));
  await until(async () => (await status()).code === 0);
});

test('a circuit breaker that had nothing to send since others delivered all is no finding', async (t) => {
  const {admin, send, status} = await start(t);
  await send();
  await until(async () => (await status()).destinations[0]?.['last_success_at'] !== null);
  const {store} = await admin();
  const [running = assert.fail()] = await store.processes(0);
  const opened = {destination: 'crm', state: 'failing', since: Date.now() - 3_600_000} as const;
  await store.report({...running, id: 'another', destinations: [{...opened, deliveredAt: undefined}]});
  assert.partialDeepStrictEqual(await status(), {code: 0, destinations: [{state: 'ok', since: null}]});
});

test('refusals and what the circuit breaker thinks are said', async (t) => {
  const {crm, send, status} = await start(t);
  crm.answerWith(replyWith(401));
  // The state of a destination that changes is reported at once, and the report has all refusals.
  await send(otherOrigin);
  await send();
  await until(async () => (await status()).destinations[0]?.state === 'misconfigured');
  const seen = await status();
  assert.equal(seen.code, 1);
  assert.partialDeepStrictEqual(seen, {
    server: 'degraded',
    partners: [{partner: 'acme', refusals: 1, refused_for: 'origin-not-allowed'}],
  });
  assert.notEqual(seen.destinations[0]?.since, null);
});

suite('a monitor gets status 2', () => {
  test('when no server answers', async (t) => {
    const {server, status} = await start(t);
    await server.close();
    const seen = await status();
    assert.equal(seen.code, 2);
    assert.partialDeepStrictEqual(seen, {status: 'down', server: 'away'});
    assert.match(seen.findings[0]?.text ?? '', /^No server answers at 127\.0\.0\.1:\d+/);
  });

  test('when the settings cannot work, and is told which', async (t) => {
    const {settings} = await operate(t, []);
    const ran = await runCommand({...settings, PORT: 'many'}, 'status', '--json');
    assert.equal(ran.code, 2);
    assert.match(linesOf<Status>(ran)[0]?.findings[0]?.text ?? '', /^PORT /);
  });
});
