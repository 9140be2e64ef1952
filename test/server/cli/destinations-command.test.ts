/** `lead-prequal destinations`: lists, tests, pauses and resumes them, also beside a service that sends to them. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {Webhook} from 'standardwebhooks';
import {startFakeUpstream} from '../../support/fake-upstream.ts';
import {freePort} from '../../support/free-port.ts';
import {fetchFrom, readJson} from '../../support/http.ts';
import {mailAccess, refusal, startMailServer} from '../../support/mail-server.ts';
import {openFor} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {prequalificationBody, without} from '../../support/sample-leads.ts';
import {serviceSettings, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {newSecret, replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

type Settings = Record<string, string>;

/** @param destinations as the partners file describes them. The only partner, acme, sends its leads to `sendTo` */
function environmentOf(
  t: TestContext,
  destinations: object,
  access: Settings,
  sendTo: string[] = [],
): Settings {
  const folder = temporaryFolder(t);
  const file = join(folder, 'partners.json');
  const partner = {key: 'acme', origins: [listedOrigin], cid: '1001', send_to: sendTo};
  writeFileSync(file, JSON.stringify({destinations, partners: [partner]}));
  const hosts = {WEBHOOK_INTERNAL_HOSTS: 'localhost 127.0.0.1'};
  return {...serviceSettings(folder), PARTNERS_FILE: file, ...hosts, ...access};
}

type Tested = {
  destination: string;
  works: boolean;
  said: string;
  reply: string | null;
  remedy: string | null;
  milliseconds: number;
};

/** Runs the test of a destination with and without `--json`, and checks that both say the same, and no secret. */
async function testDestination(
  environment: Settings,
  name: string,
  secrets: readonly string[],
): Promise<Tested> {
  const [forPeople, forPrograms] = await Promise.all([
    runCommand(environment, 'destinations', 'test', name),
    runCommand(environment, 'destinations', 'test', name, '--json'),
  ]);
  const tested = JSON.parse(forPrograms.stdout) as Tested;
  assert.equal(tested.destination, name);
  assert.ok(tested.milliseconds >= 0);
  const lines = forPeople.stdout.replace(/\(after \d+ ms\)/, '(after … ms)').trimEnd();
  const remedy = tested.remedy === null ? '' : ` ${tested.remedy}`;
  const reply = tested.reply === null ? '' : `\nIts reply begins with: ${tested.reply}`;
  assert.equal(lines, `${name}: ${tested.said} (after … ms).${remedy}${reply}`);
  for (const {code, stdout, stderr} of [forPeople, forPrograms]) {
    assert.equal(code, tested.works ? 0 : 1);
    assert.equal(stderr, '');
    assert.doesNotMatch(stdout, /:\/\/| at .+:\d+:\d+/);
    for (const secret of secrets) assert.ok(!stdout.includes(secret), secret);
  }
  return tested;
}

suite('the test of a webhook', () => {
  test('a webhook that works gets a sample that says that it is one', async (t) => {
    const crm = await openFor(t, startWebhookReceiver());
    const settings = {type: 'webhook', credentials: 'CRM'};
    const {url} = crm.settings;
    const access = {CREDENTIALS_CRM_SECRET: crm.secret, CREDENTIALS_CRM_URL: url};
    const environment = environmentOf(t, {crm: settings}, access);
    const tested = await testDestination(environment, 'crm', [crm.secret, String(crm.port), 'token=abc']);
    assert.partialDeepStrictEqual(tested, {works: true, said: 'The receiver answered 204', reply: null});
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
    const tested = await testDestination(environment, 'room', [
      'canary-token',
      'T0123456789',
      String(room.port),
    ]);
    assert.partialDeepStrictEqual(tested, {
      works: false,
      said: 'The chat room answered 404 (Not Found): the URL is wrong, or the webhook or its room was removed',
      reply: 'no_service: /services/…/…',
      remedy: 'Make a new webhook in the room, put its URL into CREDENTIALS_…_URL, and restart the server.',
    });
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
    // A host is named, because the URLs stand in the partners file. What follows the host may be a secret.
    const secrets = [secret, 'token', String(port)];
    const said: [name: string, words: RegExp][] = [
      ['failing', /^The receiver answered 500 \(Internal Server Error\): it failed itself$/],
      ['down', /^The receiver 127\.0\.0\.1 refused the connection: nothing listens .+ \(ECONNREFUSED\)$/],
      [
        'private',
        /^The address of the receiver 10\.1\.2\.3 is refused: .+ WEBHOOK_INTERNAL_HOSTS does not list the host \(ADDRESS_REFUSED\)$/,
      ],
    ];
    await Promise.all(
      said.map(async ([name, words]) => {
        const tested = await testDestination(environment, name, secrets);
        assert.equal(tested.works, false);
        assert.match(tested.said, words);
        const excerpt = `<h1>Sorry</h1> ${'x'.repeat(200 - '<h1>Sorry</h1> '.length)}`;
        assert.equal(tested.reply, name === 'failing' ? excerpt : null);
      }),
    );
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
      CREDENTIALS_RIGHT_USER: user,
      CREDENTIALS_RIGHT_PASSWORD: password,
      CREDENTIALS_WRONG_USER: user,
      CREDENTIALS_WRONG_PASSWORD: 'another-password',
    },
  );
  const secrets = [password, 'another-password', user, new URL(url).port];
  const right = await testDestination(environment, 'right', secrets);
  assert.partialDeepStrictEqual(right, {
    works: true,
    said: 'The upstream answered 404 for a lead that it does not have, and did not refuse the credentials',
  });
  const wrong = await testDestination(environment, 'wrong', secrets);
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
  const as = (given: string) =>
    `smtp://${encodeURIComponent(user)}:${encodeURIComponent(given)}@127.0.0.1:${server.port}`;
  const settings = (to: string) => ({type: 'email', to: [to]});
  const destinations = {mail: settings('sales@partner.example'), nobody: settings(refused)};
  const from = {SMTP_FROM: 'Leads <leads@partner.example>'};
  const environment = environmentOf(t, destinations, {...from, SMTP_URL: as(password)});
  const secrets = [password, user, String(server.port), 'partner.example'];
  const right = await testDestination(environment, 'mail', secrets);
  assert.partialDeepStrictEqual(right, {works: true, said: 'The mail server accepted the e-mail'});
  assert.deepEqual(
    server.received.map(({to}) => to),
    [['sales@partner.example'], ['sales@partner.example']],
  );
  assert.match(server.received[0]?.parsed.subject ?? '', /test/i);
  assert.equal(server.received[0]?.user, user);

  const nobody = await runCommand(environment, 'destinations', 'test', 'nobody');
  assert.equal(nobody.code, 1);
  assert.match(
    nobody.stdout,
    /^nobody: The mail server refused all recipients \(550\) \(after \d+ ms\)\. Correct .*\n/,
  );
  const wrong = {...environment, SMTP_URL: as('another-password')};
  const refusedUser = await runCommand(wrong, 'destinations', 'test', 'mail');
  assert.equal(refusedUser.code, 1);
  assert.match(
    refusedUser.stdout,
    /^mail: The mail server refused the user or the password of SMTP_URL \(535\)/,
  );
  assert.doesNotMatch(refusedUser.stdout.split('\n')[0] ?? '', /another-password/);
});

type Listed = Record<string, unknown>;

test('destinations are listed, paused and resumed beside the service that sends to them', async (t) => {
  const [crm, other] = [await openFor(t, startWebhookReceiver()), await openFor(t, startWebhookReceiver())];
  const settings = ({settings: {url}}: typeof crm, credentials: string) => ({
    type: 'webhook',
    url,
    credentials,
  });
  const access = {CREDENTIALS_CRM_SECRET: crm.secret, CREDENTIALS_OTHER_SECRET: other.secret};
  const destinations = {crm: settings(crm, 'CRM'), other: settings(other, 'OTHER')};
  const environment = environmentOf(t, destinations, access, ['crm', 'other']);
  const folder = temporaryFolder(t);
  const service = await startService(environment, folder);
  t.after(() => service.end('SIGKILL'));
  const run = (...words: string[]) => runCommand(environment, 'destinations', ...words);
  const listed = async (): Promise<Listed[]> =>
    (await run('list', '--json')).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Listed);
  const logged = (words: string) => () => service.lines.some((line) => line.includes(words));
  const send = () =>
    fetchFrom(service.url)('/embed/v1/leads?partner=acme', {
      method: 'POST',
      headers: {
        origin: listedOrigin,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
      },
      body: JSON.stringify({lead: without(prequalificationBody, 'cid')}),
    });

  const nothing = {
    ...{waiting: 0, held: 0, refused: 0, failed: 0},
    ...{state: 'ok', since: null, last_success_at: null, late_seconds: 0},
    ...{oldest_created_at: null, paused_at: null, pause_reason: null, last_error: null, remedy: null},
  };
  assert.deepEqual(await listed(), [
    {destination: 'crm', type: 'webhook', partners: ['acme'], ...nothing},
    {destination: 'other', type: 'webhook', partners: ['acme'], ...nothing},
  ]);

  const paused = await run('pause', 'crm', '--reason', 'their maintenance');
  assert.deepEqual(paused, {
    code: 0,
    stdout: '',
    stderr: 'crm is paused. "lead-prequal destinations resume crm" sends what waits.\n',
  });
  await until(logged('the destination is paused'));
  await readJson(await send(), 201);
  await other.hasReceived(1);
  const [first] = await listed();
  assert.partialDeepStrictEqual(first, {destination: 'crm', waiting: 1, pause_reason: 'their maintenance'});
  for (const time of ['oldest_created_at', 'paused_at'])
    assert.ok(Math.abs(Date.parse(String(first?.[time])) - Date.now()) < 600_000, time);
  const {stdout: table} = await run('list');
  const [head = '', row = ''] = table.split('\n');
  assert.match(
    head,
    /^destination +type +state +since +last success +waiting +held +refused +failed +oldest +what went wrong$/,
  );
  assert.match(row, /^crm +webhook +paused +\S+ \S+ +1 +0 +0 +0 +\d+ s +paused: their maintenance$/);
  for (const secret of [crm.secret, other.secret, String(crm.port), 'token']) {
    assert.ok(!table.includes(secret) && !JSON.stringify(first).includes(secret), secret);
  }
  assert.equal(crm.received.length, 0);

  assert.deepEqual(await run('resume', 'crm'), {
    code: 0,
    stdout: '',
    stderr: 'crm is resumed, and what waits is sent.\n',
  });
  await crm.hasReceived(1);
  await until(logged('the destination is resumed'));
  await until(async () => (await listed()).every(({waiting}) => waiting === 0));
  assert.deepEqual(await run('resume', 'crm'), {
    code: 0,
    stdout: '',
    stderr: 'crm was not paused. If it had a break, that is ended, and what waits is sent.\n',
  });
  assert.deepEqual([crm.received.length, other.received.length], [1, 1]);
});

test('a destination that is not configured is named, with those that are', async (t) => {
  const environment = environmentOf(
    t,
    {crm: {type: 'webhook', credentials: 'CRM', url: 'https://crm.example'}},
    {
      CREDENTIALS_CRM_SECRET: newSecret(),
    },
  );
  const stderr = 'There is no destination crn. The configuration has crm.\n';
  assert.deepEqual(await runCommand(environment, 'destinations', 'test', 'crn'), {
    code: 1,
    stdout: '',
    stderr,
  });
});

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
