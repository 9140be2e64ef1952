/** docs/webhooks.md: its examples are true, and its receivers run as they stand there. */
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {createHmac} from 'node:crypto';
import {once} from 'node:events';
import {globSync, readFileSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import {Webhook as Verifier} from 'standardwebhooks';
import {readBusinessFile} from '../../../../server/config/file.ts';
import {reportedEvent} from '../../../../server/destinations/reported-event.ts';
import {sampleRecord} from '../../../../server/destinations/sample.ts';
import {toErasedEvent, toEvent, toRevokedEvent} from '../../../../server/destinations/webhook/event.ts';
import {createWebhook, sampleEvent} from '../../../../server/destinations/webhook/webhook.ts';
import {leadEventTypes} from '../../../../contract/lead-events.ts';
import {leadEventJsonSchema} from '../../../../server/leads/lead-event.ts';
import {openFor} from '../../../support/opened.ts';
import {freePort} from '../../../support/free-port.ts';
import {missing} from '../../../support/installed.ts';
import {runCommand} from '../../../support/operator.ts';
import {createdAtOf} from '../../../../server/leads/lead-ids.ts';
import {eventRequest} from '../../../support/sample-events.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {until} from '../../../support/until.ts';
import {keyOf, newSecret} from '../../../support/webhook-receiver.ts';

const root = join(import.meta.dirname, '../../../..');
const readDocument = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
const guide = readDocument('webhooks.md');

/** The first block of code after a text of the guide, without the spaces before its lines. */
function codeAfter(text: string, document = guide): string {
  const rest = document.slice(document.indexOf(text));
  const [, indent = '', code = ''] = /^( *)```\w+\n([^]*?)\n\1```$/m.exec(rest) ?? [];
  assert.ok(document.includes(text) && code !== '', `There is no code after ${text}`);
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

/** The record of the lead that an example shows, which came when its id says. */
function shownRecord({data: {id}}: {data: {id: string}}) {
  return sampleRecord(id, createdAtOf(id));
}

suite('the guide of webhooks', () => {
  test('shows the whole body of an event as it is sent', () => {
    const shown = JSON.parse(codeAfter('<!-- example: event -->')) as {data: {id: string}};
    const record = shownRecord(shown);
    const {id, createdAt: at} = record;
    const sent = toEvent(reportedEvent({lead: record, content: 'created', happenedAt: at}), record);
    assert.deepEqual(shown, sent, JSON.stringify(sent, null, 2));
    assert.ok(guide.includes(`webhook-id: evt_created_${id}`));
    assert.ok(guide.includes(`webhook-timestamp: ${Math.floor(at / 1_000)}`));
  });
  test('shows the whole body of the event of an erased lead as it is sent', () => {
    const shown = JSON.parse(codeAfter('<!-- example: erased -->')) as {
      timestamp: string;
      data: {id: string};
    };
    const {id, createdAt, partner, duplicateOf, supersedes} = shownRecord(shown);
    const erasedAt = Date.parse(shown.timestamp);
    const left = {id, createdAt, partner, cid: '1001', duplicateOf, supersedes, erasedAt};
    const sent = toErasedEvent({at: erasedAt}, left);
    assert.deepEqual(shown, sent, JSON.stringify(sent, null, 2));
  });
  test('shows the whole body of the event of a consent that was revoked as it is sent', () => {
    const shown = JSON.parse(codeAfter('<!-- example: revoked -->')) as {
      timestamp: string;
      data: {id: string};
    };
    assert.deepEqual(
      shown,
      toRevokedEvent(shownRecord(shown), {at: Date.parse(shown.timestamp), scope: 'partner'}),
    );
  });
  test('names all types of events and no others', () => {
    const named = [...guide.matchAll(/^- `((?:lead|consent)\.\w+)`/gm)].map(([, type]) => type);
    assert.deepEqual(named, [...leadEventTypes]);
  });
  test('shows a file that the server reads', () => {
    const text = codeAfter('<!-- example: partners -->');
    const {destinations, partners} = readBusinessFile({path: 'webhooks.md', text}).content;
    assert.deepEqual(Object.keys(destinations), ['crm']);
    assert.deepEqual(partners[0].sendTo, ['crm']);
  });
  test('the guide of e-mails shows a file that the server reads', () => {
    const text = codeAfter('## Setting it up', readDocument('email.md'));
    const {destinations, partners} = readBusinessFile({path: 'email.md', text}).content;
    assert.deepEqual(Object.keys(destinations), ['sales']);
    assert.deepEqual(partners[0].sendTo, ['sales']);
  });
  test('shows a signature that is right', () => {
    const lines = codeAfter('<!-- example: known answer -->').trimEnd().split('\n');
    const shown = Object.fromEntries(lines.map((line) => line.split(/: +(.*)/, 2))) as Record<string, string>;
    const {secret = '', id = '', timestamp, body: signedBody = '', signature} = shown;
    assert.match(signedBody, /[^\x00-\x7f]/, 'a body whose bytes are not its characters');
    assert.equal(new Verifier(secret).sign(id, new Date(Number(timestamp) * 1_000), signedBody), signature);
    const key = keyOf(secret);
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${signedBody}`).digest('base64');
    assert.equal(`v1,${hmac}`, signature);
  });
  test('a validator with the published schema takes the values that may be added', () => {
    const ajv = new Ajv2020({strict: true, allowUnionTypes: true, formats: {'date-time': true}});
    const isValid = ajv.compile(leadEventJsonSchema());
    const known = JSON.parse(codeAfter('<!-- example: event -->')) as {data: {lead: object; answer: object}};
    const added = {
      type: 'lead.new',
      data: {
        ...known.data,
        lead: {...known.data.lead, lead_type: 'new', credit_score: 'new', time_frame: 'new', state: 'XX'},
        answer: {...known.data.answer, status: 'new', reasons: {new_amount: 'new', unsecured_amount: 'new'}},
      },
    };
    assert.ok(isValid(known) && isValid({...known, ...added}), ajv.errorsText(isValid.errors));
    assert.equal(isValid({...known, type: 5}), false);
    assert.doesNotMatch(JSON.stringify(leadEventJsonSchema()), /"enum"/);
  });
  test('the guides name commands and options that exist', async () => {
    const documents = ['webhooks.md', 'email.md', ...globSync('recipes/*.md', {cwd: join(root, 'docs')})];
    const commands = documents.flatMap((name) =>
      [...readDocument(name).matchAll(/lead-prequal ((?:deliveries|destinations|leads) [^`\n#]*)/g)].map(
        ([, command = '']) => command.trim().split(/ +/),
      ),
    );
    assert.ok(commands.length > 5);
    const helps = new Map<string, string>();
    for (const [group = '', command = '', ...words] of commands) {
      const name = `${group} ${command}`;
      const help =
        helps.get(name) ?? (await runCommand({}, group, command, '--help')).stdout.replaceAll(/\s+/g, ' ');
      helps.set(name, help);
      assert.ok(help.startsWith(`Usage: lead-prequal ${name} `), name);
      words.forEach((word, index) => {
        if (word.startsWith('--')) assert.ok(help.includes(` ${word} `), `${name} ${word}`);
        if (words[index - 1] === '--state') assert.ok(help.includes(`"${word}"`), `${name} --state ${word}`);
      });
    }
  });
});

type Running = {url: string; port: number; secret: string; printed(): string};

/**
 * Puts the receiver of the guide into a file, and reads the command in its first lines.
 * @param secret null: the environment has none
 */
async function prepare(t: TestContext, language: string, secret: string | null) {
  const code = codeAfter(`### ${language}\n`);
  const port = await freePort();
  const [, command = ''] = /^(?:\/\/|#) (.*)$/m.exec(code) ?? [];
  const [program = '', ...args] = command.replace('8080', String(port)).split(' ');
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, args.at(-1) ?? ''), code);
  // A variable that is undefined is missing in the environment.
  const env = {...process.env, PORT: String(port), WEBHOOK_SECRET: secret ?? undefined};
  return {program: program === 'node' ? process.execPath : program, args, options: {cwd, env}, port};
}

/** @param secret null: the environment has none */
async function start(
  t: TestContext,
  language: string,
  secret: string | null = newSecret(),
): Promise<Running> {
  const {program, args, options, port} = await prepare(t, language, secret);
  const child = spawn(program, args, options);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill();
    await exited;
  });
  await until(() => {
    assert.equal(child.exitCode, null, printed);
    return listens(port);
  });
  return {url: `http://127.0.0.1:${port}/`, port, secret: secret ?? '', printed: () => printed};
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });

const {event} = sampleEvent();
const body = JSON.stringify({...event, data: {...event.data, note: 'Zoë 😀 \u2028'}});
const minutes = 60_000;

/** The status of a request with these headers, of which each replaces or (if undefined) removes one of a right request. */
async function post(
  {url, secret}: Running,
  {at = Date.now(), sent = body, headers = {}}: Changed = {},
): Promise<number> {
  const date = new Date(at);
  const right = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': new Verifier(secret).sign('evt_1', date, body),
  };
  const given = Object.entries({...right, ...headers}).filter(([, value]) => value !== undefined);
  const response = await fetch(url, {
    method: 'POST',
    headers: Object.fromEntries(given) as Record<string, string>,
    body: sent,
  });
  await response.arrayBuffer();
  return response.status;
}
type Changed = {at?: number; sent?: string; headers?: Record<string, string | undefined>};

const refused = (): Record<string, Changed> => ({
  'with a changed body': {sent: body.replace('Sample', 'Simple')},
  'with a space after its body': {sent: `${body} `},
  'without a body': {sent: ''},
  'with another id': {headers: {'webhook-id': 'evt_2'}},
  'with another time': {headers: {'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 60)}},
  'that is six minutes old': {at: Date.now() - 6 * minutes},
  'that is six minutes ahead': {at: Date.now() + 6 * minutes},
  'with a time that is none': {headers: {'webhook-timestamp': 'now'}},
  'without an id': {headers: {'webhook-id': undefined}},
  'without a time': {headers: {'webhook-timestamp': undefined}},
  'without a signature': {headers: {'webhook-signature': undefined}},
  'with the signature of another secret': {
    headers: {'webhook-signature': new Verifier(newSecret()).sign('evt_1', new Date(), body)},
  },
  'with an empty signature': {headers: {'webhook-signature': 'v1,'}},
  'with a signature that is none': {headers: {'webhook-signature': 'v1,é v1 , v1'}},
});

/** PHP starts the script for each request, so that only the answer can say that there is no secret. */
async function refusesAll(t: TestContext, secret: string | null): Promise<void> {
  const running = await start(t, 'PHP', secret);
  const at = Math.floor(Date.now() / 1_000);
  const forged = createHmac('sha256', keyOf(secret ?? ''))
    .update(`evt_1.${at}.${body}`)
    .digest('base64');
  const headers = {'webhook-timestamp': String(at), 'webhook-signature': `v1,${forged}`};
  assert.equal(await post({...running, secret: newSecret()}, {headers}), 500);
  await until(() => running.printed().includes('WEBHOOK_SECRET must be whsec_'));
}

const languages = {Node: 'node', Python: 'python3', PHP: 'php'};
for (const [language, program] of Object.entries(languages)) {
  suite(`the receiver in ${language}`, {skip: missing(program)}, () => {
    test(`takes what a webhook sends, also while its secret is changed`, async (t) => {
      const running = await start(t, language);
      const request = eventRequest();
      const {reference} = reportedEvent(request);
      for (const secrets of [
        [running.secret],
        [newSecret(), running.secret],
        [running.secret, newSecret()],
      ]) {
        const {url} = running;
        const settings = {type: 'webhook', url, secrets: secrets.map(keyOf), isInternal: true} as const;
        const webhook = await openFor(t, createWebhook(settings, 20_000));
        assert.partialDeepStrictEqual(await webhook.deliver(request), {note: 'The receiver answered 204'});
      }
      await until(() => running.printed().split(`lead.created ${reference}`).length === 4);
    });
    test(`refuses what was not signed so, or not now`, async (t) => {
      const running = await start(t, language);
      assert.equal(await post(running), 204);
      assert.equal(await post(running, {at: Date.now() - 4 * minutes}), 204);
      for (const [what, changed] of Object.entries(refused())) {
        assert.equal(await post(running, changed), 401, `an event ${what}`);
      }
      const unknown = {'webhook-signature': new Verifier(running.secret).sign('evt_1', new Date(), body)};
      const [, value] = unknown['webhook-signature'].split(',');
      assert.equal(
        await post(running, {headers: {'webhook-signature': `v2,${value}`}}),
        401,
        'another version',
      );
      assert.equal(await post(running), 204);
    });
    test(
      'takes the sample that the guide signs in a shell',
      {skip: missing('openssl') || missing('curl')},
      async (t) => {
        const running = await start(t, language);
        const [setting, sample, change] = [
          '3. In a second shell',
          'Sign a sample',
          'Now change a letter',
        ].map((text) => codeAfter(text));
        const send = (secret: string, ...steps: (string | undefined)[]) => {
          const commands = [setting?.replace('whsec_…', secret), ...steps].join('\n');
          const child = spawn('sh', ['-c', commands], {env: {...process.env, PORT: String(running.port)}});
          let output = '';
          for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding('utf8').on('data', (text: string) => (output += text));
          }
          return once(child, 'close').then(() =>
            output.match(/^HTTP\/1\.[01] \d+/gm)?.map((line) => line.slice(9)),
          );
        };
        assert.deepEqual(await send(running.secret, sample), ['204']);
        await until(() => running.printed().includes('lead.created K7QM-2XHD'));
        assert.deepEqual(await send(newSecret(), sample), ['401']);
        assert.deepEqual(await send(running.secret, sample, change), ['204', '401']);
      },
    );
    test(`does not work without a secret of 24 bytes`, async (t) => {
      const short = Buffer.alloc(23);
      for (const secret of [null, '', 'whsec_', `whsec_${short.toString('base64')}`]) {
        if (language === 'PHP') {
          await refusesAll(t, secret);
        } else {
          const {program, args, options} = await prepare(t, language, secret);
          const {status, stderr} = spawnSync(program, args, {...options, timeout: 20_000});
          assert.equal(status, 1);
          assert.match(String(stderr), /WEBHOOK_SECRET must be whsec_ and at least 24 bytes in base64/);
        }
      }
    });
  });
}
