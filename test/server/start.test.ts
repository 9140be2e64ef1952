/** How an operator starts the server, which signals it obeys, and which Node it wants. */
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {connect, createServer, type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {openConnection, requestText} from '../support/connection.ts';
import {basic, postJson, readJson} from '../support/http.ts';
import {standardBody} from '../support/sample-leads.ts';
import {readyPort, runService, serviceSettings, useService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {until} from '../support/until.ts';

const root = join(import.meta.dirname, '../..');
const isOpen = async (port: number) => {
  const socket = connect(port, '127.0.0.1');
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return open;
};

/** Whether any process is left in the group that this process leads. */
function groupLives(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs it in a process group of its own, which holds whatever npm starts, even once npm has ended. */
async function startByNpm(t: TestContext) {
  const child = spawn('npm', ['run', '--silent', 'serve'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      ...serviceSettings(temporaryFolder(t)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const leader = child.pid!;
  t.after(() => {
    if (groupLives(leader)) process.kill(-leader, 'SIGKILL');
  });
  const lines: string[] = [];
  createInterface({input: child.stderr}).on('line', (line) => lines.push(line));
  const port = await readyPort(child, lines);
  return {leader, port, ended: () => until(() => !groupLives(leader))};
}

suite('npm run serve', () => {
  test('ends with the server when npm alone gets SIGTERM', async (t) => {
    const {leader, port, ended} = await startByNpm(t);
    assert.ok(await isOpen(port));
    process.kill(leader, 'SIGTERM');
    await ended();
    assert.ok(!(await isOpen(port)));
  });
  // A terminal sends it to all processes at once, and npm passes its own on to the server.
  test('finishes a request under way when npm and the server both get SIGINT', async (t) => {
    const {leader, port, ended} = await startByNpm(t);
    const connection = await openConnection(port);
    const body = JSON.stringify(standardBody);
    const headers = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body))};
    const expecting = {...basic(acme), ...headers, expect: '100-continue'};
    connection.send(requestText('POST', '/json/leads', expecting, body.slice(0, 20)));
    await connection.continued();
    process.kill(-leader, 'SIGINT');
    // The closed port shows that the server is stopping; now comes another signal while it does.
    await until(async () => !(await isOpen(port)));
    process.kill(-leader, 'SIGINT');
    connection.send(body.slice(20));
    await readJson(await connection.answer(), 201);
    await ended();
  });
});

suite('a server whose log goes into a pipe', () => {
  test('a server goes on when the reader of its log ends, and ends in order when it is told to', async (t) => {
    const environment = {...serviceSettings(temporaryFolder(t)), PORT: '0', LOG_LEVEL: 'debug'};
    const child = spawn(process.execPath, [join(root, 'server/lead-prequal.cjs'), 'serve'], {
      cwd: root,
      env: {PATH: process.env['PATH'], ...environment},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const port = await readyPort(child, []);
    child.stdout.destroy();
    // At the level debug every request has a line, and after some 30 lines they are written.
    for (let count = 0; count < 300; count++) {
      await readJson(await fetch(`http://127.0.0.1:${port}/livez`), 200);
    }
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
});

suite('a running server', () => {
  const service = useService({
    CREDENTIALS_OLD_SECRET: 'canary-of-a-secret',
    ...{TZ: 'Europe/Berln', RETAIN_DAYS: '30'},
  });
  const create = () => fetch(`${service.url}/json/leads`, postJson(standardBody, basic(acme)));

  test('the log of the start warns of leftover secrets and settings, and of those without effect', async () => {
    await readJson(await create(), 201);
    const warnings = service.lines
      .filter((line) => line.includes('the configuration has a setting to look at'))
      .map((line) => JSON.parse(line) as {level: number; warning: string});
    assert.deepEqual(
      warnings.map(({level, warning}) => [level, warning.split(' ')[0]]),
      [
        [40, 'RETAIN_DAYS'],
        [40, 'CREDENTIALS_OLD_SECRET'],
        [40, 'TZ'],
        ...[40, 40, 40].map((level) => [level, 'Nobody']),
      ],
    );
    assert.ok(!service.lines.join('\n').includes('canary'));
  });
});

test('a port that is taken ends the start, and the error names PORT and what to do', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const {port} = other.address() as AddressInfo;
  const folder = temporaryFolder(t);
  const {code, errors} = await runService({...serviceSettings(folder), PORT: String(port)}, folder);
  assert.equal(code, 1);
  assert.match(
    errors,
    new RegExp(`^Cannot start: PORT ${port} is used by a server that runs already, or .*: stop it`, 'm'),
  );
});

suite('the launcher', () => {
  const {engines} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {engines: {node: string}};
  const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.').map(Number);

  /** @returns the path of a copy of it in a project that wants other versions of Node, and has another command */
  function copyLauncher(t: TestContext, node: string, command: string): string {
    const folder = temporaryFolder(t);
    const launcher = join(folder, 'server/lead-prequal.cjs');
    mkdirSync(join(folder, 'server/cli'), {recursive: true});
    copyFileSync(join(root, 'server/lead-prequal.cjs'), launcher);
    writeFileSync(join(folder, 'server/cli/main.ts'), command);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({type: 'module', engines: {node}}));
    return launcher;
  }

  const launch = (t: TestContext, node: string) =>
    promisify(execFile)(process.execPath, [copyLauncher(t, node, 'console.log("started" as string);')]);

  const fitting = [
    ...[`>=${major}.${minor}.${patch}`, `>=${major - 1}.99.99`, `^${major}.${minor}.${patch}`],
    ...[`^${major}.0.99 || >=99.0.0`, `^${major - 2}.16.0 || >=${major}.0.0`],
  ];
  for (const range of fitting) {
    test(`starts the command where ${range} is wanted`, async (t) => {
      assert.equal((await launch(t, range)).stdout, 'started\n');
    });
  }
  const unfitting = [
    ...[`>=${major}.${minor}.${patch + 1}`, `>=${major}.${minor + 1}.0`],
    ...[`^${major}.${minor + 1}.0 || >=99.1.0`, `^${major - 1}.0.0`],
  ];
  for (const range of unfitting) {
    test(`says in one sentence which Node it wants where that is ${range}`, async (t) => {
      await assert.rejects(launch(t, range), (error: {code: number; stdout: string; stderr: string}) => {
        assert.equal(error.code, 1);
        assert.equal(error.stdout, '');
        assert.match(error.stderr, /^lead-prequal needs Node .*; this is Node [\d.]+ \(docs.*#node\)\.\n$/);
        assert.ok(error.stderr.includes(process.versions.node));
        return true;
      });
    });
  }
  test('hears signals before it loads anything, and SIGHUP alone does not end it', async (t) => {
    const main = "console.log('loading'); setInterval(() => console.log('loading'), 10);";
    const launcher = copyLauncher(t, '>=10.0.0', main);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const child = spawn(process.execPath, [launcher, 'serve'], {stdio: ['ignore', 'pipe', 'inherit']});
      t.after(() => child.kill('SIGKILL'));
      const lines = createInterface({input: child.stdout});
      await once(lines, 'line');
      child.kill('SIGHUP');
      for (let count = 0; count < 5; count++) await once(lines, 'line');
      const exited = once(child, 'exit');
      child.kill(signal);
      assert.deepEqual(await exited, [0, null]);
    }
  });
  test('reads what package.json wants', () => {
    assert.match(engines.node, /^(\^|>=)\d+\.\d+\.\d+( \|\| (\^|>=)\d+\.\d+\.\d+)*$/);
  });
  test('is what npx lead-prequal runs', async () => {
    const {stdout} = await promisify(execFile)('npx', ['lead-prequal', '--help'], {cwd: root});
    assert.match(stdout, /^Usage: lead-prequal/);
  });
});
