/** The commands of docs/consent.md, with a statement that a server has sent, and programs that nobody here wrote. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {onePartner} from '../../server/config/partners.ts';
import type {LeadEvent} from '../../server/leads/lead-event.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {missing, skipUnless} from '../support/installed.ts';
import {openForSuite, suiteOwner} from '../support/opened.ts';
import {sqlite} from '../support/stores.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';

const [, guide = ''] = readFileSync(new URL('../../docs/consent.md', import.meta.url), 'utf8').split(
  '## Verifying a statement\n',
);
const blocks = [...guide.matchAll(/^```(?:sh|python)\n([^]*?)^```$/gm)].map(([, code = '']) => code);
const [save = '', withPython = '', withOpenssl = '', ofPerson = ''] = blocks;

const lacksJwcrypto =
  !existsSync('/usr/lib/python3/dist-packages/jwcrypto') &&
  'JWCrypto is not installed: apt-get install python3-jwcrypto';
const skip = skipUnless('REQUIRE_CLIENTS', lacksJwcrypto) || missing('openssl') || missing('curl');

/** Changed bytes, each of another statement. */
const changes = 1_000;

/** The n-th change: of one byte of the header, the payload or the signature, never of a character alone. */
function changed(statement: string, n: number): string {
  const parts = statement.split('.').map((part) => Buffer.from(part, 'base64url'));
  const part = parts[n % parts.length]!;
  const place = Math.floor(n / parts.length);
  // Another byte at each place, and another value there after all places had one.
  const at = place % part.length;
  part[at] = part[at]! ^ (1 + ((Math.floor(place / part.length) * 37 + place) % 255));
  return parts.map((bytes) => bytes.toString('base64url')).join('.');
}

suite('a statement, by docs/consent.md alone,', {skip}, () => {
  const receiver = openForSuite(() => startWebhookReceiver());
  const partner = onePartner({
    key: 'acme',
    origins: [listedOrigin],
    cid: '1001',
    send_to: ['crm'],
    consent: {version: '1', text: 'Llámenme “ya”, at 555 \\ "now".', required: true},
  });
  const server = openForSuite(() =>
    sqlite.startServer({
      partners: [partner],
      destinations: new Map([['crm', receiver.settings]]),
    }),
  );
  const folder = temporaryFolder(suiteOwner());
  const person = {phone: '(415) 555-0132', email: 'Ana@example.com'};
  let consent: {statement?: string; salt?: string} = {};

  /** Runs a command as a reader of the guide would, with what the event had as variables. */
  function run(code: string) {
    const {statement = '', salt = ''} = consent;
    const env = {PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', statement, salt};
    return new Promise<{status: unknown; said: string; complained: string}>((resolve) => {
      execFile('sh', ['-c', code], {cwd: folder, env}, (error, said, complained) =>
        resolve({status: error?.code ?? 0, said, complained}),
      );
    });
  }
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const verify = {
    JWCrypto: () => run('python3 verify.py keys.json statements.txt'),
    OpenSSL: () => run('sh verify.sh keys.json statements.txt'),
  };

  before(async () => {
    await sentLead(server, somebody(person), {body: {consent: {version: '1', agreed: true}}});
    await receiver.hasReceived(1);
    const event = JSON.parse(receiver.received[0]?.body ?? '') as LeadEvent;
    consent = event.data.consent ?? {};
    write('verify.py', withPython);
    write('verify.sh', withOpenssl);
    const saved = await run(save.replace('https://leads.example.com', server.url));
    assert.equal(saved.status, 0, saved.complained);
  });

  for (const [program, verified] of Object.entries(verify)) {
    test(`is verified and read with ${program}`, async () => {
      const {status, said, complained} = await verified();
      assert.equal(status, 0, complained);
      const claims = JSON.parse(said.slice(said.indexOf('{'))) as object;
      assert.partialDeepStrictEqual(claims, {
        consent: {
          partner: 'acme',
          text: {words: 'Llámenme “ya”, at 555 \\ "now".'},
          reported: {agreed: true},
        },
      });
    });
    test(`is refused with ${program} if a byte was changed, or with another key`, async () => {
      const {statement = ''} = consent;
      for (const n of [0, 1, 2]) {
        write('statements.txt', changed(statement, n + 60));
        const {status, said} = await verified();
        assert.notEqual(status, 0);
        assert.doesNotMatch(said, /Llámenme/);
      }
      write('statements.txt', statement);
      const keys = readFileSync(join(folder, 'keys.json'), 'utf8');
      write(
        'keys.json',
        keys.replace(/"x":"(.)/, (_all, first) => `"x":"${first === 'A' ? 'B' : 'A'}`),
      );
      assert.notEqual((await verified()).status, 0);
      write('keys.json', keys);
      assert.equal((await verified()).status, 0);
    });
  }

  test(`is refused after each of ${changes} changes of a byte`, async () => {
    const {statement = ''} = consent;
    const all = Array.from({length: changes}, (_, n) => changed(statement, n));
    assert.equal(new Set([...all, statement]).size, changes + 1);
    write('statements.txt', all.join('\n'));
    const {status, said} = await verify.JWCrypto();
    assert.equal(status, 1);
    const lines = said.trimEnd().split('\n');
    assert.equal(lines.filter((line) => /^line \d+: refused, \w+$/.test(line)).length, changes);
    assert.equal(lines.length, changes);
    write('statements.txt', statement);
  });

  test('is matched with a person whose number and address are known, by the salt', async () => {
    const {status, said, complained} = await run(ofPerson);
    assert.equal(status, 0, complained);
    const digests = said.match(/[0-9a-f]{64}/g) ?? [];
    assert.equal(digests.length, 2);
    const [, payload = ''] = (consent.statement ?? '').split('.');
    const {person: stated} = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {person: object};
    assert.deepEqual(Object.values(stated), [...digests]);
  });
});
