/** Every command, over a store whose texts would change the terminal or feign lines of ours. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {printable, toJson, visible} from '../../../server/admin/visible.ts';
import {createRun, printTable} from '../../../server/cli/output.ts';
import {run as runUnchecked} from '../../../server/cli/program.ts';
import {openFor} from '../../support/opened.ts';
import {operationLines} from '../../support/operations.ts';
import {linesOf, operate, printedBy, runCommand} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {asLead, newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {newSecret, replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';
import {encryptOtherwise} from '../../support/encrypted-rows.ts';

/** What a terminal obeys or hides: commands, changes of direction, tags, halves of characters. Joiners stay. */
const hidden = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}]/u;
const oneLine =
  'mark\u001b[2J\u001b]0;x\u0007\u009b31m\u009d0;x\u009c\u007f\u202e\u2066\u200b\ufeff\u00ad\u{e0000}\u{e0041}\u{e007f}👩\u200d👧می\u200cخواهم';
/** The line that a stranger would have an operator read as one of ours. */
const forged = 'forged  line';
const lines = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v'].map(
  (end) => `${oneLine}${end}${forged}`,
);
const hostile = lines.join('');
/** Only JSON has a form for it: neither database stores it as text. */
const withHalf = `${hostile}\ud800`;

const sql = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The help of each command of a group, by its words. */
async function helpOf(...group: string[]): Promise<Map<string, string>> {
  const {stdout} = await runCommand({}, ...group, '--help');
  const [, listed] = /\nCommands:\n([^]*?)(?:\n\n|$)/.exec(stdout) ?? [];
  if (listed === undefined) return new Map([[group.join(' '), stdout]]);
  const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
  const inner = names.filter((name) => name !== 'help').map((name) => helpOf(...group, name));
  const helps = (await Promise.all(inner)).flatMap((each) => [...each]);
  // Some do something by themselves.
  return new Map(
    /\nOptions:\n(?: .*\n)* +--json/.test(stdout) ? [[group.join(' '), stdout], ...helps] : helps,
  );
}

const flat = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...flat(inner)])
    : typeof value === 'string'
      ? [value]
      : [];

test('a value beside its name has no run of spaces, after which a terminal begins a line', async () => {
  const stdout = new PassThrough();
  const {printFields} = createRun({stdout, stderr: new PassThrough()});
  await printFields([
    ['partner', 'acme'],
    ['lead.notes', `a${' '.repeat(80)}partner  globex\n\tb`],
  ]);
  const indent = ' '.repeat('lead.notes  '.length);
  assert.equal(String(stdout.read()), `partner     acme\nlead.notes  a partner globex\n${indent} b\n`);
  await printFields([['notes', `a forged  line\n${'李'.repeat(5)} b`]], 16);
  assert.equal(String(stdout.read()), 'notes  a forged\n       line\n       李李李李\n       李 b\n');
});

test('a table is cut to the width of a terminal, and the end of a short row makes no column wide', async () => {
  const stdout = new PassThrough();
  const run = createRun({stdout, stderr: new PassThrough()});
  const rows = [
    ['acme', '$5', 'spring'],
    ['it cannot be read, and says why'],
    ['李', '$1,005', '春'.repeat(9)],
  ];
  await printTable(run, ['partner', 'total', 'campaign'], rows, undefined, 25);
  const lines = [
    'partner  total   campaign',
    'acme         $5  spring',
    'it cannot be read, and s…',
    '李        $1,005  春春春…',
  ];
  assert.equal(String(stdout.read()), lines.map((line) => `${line}\n`).join(''));
});

test('a table may have more rows than a function takes arguments', async () => {
  const stdout = new PassThrough({highWaterMark: 2 ** 24});
  const run = createRun({stdout, stderr: new PassThrough()});
  await printTable(run, ['partner', 'leads'], Array<[string, number]>(300_000).fill(['acme', 1]));
  assert.equal(String(stdout.read()), `partner  leads\n${'acme         1\n'.repeat(300_000)}`);
});

test('no command prints what a terminal obeys or hides, and JSON has the same texts', async (t) => {
  const crm = await openFor(t, startWebhookReceiver(replyWith(500, {}, hostile)));
  const destinations = {crm: {type: 'webhook', url: `http://127.0.0.1:${crm.port}/`, credentials: 'CRM'}};
  const partner = {name: `Acme\u2028${forged}`};

  const lead = {...asLead(prequalificationBody), notes: withHalf};
  for (const name of ['first_name', 'last_name', 'email', 'state', 'time_frame', 'cid'] as const)
    Object.assign(lead, {[name]: name === 'cid' ? hostile : withHalf});
  lead.phone = {typed: withHalf, e164: withHalf};
  const entry = newEntry({
    lead,
    partner: hostile,
    attribution: {utm_source: hostile, utm_campaign: hostile, gclid: withHalf, referrer: withHalf},
    suspect: hostile,
    consent: {
      ...{textVersion: withHalf, textHash: withHalf, agreed: true, givenAt: Date.now()},
      ...{origin: withHalf, page: withHalf, ip: withHalf, userAgent: withHalf},
    },
    deliveries: [newDelivery({destination: 'crm', content: 'created', state: 'held'})],
  });
  const other = newEntry({
    lead,
    partner: hostile,
    deliveries: [newDelivery({destination: hostile, state: 'held'})],
  });
  const {settings, execute, select, folder} = await operate(t, [entry, other], {
    settings: {
      CONFIG_FILE: writeConfig(temporaryFolder(t), [partner], destinations),
      CREDENTIALS_CRM_SECRET: newSecret(),
      SUDO_USER: hostile,
    },
  });
  // Some values of the leads are not among those that a schema lists.
  const isUnlisted = (words: readonly string[]) => words[1] === 'show';
  const run = (...words: string[]) =>
    isUnlisted(words)
      ? printedBy((streams) => runUnchecked(words, createRun({environment: settings, ...streams})))
      : runCommand(settings, ...words);
  const report = {
    ...{name: hostile, digest: hostile, inForceSince: 0, request: null, sealsWith: hostile},
    ...{changes: [hostile], faults: [hostile], needRestart: [hostile], environment: {[hostile]: hostile}},
  };
  const recipients = JSON.stringify({left: [hostile], refused: [hostile]});
  await encryptOtherwise({execute, select}, entry.id, ({answer, ...personal}) => ({
    ...personal,
    answer: {...answer, policy_version: hostile, reasons: JSON.stringify({[hostile]: hostile})},
  }));
  await execute(`
    UPDATE deliveries SET last_error = ${sql(hostile)}, remote_id = ${sql(hostile)}, recipients = ${sql(recipients)},
      last_reply = ${sql(JSON.stringify({excerpt: withHalf}))};
    INSERT INTO paused_destinations VALUES (${sql(hostile)}, 0, ${sql(hostile)}, NULL), ('crm', 0, ${sql(hostile)}, NULL);
    INSERT INTO processes VALUES ('1', ${Date.now() + 60_000}, ${sql(JSON.stringify(report))});
    INSERT INTO version_requests VALUES (${Date.now()}, ${sql(hostile)}, ${sql(hostile)}, 5)`);

  const [backup, csv, jsonl] = ['backup', 'leads.csv', 'leads.jsonl'].map((name) =>
    join(folder, `${oneLine}${name}`),
  ) as [string, string, string];

  const named = {
    held: other.id,
    waiting: entry.id,
    phone: '+12025550142',
    kid: oneLine,
    key: oneLine,
    text: oneLine,
  };
  const operations = operationLines(named).map(([words, ...rest]) => [...words.split(' '), ...rest]);
  /** The same with such a text for each argument, or as a name that nobody has. */
  const others = operationLines(named).map(([words, ...rest]) => [
    ...words.split(' '),
    ...(rest.length > 0 && !rest[0]?.startsWith('-') ? [oneLine, ...rest.slice(1)] : rest),
  ]);
  // In this order, because some change what others print.
  const tried: string[][] = [
    ['leads', 'show', entry.id],
    ['leads', 'show', oneLine],
    ['leads', 'export', csv],
    ['leads', 'export', csv],
    ['leads', 'export', jsonl],
    ['leads', 'export', `${oneLine}/none/leads.csv`],
    ['leads', 'export', `leads.${oneLine}`],
    ['leads', 'export', '--format', 'jsonl'],
    ['leads', 'export', join(folder, `${oneLine}consents.csv`), '--consents'],
    ['leads', 'list'],
    ['leads', 'list', '--state', oneLine],
    ['leads', 'list', '--email', oneLine],
    ['consent', 'show', entry.id],
    ['consent', 'show', entry.id, '--signed'],
    ['consent', 'list', '--text', oneLine],
    ['deliveries', 'list', '--state', 'refused', '--destination', oneLine],
    ['destinations', 'secret'],
    ['reload', '--wait', '1'],
    ['partners', 'snippet', 'acme'],
    ['partners', 'snippet', oneLine],
    ['config', 'check', '--partner', 'acme', '--origin', oneLine],
    ['config', 'check', '--partner', oneLine, '--origin', 'https://www.acme.example'],
    ['callers', 'new', 'somebody', '--cid', oneLine],
    ['callers', 'new', oneLine],
    ['config', 'check'],
    ['config', 'schema'],
    ['config', 'upgrade'],
    ['init', '--contact', oneLine, '--url', oneLine],
    ['status'],
    ['backup', backup],
    ['backup', backup],
    ['restore', backup],
    ['restore', `${backup}.none`],
    ...others,
    ...others.map((words) => [...words, '--yes']),
    ...operations,
    ['consent', 'list', '--revoked'],
    ...operations.map((words) => [...words, '--yes']),
    ['leads', 'show', other.id],
    ['consent', 'show', other.id],
    ['store', 'copy', '--to', `${folder}/none/${oneLine}`],
    ['store', 'repair', '--yes'],
  ];

  const found = new Set<string>();
  const helps = await helpOf();
  const used = new Set<string>();
  for (const words of tried) {
    const name =
      [3, 2, 1].map((many) => words.slice(0, many).join(' ')).find((some) => helps.has(some)) ?? '';
    used.add(name);
    const takesJson = helps.get(name)?.includes('--json');
    const ways = takesJson ? [[], ['--json']] : [[]];
    const ran = await Promise.all(ways.map(async (json) => ({json, ...(await run(...words, ...json))})));
    for (const {json, code, stdout, stderr} of ran) {
      const shown = JSON.stringify([...words, ...json]);
      const [own] = hidden.exec(stdout + stderr) ?? [];
      assert.equal(own, undefined, `${shown} prints ${JSON.stringify(own)}:\n${toJson({stdout, stderr})}`);
      assert.doesNotMatch(stdout + stderr, /^forged/m, shown);
      assert.doesNotMatch(stderr, /\n +at /, shown);
      assert.notEqual(code, -1);
      if (json.length === 0 && !words.includes('jsonl')) continue;
      for (const text of linesOf({stdout}).flatMap(flat)) if (text.includes('mark')) found.add(text);
    }
  }
  for (const text of [hostile, withHalf])
    assert.ok(found.has(text), 'the texts are in JSON as they are stored');

  const printed = await run('leads', 'show', entry.id);
  const [block = ''] = /^Notes +mark(?:.*\n {18})+.*$/m.exec(printed.stdout) ?? [];
  assert.equal(block.match(/^ {18}forged line/gm)?.length, lines.length, 'notes keep their lines');
  assert.ok(printed.stdout.includes('👩\u200d👧می\u200cخواهم'));
  assert.ok((await run('leads', 'list')).stdout.includes(referenceOf(entry.id)));

  const shownFile = readFileSync(csv, 'utf8').replaceAll('\r\n', '\n');
  assert.doesNotMatch(shownFile, hidden);
  const exported = readFileSync(jsonl, 'utf8');
  assert.doesNotMatch(exported, hidden);
  const ofLead = exported.split('\n').find((line) => line.includes(entry.id)) ?? '';
  assert.partialDeepStrictEqual(JSON.parse(ofLead), {lead: {notes: withHalf}});

  // The server and the operators' pages print their logs, which have a form of their own.
  assert.deepEqual([...used, 'serve', 'admin'].toSorted(), [...helps.keys()].toSorted());
});

test('a text of a stranger is one line when printable, and otherwise keeps its line breaks', () => {
  const rows: [text: string, inOneLine: string, inSeveral: string][] = [
    ['a\r\nb\rc\u2028d\u0085e', 'a b c d e', 'a\nb\nc\nd\ne'],
    ['a\tb', 'a b', 'a\tb'],
    ['a    \u00a0 b', 'a b', 'a    \u00a0 b'],
    ['a\u3164\u034fb', 'a�b', 'a�b'],
    ['\u001b[2J\u009b', '�[2J�', '�[2J�'],
    ['a\u202e\u{e0041}\u{e0000}b\ud800', 'a�b�', 'a�b�'],
    ['👩\u200d👧 می\u200cخواهم ☕️', '👩\u200d👧 می\u200cخواهم ☕️', '👩\u200d👧 می\u200cخواهم ☕️'],
  ];
  for (const [text, inOneLine, inSeveral] of rows) {
    assert.equal(printable(text), inOneLine);
    assert.equal(visible(text), inSeveral);
    assert.deepEqual(JSON.parse(toJson({[text]: text})), {[text]: text});
  }
});
