/** `lead-prequal init`: from a few answers to files with which the server starts. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {answersBeside, tryMail, writeAll} from '../../../server/admin/setup.ts';
import {checkStart} from '../../../server/check-start.ts';
import {readConfig} from '../../../server/config/config.ts';
import {createRun, type Surroundings} from '../../../server/cli/output.ts';
import {run as runProgram} from '../../../server/cli/program.ts';
import {mayCall} from '../../../server/leads/may-call.ts';
import {freePort} from '../../support/free-port.ts';
import {need, missing} from '../../support/installed.ts';
import {mailAccess, refusal, startMailServer} from '../../support/mail-server.ts';
import {openFor} from '../../support/opened.ts';
import {assertFails, printedBy, program} from '../../support/operator.ts';
import {asLead, prequalificationBody} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const [file, environmentFile, keyFile] = ['lead-prequal.json', 'lead-prequal.env', 'lead-prequal.key'];

/** Works in a folder of its own, because the command writes where it runs. */
async function useFolder(t: TestContext, mail: Parameters<typeof startMailServer>[0] = {}) {
  const before = process.cwd();
  const folder = temporaryFolder(t);
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const server = await openFor(t, startMailServer(mail));
  const init = (terminal: Partial<Surroundings>, ...words: string[]) =>
    printedBy((streams) =>
      runProgram(['init', ...words], createRun({environment: {}, ...streams, ...terminal})),
    );
  const url = `localhost:${await freePort()}`;
  const given = [
    ...['--url', url, '--business', 'Café Funding, LLC', '--website', 'www.acme.example/funding'],
    ...['--contact', '(415) 555-0132', '--mailbox', 'sales@acme.example, ben@acme.example'],
    ...['--mail-server', `127.0.0.1:${server.port}`, '--mail-user', mailAccess.user],
  ];
  return {folder, init, given, url, server};
}
const withPassword = {readLine: () => Promise.resolve(mailAccess.password)};
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('options are enough, and the server starts without a warning by what was written', async (t) => {
  const {init, given, url, server} = await useFolder(t);
  const {code, stdout, stderr} = await init(withPassword, ...given);
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(readdirSync('.').toSorted(), [environmentFile, file]);
  assert.deepEqual([modeOf(file), modeOf(environmentFile)], [0o640, 0o600]);
  const [mail] = server.received;
  assert.deepEqual([mail?.to, mail?.user], [['sales@acme.example', 'ben@acme.example'], mailAccess.user]);

  const findings = await checkStart();
  assert.deepEqual(
    findings.filter(({level}) => level !== 'note'),
    [],
  );
  const config = readConfig(undefined, true);
  assert.deepEqual(config.warnings, []);
  assert.equal(config.publicUrl, `http://${url}`);
  assert.equal(config.admin?.url, `http://localhost:${config.port + 1}`);
  const [{key, name, origins, consent}] = config.partners;
  assert.deepEqual([key, name], ['cafe-funding-llc', 'Café Funding, LLC']);
  assert.deepEqual(origins, ['https://www.acme.example', 'https://acme.example']);
  const text = readFileSync(file, 'utf8');
  assert.partialDeepStrictEqual(JSON.parse(text), {
    $schema: `http://${url}/schemas/lead-prequal.json`,
    mail_from: 'sales@acme.example',
    retain_days: 365,
  });
  assert.ok(!(text + stdout).includes(mailAccess.password));

  assert.deepEqual([consent?.required, Object.keys(consent?.texts ?? {})], [true, ['en', 'es']]);
  assert.match(consent?.texts['es']?.text ?? '', /acepto que Café Funding, LLC me llame/);
  const lead = asLead({...prequalificationBody, phone: '(212) 555-0143'});
  for (const {text: words} of Object.values(consent?.texts ?? {}))
    assert.match(mayCall({lead, consent: {agreed: true, words}}, Date.now()).reason, /hours$/);
  assert.match(stdout, /partner="cafe-funding-llc"/);
});

test('a terminal is asked again for each wrong answer, and the password is shown nowhere', async (t) => {
  const wrongPassword = 'a-wrong-password';
  const {init, url, server} = await useFolder(t, {
    onRcptTo: ({address}, _session, callback) =>
      callback(address.startsWith('nobody') ? refusal(550) : undefined),
  });
  const answers: [RegExp, answer: string][] = [
    [/^1 .*browsers/, 'http://leads.acme.example'],
    [/^1 /, url],
    [/^2 /, 'Acme [US]'],
    [/^2 /, 'Acme'],
    [/^3 /, 'our website'],
    [/^3 /, 'acme.example'],
    [/^4 /, '555'],
    [/^4 /, 'hello@acme.example'],
    [/^5 /, 'sales'],
    [/^5 /, 'nobody@acme.example'],
    [/^6 .*\[localhost:25\]/, 'a mail server'],
    [/^6 /, `127.0.0.1:${server.port}`],
    [/User.*\[none\]/, mailAccess.user],
    [/Password/, wrongPassword],
    [/Password again/, mailAccess.password],
    [/^5 /, 'sales@acme.example'],
    [/^7 .*\[365\]/, '0'],
    [/^7 /, ''],
    [/^8 .*\[http:\/\/localhost:\d+\]/, url],
    [/^8 /, ''],
    [/^Write\? \[yes\]/, ''],
  ];
  const left = [...answers];
  const {code, stdout, stderr} = await init({
    ask(question, isSecret = false) {
      const [asked, answer] = left.shift() ?? assert.fail(question);
      assert.match(question, asked);
      assert.equal(isSecret, question.includes('Password'));
      assert.ok(!existsSync(file) && !existsSync(environmentFile));
      return Promise.resolve(answer);
    },
  });
  assert.deepEqual([code, left], [0, []]);
  assert.equal(stderr.match(/✗/g)?.length, 10);
  assert.match(stderr, /refuses user or password. It says: 535 no user mail user with …/);
  for (const secret of [wrongPassword, mailAccess.password]) assert.ok(!(stdout + stderr).includes(secret));
  assert.match(stdout, /Let your counsel read it/);
  assert.deepEqual(readConfig(undefined, true).warnings, []);
});

test('nothing is written without a yes, or without what is needed', async (t) => {
  const {init, given} = await useFolder(t);
  assertFails(await init({}), /no terminal.*--url, --business, --website, --contact, --mailbox/);
  assertFails(await init({}, ...given), /password of the mail server is missing/);
  assertFails(await init(withPassword, ...given, '--days', '0'), /^--days must be/m);
  const wrong = {readLine: () => Promise.resolve('wrong')};
  assertFails(await init(wrong, ...given), /refuses user or password.* Nothing was written/);
  for (const answer of ['no', undefined]) {
    const ask = (question: string) => Promise.resolve(question.startsWith('Write') ? answer : '');
    const {code, stderr} = await init({ask}, ...given, '--mail-user', 'none');
    assert.deepEqual([code, stderr.trim().split('\n').at(-1)], [1, 'Nothing was written.']);
  }
  assert.deepEqual(readdirSync('.'), []);
});

test('what is there is never written over, and nobody is asked before', async (t) => {
  const {init, given} = await useFolder(t);
  const ask = () => assert.fail('nobody is asked');
  for (const path of [environmentFile, file] as const) {
    writeFileSync(path, 'mine');
    assertFails(
      await init({ask}, ...given),
      new RegExp(`^Already there: .*${path}.*docs/partners\\.md#two-partners`),
    );
  }
  const files = ['new', file].map((path) => ({path, holds: '', text: 'theirs', mode: 0o600}));
  assert.throws(() => writeAll(files), /Nothing was written: EEXIST/);
  assert.ok(!existsSync('new'), 'the first file is taken back');
  assert.equal(readFileSync(file, 'utf8'), 'mine');
});

test('with PostgreSQL, a key is made, because no start makes one', async (t) => {
  const {init, given} = await useFolder(t);
  const database = 'postgres://ana:it%27s@db.acme.example:5432/leads';
  const environment = {DATABASE_URL: database.replace('%27', "'")};
  const more = ['--mail-user', 'none', '--pages', 'none'];
  assert.equal((await init({environment}, ...given, ...more)).code, 0);
  assert.equal(modeOf(keyFile), 0o600);
  const {databaseUrl, dataKeys, admin} = readConfig();
  assert.deepEqual([databaseUrl, admin], [database, undefined]);
  assert.match(dataKeys[0], /^[0-9a-f]{64}$/);
});

test('a mail server is found at the first address that answers', async (t) => {
  const {server} = await useFolder(t);
  const {mailServer, website, url} = answersBeside();
  const rows: [typeof mailServer | typeof website | typeof url, text: string, read: unknown][] = [
    [
      mailServer,
      'Mail.Acme.example',
      ['smtps://mail.acme.example:465', 'smtp://mail.acme.example:587', 'smtp://mail.acme.example:25'],
    ],
    [
      mailServer,
      'localhost',
      ['smtp://localhost:25', 'smtp://localhost:587', 'smtps://localhost:465'].toSorted(),
    ],
    [mailServer, 'mail.acme.example:465', ['smtps://mail.acme.example:465']],
    [mailServer, 'smtps://mail.acme.example', ['smtps://mail.acme.example']],
    [
      website,
      'shop.acme.co.uk, acme.co.uk',
      ['https://shop.acme.co.uk', 'https://acme.co.uk', 'https://www.acme.co.uk'],
    ],
    [website, 'localhost:3000', ['http://localhost:3000']],
    [url, 'https://Leads.acme.example/', 'https://leads.acme.example'],
    [url, 'localhost', 'http://localhost:8080'],
  ];
  for (const [check, text, read] of rows) assert.deepEqual(check.parse(text), read, text);
  const access = {mailbox: ['sales@acme.example'], mailUser: undefined, password: ''};
  const addresses = [await freePort(), server.port].map((port) => `smtp://127.0.0.1:${port}`);
  const {mail, wrong} = await tryMail({...access, mailServer: addresses}, true);
  assert.deepEqual([mail.url, wrong, server.received.length], [addresses[1], undefined, 1]);
  const closed = await tryMail({...access, mailServer: addresses.slice(0, 1)}, true);
  assert.equal(closed.wrong, 'mailServer');
  assert.match(closed.text, /refused the connection/);
});

/** Types the lines of its arguments before `--` at a terminal, each when the command asks for it. */
const typist = `
import os, pty, sys
lines, command = sys.argv[1:sys.argv.index('--')], sys.argv[sys.argv.index('--') + 1:]
def typed(fd):
    data = os.read(fd, 4096)
    if lines and data.split(b'\\x1b')[0].rstrip().endswith(b':'):
        os.write(fd, lines.pop(0).encode())
    return data
sys.exit(os.waitstatus_to_exitcode(pty.spawn(command, typed)))
`;

test('a terminal shows no letter of the password', {skip: missing('python3')}, async (t) => {
  const {given} = await useFolder(t);
  const type = (...lines: string[]) =>
    promisify(execFile)(need('python3'), [
      ...['-c', typist, ...lines, '--', process.execPath, program, 'init', ...given],
      ...['--days', '30', '--pages', 'none'],
    ]);
  await assert.rejects(type('\u0003'), {code: 1, stdout: /Nothing was written/});
  assert.deepEqual(readdirSync('.'), []);
  const {stdout} = await type(`${mailAccess.password}\r`);
  assert.match(stdout, /Password: \r?\n[^]*✓ a test mail went to sales@acme\.example/);
  assert.ok(!stdout.includes(mailAccess.password));
  assert.deepEqual(readConfig(undefined, true).warnings, []);
});
