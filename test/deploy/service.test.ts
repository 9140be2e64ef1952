/**
 * The service of systemd. systemd itself checks the unit here, but does not run it: this machine need not have been
 * started by systemd. Instead, the server runs in a scratch root as the unit says, and a tracer tells which system calls
 * and sockets it needs, so that the sandbox cannot forbid one of them.
 */
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {suite, test, type TestContext} from 'node:test';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {missing} from '../support/installed.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {readyPort} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {makeScratchRoot, noScratchRoot, processId, runIn, spawnIn} from './scratch-root.ts';

const repository = join(import.meta.dirname, '../..');
const deploy = join(repository, 'deploy');
const unit = join(deploy, 'lead-prequal.service');
const unitText = readFileSync(unit, 'utf8');

/** All values of a key of the unit. */
const valuesOf = (key: string) =>
  [...unitText.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(' '));

/** The system calls of a set of systemd, such as `@privileged`, and of the sets in it. */
function callsOf(set: string): string[] {
  const printed = execFileSync('systemd-analyze', ['syscall-filter', set], {encoding: 'utf8'});
  const members = [...printed.matchAll(/^ {4}([@\w-]+)$/gm)].map(([, name = '']) => name);
  return members.flatMap((name) => (name.startsWith('@') ? callsOf(name) : [name]));
}

suite('the unit', {skip: missing('systemd-analyze')}, () => {
  test('systemd has nothing to say against it', () => {
    const {status, stdout, stderr} = spawnSync('systemd-analyze', ['verify', unit], {encoding: 'utf8'});
    assert.deepEqual({status, said: stdout + stderr}, {status: 0, said: ''});
  });
  test('systemd finds that it exposes little: 1.5 of 10 points or less', () => {
    const {status, stdout, stderr} = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--threshold=15', unit],
      {encoding: 'utf8'},
    );
    assert.equal(status, 0, stdout + stderr);
  });
});

/** A machine after the steps of docs/install.md. */
function installService(t: TestContext, env: string) {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  execFileSync('chmod', ['755', folder.path]);
  const root = join(folder.path, 'root');
  makeScratchRoot(root);
  execFileSync('systemd-sysusers', [`--root=${root}`, join(deploy, 'lead-prequal.sysusers.conf')], {
    stdio: 'pipe',
  });
  const [, uid = '', gid = ''] =
    /^lead-prequal:x:(\d+):(\d+):/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8')) ?? [];
  const code = join(root, 'opt/lead-prequal');
  for (const name of ['contract', 'form', 'package.json', 'releases', 'server'])
    cpSync(join(repository, name), join(code, name), {recursive: true});
  mkdirSync(join(code, 'node_modules'));
  writeFileSync(join(root, 'etc/lead-prequal.env'), env, {mode: 0o600});
  cpSync(join(deploy, 'lead-prequal.sh'), join(root, 'usr/local/bin/lead-prequal'));
  // What systemd makes of StateDirectory.
  const state = join(root, 'var/lib/lead-prequal');
  mkdirSync(state, {mode: 0o700});
  chownSync(state, Number(uid), Number(gid));
  return {
    ...{root, state, user: `${uid}:${gid}`},
    mounts: {'/var/lib/lead-prequal': state},
    readOnlyMounts: {'/opt/lead-prequal/node_modules': realpathSync(join(repository, 'node_modules'))},
  };
}

const secrets = `CALLERS='${JSON.stringify([acme])}'\nTOKEN_KEY=${'7'.repeat(64)}\n`;
const exampleEnv = readFileSync(join(deploy, 'example.env'), 'utf8');
const filledIn = exampleEnv.replace(/^CALLERS=\n/m, '').replace(/^TOKEN_KEY=\n/m, '') + secrets;

suite('the service', {skip: noScratchRoot() || missing('strace') || missing('systemd-sysusers')}, () => {
  test('the server needs no system call and no socket that the unit forbids', async (t) => {
    const {root, state, user, ...mounts} = installService(t, filledIn);
    const [program = '', ...rest] = valuesOf('ExecStart');
    const environment = Object.fromEntries(
      [...filledIn.matchAll(/^(\w+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    const child = spawnIn(
      root,
      ['strace', '-f', '-qq', '-o', 'trace', `/usr/local/bin/${program}`, ...rest],
      {
        ...mounts,
        ...{user, readOnly: true, folder: valuesOf('WorkingDirectory')[0]!},
        environment: {...environment, PORT: '0'},
      },
    );
    t.after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({input: child.stderr!}).on('line', (line) => lines.push(line));
    const port = await readyPort(child, lines);
    const fetchPath = fetchFrom(`http://127.0.0.1:${port}`);
    await readJson(await fetchPath('/json/leads', postJson(prequalificationBody, basic(acme))), 201);
    await readJson(await fetchPath('/health'), 200);
    const exited = once(child, 'exit');
    const tracer = await processId(child);
    const server = readFileSync(`/proc/${tracer}/task/${tracer}/children`, 'utf8');
    process.kill(Number(server), 'SIGTERM');
    assert.deepEqual(await exited, [0, null]);

    const trace = readFileSync(join(state, 'trace'), 'utf8');
    const called = new Set([...trace.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = '']) => name));
    assert.ok(called.has('accept4') && called.has('fsync'), [...called].join(' '));
    const filters = valuesOf('SystemCallFilter');
    const allowed = new Set(filters.filter((name) => !name.startsWith('~')).flatMap(callsOf));
    for (const name of filters.filter((filter) => filter.startsWith('~')))
      for (const call of callsOf(name.slice(1))) allowed.delete(call);
    assert.deepEqual(
      [...called].filter((name) => !allowed.has(name)),
      [],
    );
    const families = valuesOf('RestrictAddressFamilies');
    const opened = [...trace.matchAll(/ socket(?:pair)?\((AF_\w+)/g)].map(([, family = '']) => family);
    assert.deepEqual(
      opened.filter((family) => !families.includes(family)),
      [],
    );
  });

  test("the operator's command has the settings and the user of the service", async (t) => {
    const {root, state, user, ...mounts} = installService(t, filledIn);
    const asRoot = (command: readonly string[]) => runIn(root, command, mounts);
    const check = await asRoot(['lead-prequal', 'config', 'check']);
    assert.match(check.output, /The server would start/, check.errors);
    await asRoot(['lead-prequal', 'leads', 'count']);
    const made = await asRoot(['stat', '--format=%u:%g', '/var/lib/lead-prequal']);
    assert.equal(made.output.trim(), user, state);
  });
});
