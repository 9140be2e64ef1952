/** Destinations are tested, and listed, paused and resumed beside a service that sends to them. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {Webhook} from 'standardwebhooks';
import {
  listDestinations,
  pauseDestination,
  testDestination,
  type TestOutcome,
} from '../../../server/admin/destinations.ts';
import {inOneLine} from '../../../server/admin/status.ts';
import {readConfig} from '../../../server/config/config.ts';
import {whyOf} from '../../../server/pages/destinations.ts';
import {sentLead} from '../../support/embed-client.ts';
import {startFakeUpstream} from '../../support/fake-upstream.ts';
import {freePort} from '../../support/free-port.ts';
import {mailAccess, refusal, startMailServer} from '../../support/mail-server.ts';
import {openFor} from '../../support/opened.ts';
import {assertFails, databaseKinds, operate, runCommand, statusOf} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {entryAt, eventTo} from '../../support/sample-leads.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';
import {newSecret, replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

type Settings = Record<string, string>;

/** @param destinations as the file describes them. The only partner, acme, sends its leads to `sendTo` */
const settingsOf = (
  t: TestContext,
  destinations: Record<string, object>,
  access: Settings,
  sendTo: string[] = [],
): Settings => ({
  CONFIG_FILE: writeConfig(temporaryFolder(t), [{send_to: sendTo}], destinations, {
    mail_from: 'Leads <leads@partner.example>',
  }),
  ...access,
});
const environmentOf = (
  t: TestContext,
  ...settings: [destinations: Record<string, object>, access: Settings]
): Settings => ({
  ...serviceSettings(temporaryFolder(t)),
  ...settingsOf(t, ...settings),
});

const noAddress = /:\/\/| at .+:\d+:\d+/;

/** Tests a destination, and checks that no secret is in what is said. */
async function tested(environment: Settings, name: string, secrets: readonly string[]): Promise<TestOutcome> {
  const outcome = await testDestination(readConfig(environment), name);
  assert.equal(outcome.destination, name);
  assert.ok(outcome.milliseconds >= 0);
  const text = JSON.stringify(outcome);
  assert.doesNotMatch(text, noAddress);
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
  return outcome;
}

suite('the test of a webhook', () => {
  test('a webhook that works gets a sample that says that it is one', async (t) => {
    const crm = await openFor(t, startWebhookReceiver());
    const settings = {type: 'webhook', credentials: 'CRM'};
    const access = {CREDENTIALS_CRM_SECRET: crm.secret, CREDENTIALS_CRM_URL: crm.settings.url};
    const environment = environmentOf(t, {crm: settings}, access);
    const secrets = [crm.secret, String(crm.port), 'token=abc'];
    const works = {works: true, said: 'The receiver answered 204', reply: null};
    for (let time = 0; time < 2; time += 1)
      assert.partialDeepStrictEqual(await tested(environment, 'crm', secrets), works);
    assert.equal(crm.received.length, 2);
    for (const {headers, body, path} of crm.received) {
      const event = new Webhook(crm.secret).verify(body, headers as Settings);
      assert.partialDeepStrictEqual(event, {type: 'lead.created', test: true});
      assert.equal(path, '/hook?token=abc');
    }
    const ids = crm.received.map(({headers}) => headers['webhook-id']);
    assert.notEqual(ids[0], ids[1]);
  });

  test('a chat room that refuses has words of its own, and its address is shown to nobody', async (t) => {
    const room = await openFor(
      t,
      startWebhookReceiver((response, {path}) => void response.writeHead(404).end(`no_service: ${path}`)),
    );
    const settings = {type: 'chat', format: 'slack', credentials: 'ROOM'};
    const url = `http://127.0.0.1:${room.port}/services/T0123456789/canary-token-of-a-room`;
    const environment = environmentOf(t, {room: settings}, {CREDENTIALS_ROOM_URL: url});
    const outcome = await tested(environment, 'room', ['canary-token', 'T0123456789', String(room.port)]);
    const {said, reply, remedy} = outcome;
    assert.partialDeepStrictEqual(outcome, {
      works: false,
      said: 'The chat room answered 404 (Not Found): the URL is wrong, or the webhook or its room was removed',
      reply: 'no_service: /services/…/…',
      remedy: 'Make a new webhook in the room, put its URL into CREDENTIALS_…_URL, and restart the server.',
    });
    const {code, stdout, stderr} = await runCommand(environment, 'destinations', 'test', 'room');
    assert.deepEqual([code, stdout], [1, '']);
    const lines = `room: ${said} (after … ms). ${remedy}\nIts reply begins with: ${reply}\n`;
    assert.equal(stderr.replace(/\(after \d+ ms\)/, '(after … ms)'), lines);
    const json = await runCommand(environment, 'destinations', 'test', 'room', '--json');
    assert.equal(json.code, 1);
    const checked = await runCommand(environment, 'config', 'check');
    assert.doesNotMatch(`${checked.stdout}${checked.stderr}`, /canary-token|T0123456789/);
  });

  test('what is wrong is said in words, with the beginning of the reply', async (t) => {
    const page = `<h1>Sorry</h1>\n${'x'.repeat(500)}`;
    const failing = await openFor(t, startWebhookReceiver(replyWith(500, {}, page)));
    const secret = newSecret();
    const port = await freePort();
    const urls = {
      failing: failing.settings.url,
      down: `http://127.0.0.1:${port}/token-abc`,
      private: 'https://10.1.2.3/token-abc',
    };
    const destinations = Object.fromEntries(
      Object.entries(urls).map(([name, url]) => [name, {type: 'webhook', url, credentials: 'CRM'}]),
    );
    const environment = environmentOf(t, destinations, {CREDENTIALS_CRM_SECRET: secret});
    const said: [name: string, words: RegExp][] = [
      ['failing', /^The receiver answered 500 \(Internal Server Error\): it failed itself$/],
      ['down', /^The receiver 127\.0\.0\.1 refused the connection: nothing listens .+ \(ECONNREFUSED\)$/],
      [
        'private',
        /^The address of the receiver 10\.1\.2\.3 is refused: .+ the destination is not marked as internal \(ADDRESS_REFUSED\)$/,
      ],
    ];
    for (const [name, words] of said) {
      // A host is named, because the URLs stand in the partners file. What follows the host may be a secret.
      const outcome = await tested(environment, name, [secret, 'token', String(port)]);
      assert.equal(outcome.works, false);
      assert.match(outcome.said, words);
      const excerpt = `<h1>Sorry</h1> ${'x'.repeat(200 - '<h1>Sorry</h1> '.length)}`;
      assert.equal(outcome.reply, name === 'failing' ? excerpt : null);
    }
  });
});

test('the test of a lead API asks for no real lead, and says if the credentials are right', async (t) => {
  const lender = await openFor(t, startFakeUpstream());
  const {url, cid, user, password} = lender.settings;
  const settings = (credentials: string) => ({type: 'lead-api', url, cid, credentials});
  const environment = environmentOf(
    t,
    {right: settings('RIGHT'), wrong: settings('WRONG')},
    {
      ...{CREDENTIALS_RIGHT_USER: user, CREDENTIALS_RIGHT_PASSWORD: password},
      ...{CREDENTIALS_WRONG_USER: user, CREDENTIALS_WRONG_PASSWORD: 'another-password'},
    },
  );
  const secrets = [password, 'another-password', user, new URL(url).port];
  assert.partialDeepStrictEqual(await tested(environment, 'right', secrets), {
    works: true,
    said: 'The upstream answered 404 for a lead that it does not have, and did not refuse the credentials',
  });
  const wrong = await tested(environment, 'wrong', secrets);
  assert.partialDeepStrictEqual(wrong, {works: false, said: 'The upstream answered GET with 401'});
  assert.ok(lender.exchanges.every(({method}) => method === 'GET'));
});

test('the test of an e-mail destination sends one, or says what the mail server refused', async (t) => {
  const refused = 'nobody@partner.example';
  const server = await openFor(
    t,
    startMailServer({
      onRcptTo: ({address}, _session, callback) =>
        callback(address === refused ? refusal(550, `no ${address}`) : null),
    }),
  );
  const {user, password} = mailAccess;
  const smtpUrl = (given: string) =>
    `smtp://${encodeURIComponent(user)}:${encodeURIComponent(given)}@127.0.0.1:${server.port}`;
  const settings = (to: string) => ({type: 'email', to: [to]});
  const destinations = {mail: settings('sales@partner.example'), nobody: settings(refused)};
  const environment = environmentOf(t, destinations, {SMTP_URL: smtpUrl(password)});
  const secrets = [password, user, String(server.port), 'partner.example'];
  const right = await tested(environment, 'mail', secrets);
  assert.partialDeepStrictEqual(right, {works: true, said: 'The mail server accepted the e-mail'});
  const [mail = assert.fail(), ...others] = server.received;
  assert.deepEqual([mail.to, mail.user, others], [['sales@partner.example'], user, []]);
  assert.match(mail.parsed.subject ?? '', /test/i);

  const nobody = await tested(environment, 'nobody', [password]);
  assert.partialDeepStrictEqual(nobody, {
    ...{works: false, said: 'The mail server refused all recipients (550)'},
  });
  assert.match(nobody.remedy ?? '', /^Correct /);
  const wrong = await tested({...environment, SMTP_URL: smtpUrl('another-password')}, 'mail', [password]);
  assert.equal(wrong.works, false);
  assert.match(wrong.said, /^The mail server refused the user or the password of SMTP_URL \(535\)/);
  assert.doesNotMatch(wrong.said, /another-password/);
});

for (const {name, postgres, skip} of databaseKinds)
  test(`destinations are listed, paused and resumed beside a service over ${name}`, {skip}, async (t) => {
    const [crm, other] = [await openFor(t, startWebhookReceiver()), await openFor(t, startWebhookReceiver())];
    const webhook = ({settings: {url}}: typeof crm, credentials: string) => ({
      ...{type: 'webhook', url, credentials},
    });
    const access = {CREDENTIALS_CRM_SECRET: crm.secret, CREDENTIALS_OTHER_SECRET: other.secret};
    const destinations = {crm: webhook(crm, 'CRM'), other: webhook(other, 'OTHER')};
    const settings = settingsOf(t, destinations, access, ['crm', 'other']);
    const operated = await operate(t, [], {postgres, settings});
    const server = await operated.serve();
    const admin = await operated.admin();
    const says = (words: string) => until(() => server.logLines.some((line) => line.includes(words)));
    const nothing = {
      ...{waiting: 0, held: 0, refused: 0, failed: 0},
      ...{state: 'ok', since: null, last_success_at: null, late_seconds: 0},
      ...{oldest_created_at: null, paused_at: null, pause_reason: null, last_error: null, remedy: null},
    };
    await until(async () => (await listDestinations(admin)).every(({addresses}) => addresses.length === 1));
    const at = ({port}: typeof crm) => ({
      addresses: [
        {...{place: `127.0.0.1:${port}`, is_present: true}, ...{first_used_at: null, last_used_at: null}},
      ],
    });
    assert.deepEqual(await listDestinations(admin), [
      {destination: 'crm', type: 'webhook', partners: ['acme'], ...nothing, ...at(crm)},
      {destination: 'other', type: 'webhook', partners: ['acme'], ...nothing, ...at(other)},
    ]);

    const prints = async (printed: string, ...words: string[]) =>
      assert.deepEqual(await operated.run('destinations', ...words), {code: 0, stdout: printed, stderr: ''});
    const resumes = '"lead-prequal destinations resume crm" sends what waits.';
    await prints(`crm is paused. ${resumes}\n`, 'pause', 'crm', '--reason', 'their maintenance');
    await assert.rejects(pauseDestination(admin, 'crm', 'mine'), /crm is paused already: their maintenance/);
    await says('the destination is paused');
    await sentLead(server);
    await other.hasReceived(1);
    const [first] = await listDestinations(admin);
    assert.partialDeepStrictEqual(first, {
      ...{destination: 'crm', state: 'paused', waiting: 1, pause_reason: 'their maintenance'},
    });
    for (const time of [first?.oldest_created_at, first?.paused_at])
      assert.ok(Math.abs(Date.parse(time ?? '') - Date.now()) < 600_000);
    assert.equal(crm.received.length, 0);
    const {stdout} = await operated.run('destinations', 'list');
    assert.match(
      stdout,
      /^destination +type +state +since +last success +waiting +held +refused +failed +oldest +what went wrong +addresses\n/,
    );
    assert.match(
      stdout,
      /^crm +webhook +paused +\S+ \S+ +1 +0 +0 +0 +\d+ s +paused: their maintenance +127\.0\.0\.1:\d+, not used yet$/m,
    );
    for (const secret of [crm.secret, other.secret, 'token'])
      assert.ok(!stdout.includes(secret) && !JSON.stringify(first).includes(secret), secret);

    await prints('crm is resumed, and what waits is sent.\n', 'resume', 'crm');
    await crm.hasReceived(1);
    await says('the destination is resumed');
    await until(async () => (await listDestinations(admin)).every(({waiting}) => waiting === 0));
    const wasNot = 'crm was not paused. If it had a break, that is ended, and what waits is sent.\n';
    await prints(wasNot, 'resume', 'crm');
    const none = await operated.run('destinations', 'test', 'crn');
    assertFails(none, /^There is no destination crn\. The configuration has crm, other\.\n$/);
    assert.deepEqual([crm.received.length, other.received.length], [1, 1]);
  });

for (const {name, postgres, skip} of databaseKinds)
  test(
    `held leads do not hide why their destination fails, nor are they the reason, over ${name}`,
    {skip},
    async (t) => {
      const destinations = {crm: {type: 'webhook', credentials: 'CRM', url: 'https://crm.example'}};
      const settings = settingsOf(t, destinations, {CREDENTIALS_CRM_SECRET: newSecret()}, ['crm']);
      const stored = (minutes: number) =>
        entryAt(Date.now() - minutes * 60_000, {deliveries: [eventTo('crm')]});
      const older = Array.from({length: 21}, (_, index) => stored(10 + index));
      const operated = await operate(t, [...older, stored(1)], {postgres, settings});
      const {execute} = operated;
      await execute(`UPDATE deliveries SET state = 'held', reason = 'suppressed'`);
      const admin = await operated.admin();
      /** The row of the destination, and what an operator reads of it. */
      const said = async () => {
        const [row = assert.fail()] = await listDestinations(admin);
        const {findings} = await statusOf(admin);
        const lines = findings.filter(({subject}) => subject === 'crm').map(inOneLine);
        const {stdout} = await operated.run('destinations', 'list');
        const page = whyOf(row, {role: 'admin'});
        return {row, words: [...lines, stdout, page].join('\n')};
      };
      const held = await said();
      assert.partialDeepStrictEqual(held.row, {state: 'ok', last_error: null, remedy: null, held: 22});
      assert.doesNotMatch(held.words, /consent allow/);

      await execute(`UPDATE deliveries SET state = 'waiting', failing_since = ${Date.now()}, reason = NULL,
      last_error = 'The receiver answered 503' WHERE lead_id = (SELECT MAX(id) FROM leads)`);
      const failing = await said();
      assert.partialDeepStrictEqual(failing.row, {state: 'failing', last_error: 'The receiver answered 503'});
      assert.equal(failing.words.match(/answered 503/g)?.length, 3, failing.words);
      assert.doesNotMatch(failing.words, /consent allow/);

      await execute("UPDATE deliveries SET state = 'failed', failing_since = NULL WHERE state = 'waiting'");
      assert.match((await said()).words, /crm has deliveries that wait for an operator \(1 failed\)/);
    },
  );

test('each new secret is another one, and the settings of a webhook accept it', async (t) => {
  const made = await Promise.all([1, 2].map(() => runCommand({}, 'destinations', 'secret')));
  const [one = '', two = ''] = made.map(({stdout}) => stdout.trim());
  assert.notEqual(one, two);
  const crm = await openFor(t, startWebhookReceiver());
  const settings = {type: 'webhook', url: crm.settings.url, credentials: 'CRM'};
  const environment = environmentOf(t, {crm: settings}, {CREDENTIALS_CRM_SECRET: `${one} ${two}`});
  assert.equal((await runCommand(environment, 'destinations', 'test', 'crm')).code, 0);
  const [{headers, body} = assert.fail()] = crm.received;
  for (const secret of [one, two]) new Webhook(secret).verify(body, headers as Settings);
});
