/** `lead-prequal.env`: the server and each command read settings from it, in the folder in which they run. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {chmodSync, mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {program} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {serviceSettings, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';
import {newSecret} from '../../support/webhook-receiver.ts';

type Settings = Record<string, string>;

const linesOf = (settings: Settings) => Object.entries(settings).map(([name, value]) => `${name}='${value}'`);

/** Prints faults and warnings of the configuration: a command would do the same, but load more. */
const reading = `
  import {readConfig} from ${JSON.stringify(join(import.meta.dirname, '../../../server/config/config.ts'))};
  let found;
  try {
    found = {faults: [], ...readConfig()};
  } catch (error) {
    found = error;
  }
  console.log(JSON.stringify([...found.faults, ...found.warnings]));
`;

/** A folder with the file, in which only the owner may read it. */
function inFolder(t: TestContext, more: Settings = {}) {
  const folder = temporaryFolder(t);
  const path = join(folder, 'lead-prequal.env');
  const settings = {...serviceSettings(folder), PORT: '0', ...more};
  const write = (...lines: string[]) =>
    writeFileSync(path, ['# Ours', ...linesOf(settings), ...lines].join('\n'), {mode: 0o600});
  write();
  const run = (environment: Settings, ...words: string[]) =>
    new Promise<string>((resolve) => {
      const options = {cwd: folder, env: {PATH: process.env['PATH'], ...environment}};
      execFile(process.execPath, words, options, (_error, stdout) => resolve(stdout));
    });
  const check = async (environment: Settings = {}) =>
    (JSON.parse(await run(environment, '--input-type=module', '--eval', reading)) as string[]).toSorted();
  return {folder, path, settings, write, run, check, line: linesOf(settings).length + 2};
}

suite('lead-prequal.env', () => {
  test('a command reads it, and a variable of the process wins, but not an empty one', async (t) => {
    const {folder, run, check} = inFolder(t);
    assert.match(await run({}, program, 'config', 'check'), /✓ The server would start/);
    assert.deepEqual(await check({PUBLIC_URL: 'nowhere', DATA_KEY: ''}), [
      'PUBLIC_URL must be a URL that starts with https:// or http://',
    ]);
    const key = join(folder, 'key');
    writeFileSync(key, 'short');
    assert.deepEqual(await check({DATA_KEY_FILE: key}), ['DATA_KEY.0 must have at least 32 characters each']);
  });

  const upgrade =
    'is no setting since 2.0. In its place is a key of lead-prequal.json, as "lead-prequal config upgrade" says';
  const names: [line: string, says?: string][] = [
    ['REDIS_ULR=canary', 'is not a setting: did you mean REDIS_URL?'],
    ['REDIS_URL_FLIE=canary', 'is not a setting'],
    ['log_level=canary', 'is not a setting: did you mean LOG_LEVEL?'],
    ['export EMAIL=a@example.com', 'is not a setting'],
    ['RETAIN_DAYS=30', upgrade],
    ['CALLERS_FILE=/nowhere', upgrade],
    [
      'EMBED_FOLDER=/nowhere',
      upgrade.replace('a key of lead-prequal.json', 'the folder dist/embed of the server'),
    ],
    ['CREDENTIALS_OLD_SECRET=canary', 'is not used by any destination: remove it'],
    ['CREDENTIALS_OLD_USER_FILE=/nowhere', 'is not used by any destination: remove it'],
    ['CREDENTIALS_OLD_PASWORD=canary', 'is not a setting'],
    ['BACKUPS_KEPT=30'],
    [`TOKEN_KEY=${'canary'.repeat(6)}`],
    ['EVIDENCE_KEY_FILE='],
  ];
  test('a name that is not known is refused with its line, and what may be meant', async (t) => {
    const {write, check, line} = inFolder(t);
    write(...names.map(([text]) => text));
    const expected = names.flatMap(([text, says], index) => {
      const name = text.replace(/^export |=.*/g, '');
      return says === undefined ? [] : [`lead-prequal.env:${line + index}: ${name} ${says}`];
    });
    assert.deepEqual(await check(), expected.toSorted());
  });

  test('without lead-prequal.json, former settings get one sentence, and wrong names are said', async (t) => {
    const {folder, write, check, line} = inFolder(t, {CONFIG_FILE: ''});
    rmSync(join(folder, 'lead-prequal.json'));
    write('CONFIG_FIEL=ours.json');
    assert.deepEqual(await check(), [
      `There is no ${folder}/lead-prequal.json: "lead-prequal init" writes it, or CONFIG_FILE names another file`,
      `lead-prequal.env:${line}: CONFIG_FIEL is not a setting`,
    ]);
    write('CONFIG_FIEL=ours.json', 'RETAIN_DAYS=30', 'CALLERS_FILE=/nowhere');
    const [sentence = '', ...others] = await check();
    assert.match(sentence, /^Since 2\.0, .*: CALLERS, RETAIN_DAYS\. "lead-prequal config upgrade" shows it/);
    assert.deepEqual(others, []);
  });

  test('a variable of the process is warned of if it is a former setting or an unused secret', async (t) => {
    const {check} = inFolder(t);
    const ofPlatforms = {REDIS_ULR: 'x', HOST_IP: 'x', EMBED_PORT: 'tcp://10.0.0.1:80', DATABASE_NAME: 'x'};
    assert.deepEqual(await check({...ofPlatforms, CREDENTIALS_OLD_URL: 'canary', RATE_LIMIT: '7'}), [
      'CREDENTIALS_OLD_URL is not used by any destination: remove it',
      'RATE_LIMIT is no setting since 2.0, and has no effect: remove it',
    ]);
  });

  test('a line that is no setting is refused with its line, but not one within a value in quotes', async (t) => {
    const {write, check, line} = inFolder(t);
    write(
      'LOG_LEVEL: info',
      "TRUST_PROXY='10.0.0.0/8,",
      "192.0.2.7'",
      'DRAIN_SECONDS',
      'SMTP_URL=smtp://a/#b',
      'set HOST=::1',
      "SMTP_URL='it's'",
      'SMTP_URL="whole" # with a "comment"',
      'SMTP_URL\t= "behind a tab"',
      'REDIS_URL= ',
      'SMTP_URL="smtp://a',
    );
    assert.deepEqual(
      await check(),
      [
        `lead-prequal.env:${line}: has no =: write a setting as NAME=value`,
        `lead-prequal.env:${line + 3}: has no =: write a setting as NAME=value`,
        `lead-prequal.env:${line + 4}: has a # in its value, which would end there: write the value between '…'`,
        `lead-prequal.env:${line + 5}: set HOST is not a setting`,
        ...[6, 10].map(
          (later) =>
            `lead-prequal.env:${line + later}: has quotes that do not enclose the whole value: write it between '…', "…" or \`…\`, whichever is not in it`,
        ),
      ].toSorted(),
    );
  });

  test('what comes too late for Node is warned of, unless the process has it', async (t) => {
    const {write, check, line} = inFolder(t);
    write('TZ=America/New_York', 'NODE_OPTIONS=--no-warnings');
    const late = (at: number, name: string) =>
      `lead-prequal.env:${at}: ${name} has no effect here: set it where the process is started`;
    assert.deepEqual(await check(), [late(line, 'TZ'), late(line + 1, 'NODE_OPTIONS')]);
    assert.deepEqual(await check({TZ: 'UTC'}), [late(line + 1, 'NODE_OPTIONS')]);
  });

  test('a file that every user can read is warned of', async (t) => {
    const {path, check} = inFolder(t);
    for (const [mode, warnings] of [
      [0o640, []],
      [0o644, ['lead-prequal.env can be read by every user of this machine: chmod o= lead-prequal.env']],
    ] as const) {
      chmodSync(path, mode);
      assert.deepEqual(await check(), warnings);
    }
  });

  test('a file that cannot be read, or holds nothing, stops the start', async (t) => {
    const {path, settings, check} = inFolder(t);
    for (const nothing of ['', '\0'.repeat(64)]) {
      writeFileSync(path, nothing);
      assert.deepEqual(await check(settings), ['lead-prequal.env holds nothing: fill it, or remove it']);
    }
    rmSync(path);
    assert.deepEqual(await check(settings), []);
    mkdirSync(path);
    assert.deepEqual(await check(settings), ['lead-prequal.env cannot be read (EISDIR)']);
  });

  test('a reload takes the secret of a new destination from it, and says what needs a restart', async (t) => {
    const {folder, write} = inFolder(t);
    const service = await startService({}, folder);
    t.after(() => service.end('SIGTERM'));
    writeConfig(folder, [{send_to: ['crm']}], {
      crm: {type: 'webhook', url: 'https://crm.example.com/in', credentials: 'CRM'},
    });
    const last = async (words: string) => {
      process.kill(service.pid, 'SIGHUP');
      await until(() => service.lines.some((line) => line.includes(words)));
      return service.lines.findLast((line) => line.includes(words)) ?? '';
    };
    assert.match(await last('"faults"'), /CREDENTIALS_CRM_SECRET is missing/);
    write(`CREDENTIALS_CRM_SECRET=${newSecret()}`, 'DRAIN_SECONDS=7');
    assert.match(await last('"needRestart":["DRAIN_SECONDS"]'), /destination crm added/);
  });
});
