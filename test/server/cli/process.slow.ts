/** What the command has only as a process: streams, exit status, environment, and the limits of an export. */
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {suite, test} from 'node:test';
import {promisify} from 'node:util';
import {suiteOwner} from '../../support/opened.ts';
import {linesOf, operate, program, runProcess} from '../../support/operator.ts';
import {newEntry, prequalificationBody} from '../../support/sample-leads.ts';

const launcher = join(import.meta.dirname, '../../../server/lead-prequal.cjs');

suite('the process of a command', () => {
  const owner = suiteOwner();
  let operated: ReturnType<typeof operate> | undefined;
  const stored = () => (operated ??= operate(owner, [newEntry(), newEntry()]));

  test('it reads the settings from its environment, and prints its result alone to stdout', async () => {
    const {settings} = await stored();
    const {code, stdout, stderr} = await runProcess(settings, 'leads', 'list', '--json');
    assert.equal(code, 0);
    assert.equal(stdout.trimEnd().split('\n').length, 2);
    assert.match(stderr, /^2 leads; /);
  });

  test('it reads an e-mail address from standard input, if there is one', async () => {
    const {settings} = await stored();
    const listing = async (input: string) => {
      const child = spawn(process.execPath, [program, 'leads', 'list', '--json', '--email', '-'], {
        env: {PATH: process.env['PATH'], ...settings},
      });
      child.stdin.end(input);
      const [output, errors, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number]>,
      ]);
      return {code, rows: output.split('\n').length - 1, errors};
    };
    const {email} = prequalificationBody;
    assert.partialDeepStrictEqual(await listing(`${email}\nnext line\n`), {code: 0, rows: 2});
    assert.partialDeepStrictEqual(await listing('none@example.com'), {code: 0, rows: 0});
    const none = await listing('');
    assert.deepEqual([none.code, none.rows], [2, 0]);
    assert.match(none.errors, /standard input has no line: The e-mail address is missing/);
  });

  test('its exit status is 1 if the command fails, and 2 if the command line is wrong', async () => {
    const {settings} = await stored();
    const failed = await runProcess(settings, 'leads', 'show', 'ZZZZ-ZZZZ');
    assert.deepEqual([failed.code, failed.stdout], [1, '']);
    const wrong = await runProcess({}, 'leads', 'lists');
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    for (const words of [['help'], ['help', 'leads'], ['leads', 'help'], ['leads', '--help']]) {
      const help = await runProcess({}, ...words);
      assert.deepEqual([help.code, help.stderr], [0, ''], words.join(' '));
    }
  });

  test('a reader that closes the pipe ends it without an error', async () => {
    const {settings} = await stored();
    const ended = await new Promise((resolve) => {
      const options = {env: {PATH: process.env['PATH'], ...settings}};
      const child = execFile(process.execPath, [program, 'leads', 'list'], options, (error, _, stderr) =>
        resolve({error, stderr}),
      );
      child.stdout?.destroy();
    });
    assert.deepEqual(ended, {error: null, stderr: ''});
    const [id] = linesOf(await runProcess(settings, 'leads', 'list', '--json')).map((line) =>
      String(line['id']),
    );
    const revoking = spawn(process.execPath, [program, 'consent', 'revoke', id!, '--yes'], {
      env: {PATH: process.env['PATH'], ...settings},
    });
    revoking.stderr.destroy();
    revoking.stdout.resume();
    assert.deepEqual(await once(revoking, 'exit'), [0, null], 'the stop is carried out');
  });

  const noFull = !existsSync('/dev/full') && 'this system has no /dev/full';
  test('a full disk is named, and the exit status is 1', {skip: noFull}, async () => {
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
    const child = spawn(process.execPath, [program, 'destinations', 'secret'], {stdio: [...stdio]});
    const [errors, [code]] = await Promise.all([
      text(child.stderr!),
      once(child, 'close') as Promise<[number]>,
    ]);
    assert.equal(code, 1);
    assert.match(errors, /^The result cannot be written: ENOSPC[^\n]*\n$/);
  });

  test('an export starts Node anew, once, with limits for its memory', async () => {
    const {settings} = await stored();
    const printing = 'data:text/javascript,console.error(process.execArgv.join())';
    const environment = {...settings, NODE_OPTIONS: `--import=${printing}`};
    const {stdout, stderr} = await promisify(execFile)(process.execPath, [launcher, 'leads', 'export'], {
      env: {PATH: process.env['PATH'], ...environment},
    });
    assert.equal(stdout.trimEnd().split('\n').length, 3);
    assert.match(
      stderr,
      /^\n--max-semi-space-size=\d+,--max-old-space-size=\d+\n.* personal data .*\n2 leads\n$/,
    );
  });
});
