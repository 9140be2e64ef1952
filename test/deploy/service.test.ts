/**
 * The service of systemd. systemd itself checks the unit here, but does not run it: this machine need not have been
 * started by systemd. Instead, the commands of docs/install.md install the server in a scratch root, it runs there as the
 * unit says, and a tracer tells which system calls and sockets it needs, so that the sandbox cannot forbid one of them.
 */
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {createInterface} from 'node:readline';
import {before, suite, test} from 'node:test';
import {parseEnv} from 'node:util';
import {writeConfig} from '../support/config-file.ts';
import {fetchFrom, postJson, readJson} from '../support/http.ts';
import {missing} from '../support/installed.ts';
import {suiteOwner} from '../support/opened.ts';
import {rowsOf} from '../support/rows.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {readyPort} from '../support/service-process.ts';
import {listedOrigin} from '../support/test-server.ts';
import {makeTemporaryFolder, temporaryFolder} from '../support/temporary-folder.ts';
import {
  cloneInto,
  followIn,
  makeScratchRoot,
  noScratchRoot,
  processId,
  runIn,
  spawnIn,
} from './scratch-root.ts';

const repository = join(import.meta.dirname, '../..');
const deploy = join(repository, 'deploy');
const unit = join(deploy, 'lead-prequal.service');
const unitText = readFileSync(unit, 'utf8');
const backupUnit = join(deploy, 'lead-prequal-backup.service');

/** All values of a key of a unit. */
const valuesOf = (key: string, text = unitText) =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(' '));

/** The system calls of a set of systemd, such as `@privileged`, and of the sets in it. */
function callsOf(set: string): string[] {
  const printed = execFileSync('systemd-analyze', ['syscall-filter', set], {encoding: 'utf8'});
  const members = [...printed.matchAll(/^ {4}([@\w-]+)$/gm)].map(([, name = '']) => name);
  return members.flatMap((name) => (name.startsWith('@') ? callsOf(name) : [name]));
}

suite('the units', {skip: missing('systemd-analyze')}, () => {
  for (const path of [unit, backupUnit, join(deploy, 'lead-prequal-backup.timer')])
    test(`systemd has nothing to say against ${basename(path)}`, () => {
      const {status, stdout, stderr} = spawnSync('systemd-analyze', ['verify', path], {encoding: 'utf8'});
      assert.deepEqual({status, said: stdout + stderr}, {status: 0, said: ''});
    });
  for (const path of [unit, backupUnit])
    test(`systemd finds that ${basename(path)} exposes little: 1.5 of 10 points or less`, () => {
      const {status, stdout, stderr} = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--threshold=15', path],
        {encoding: 'utf8'},
      );
      assert.equal(status, 0, stdout + stderr);
    });
});

test("the operator's command says that its folder is missing, or closed to whoever runs it", () => {
  const script = readFileSync(join(deploy, 'lead-prequal.sh'), 'utf8').replace(
    '/etc/lead-prequal',
    '/etc/missing',
  );
  const {status, stderr} = spawnSync('sh', ['-c', script, 'lead-prequal', 'status'], {encoding: 'utf8'});
  assert.deepEqual(
    [status, stderr.startsWith('/etc/missing is missing, or only root may enter it')],
    [1, true],
  );
});

test('the nightly backup finds the list of erasures and its number, however they are written', (t) => {
  const texts = [...readFileSync(backupUnit, 'utf8').matchAll(/^ExecStart=sh -ec '(.*)'$/gm)];
  const [, list = '', kept = ''] = texts.map(([, text = '']) => text.replaceAll('$$', () => '$'));
  const folder = temporaryFolder(t);
  const [backups, erasures_file] = [join(folder, 'backups'), join(folder, 'erased')];
  const env = {...process.env, BACKUPS: backups, DATABASE_PATH: join(folder, 'leads.sqlite')};
  const backedUp = (script: string, files: Record<string, string>, before: readonly string[]) => {
    rmSync(backups, {recursive: true, force: true});
    mkdirSync(backups);
    for (const name of before) writeFileSync(join(backups, name), '');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const {status, stderr} = spawnSync('sh', ['-ec', script], {cwd: folder, env, encoding: 'utf8'});
    assert.equal(status, 0, stderr);
    return readdirSync(backups);
  };
  const [before, after] = [{alerts_to: ['ops@example.com']}, {mail_from: 'leads@example.com'}];
  for (const content of [{erasures_file}, {...before, erasures_file}, {erasures_file, ...after}])
    for (const json of [JSON.stringify(content), JSON.stringify(content, null, 2).replaceAll('":', '" :')]) {
      const files = {'lead-prequal.json': json, erased: 'a line'};
      assert.deepEqual(backedUp(list, files, []), ['leads.sqlite.erasures'], json);
    }
  for (const line of ['BACKUPS_KEPT=2', ' export BACKUPS_KEPT = "2"', 'BACKUPS_KEPT= 2 # nights']) {
    const names = ['1', '2', '3'].map((day) => `leads-2026-01-0${day}-031500.sqlite`);
    const env = `${line}\n# BACKUPS_KEPT=3\nPORT=8080\n`;
    assert.deepEqual(backedUp(kept, {'lead-prequal.env': env}, names), names.slice(1), line);
  }
});

const guide = readFileSync(join(repository, 'docs/install.md'), 'utf8');
/** The blocks of commands of a section. */
const blocksOf = (section: string) =>
  [...(guide.split(`\n## ${section}\n`)[1] ?? '').split('\n## ')[0]!.matchAll(/```sh\n([^]*?)```/g)].map(
    ([, block = '']) => block.replaceAll(/^ +/gm, ''),
  );
const [fetched, , proxied] = blocksOf('The first hour');
const [made, moved, started, backedUp] = blocksOf('A service');

const machine = 'PUBLIC_URL=https://leads.example.com\nADMIN_URL=https://admin.example.com\nTRUST_PROXY=1\n';

suite('the service', {skip: noScratchRoot() || missing('strace') || missing('systemd-sysusers')}, () => {
  const folder = makeTemporaryFolder();
  const root = join(folder.path, 'root');
  suiteOwner().after(() => folder.remove());
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const settings = valuesOf('WorkingDirectory')[0]!;
  const state = `/var/lib/${valuesOf('StateDirectory')[0]}`;

  /** What a unit gives to a program: its user, its folder, those that can be written, and its environment. */
  const asService = (text = unitText) => {
    const [, user = ''] = /^lead-prequal:x:(\d+:\d+):/m.exec(read('etc/passwd')) ?? [];
    const writable = [state, ...valuesOf('ReadWritePaths', text)];
    return {
      ...{user, folder: settings, readOnly: true},
      mounts: Object.fromEntries(writable.map((path) => [path, join(root, path)])),
      environment: parseEnv(valuesOf('Environment', text).join('\n')) as Record<string, string>,
    };
  };

  const follow = (block = '') => followIn(root, block);

  before(async () => {
    makeScratchRoot(root);
    execFileSync('chmod', ['755', folder.path]);
    cloneInto(join(root, 'opt/lead-prequal'));
    await follow(fetched);
    // What init and a first start by hand leave in the clone.
    const clone = join(root, 'opt/lead-prequal');
    writeConfig(clone);
    writeFileSync(join(clone, 'lead-prequal.env'), machine, {mode: 0o600});
    mkdirSync(join(clone, 'data'));
    await follow(made);
    await follow(moved);
  });

  test('is ready to start after the commands of the guide', async () => {
    assert.match(await follow(started), /The server would start/);
    assert.equal(read('etc/systemd/system/lead-prequal.service'), unitText);
    const {mode, uid, gid} = statSync(join(root, settings, 'lead-prequal.env'));
    assert.deepEqual([mode & 0o777, `${uid}:${gid}`], [0o600, asService().user]);
  });

  test('Caddy understands the file that the guide makes for it', {skip: missing('caddy')}, async () => {
    mkdirSync(join(root, 'etc/caddy'));
    await follow(proxied);
    await runIn(root, ['caddy', 'validate', '--config', '/etc/caddy/Caddyfile']).then(({code, errors}) =>
      assert.equal(code, 0, errors),
    );
    assert.match(
      read('etc/caddy/Caddyfile'),
      /^leads\.example\.com \{[^]*reverse_proxy 127\.0\.0\.1:8080$[^]*^admin\.example\.com \{[^]*127\.0\.0\.1:8081$/m,
    );
  });

  test('needs no system call and no socket that the unit forbids', async (t) => {
    const [program = '', ...rest] = valuesOf('ExecStart');
    const anyPorts = {PORT: '0', ADMIN_PORT: '0'};
    const {environment, user, ...surroundings} = asService();
    const traced = ['strace', '-f', '-qq', '-o', 'trace', `/usr/local/bin/${program}`, ...rest];
    const child = spawnIn(root, traced, {
      ...{...surroundings, user},
      environment: {...environment, ...anyPorts},
    });
    t.after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({input: child.stderr!}).on('line', (line) => lines.push(line));
    const pagesReady = new Promise<void>((resolve) =>
      createInterface({input: child.stdout!}).on(
        'line',
        (line) => line.includes('pages are ready') && resolve(),
      ),
    );
    const fetchPath = fetchFrom(`http://127.0.0.1:${await readyPort(child, lines)}`);
    const headers = {origin: listedOrigin, 'idempotency-key': randomUUID()};
    const lead = {lead: without(prequalificationBody, 'cid')};
    await readJson(await fetchPath('/embed/v1/leads?partner=acme', postJson(lead, headers)), 201);
    await pagesReady;
    const exited = once(child, 'exit');
    const tracer = await processId(child);
    const server = readFileSync(`/proc/${tracer}/task/${tracer}/children`, 'utf8');
    process.kill(Number(server), 'SIGTERM');
    assert.deepEqual(await exited, [0, null]);

    const trace = read(join(settings, 'trace'));
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

    const key = statSync(join(root, settings, 'lead-prequal.key'));
    assert.deepEqual([key.mode & 0o777, `${key.uid}:${key.gid}`], [0o600, user]);

    // The operator's command finds the lead, as the user of the service.
    assert.match(await follow('lead-prequal leads count'), /^1$/m);
    await follow(backedUp);
    const backup = statSync(join(root, state, 'leads-2026-11-25.sqlite'));
    assert.equal(`${backup.uid}:${backup.gid}`, user);
  });

  test('the nightly backup leaves the newest backups, with the lead and the list of erasures', async () => {
    const installed = read('etc/systemd/system/lead-prequal-backup.service');
    const {mounts, ...unitsOwn} = asService(installed);
    const run = async (script: string, kept = '2') => {
      writeFileSync(join(root, settings, 'lead-prequal.env'), `${machine}BACKUPS_KEPT=${kept}\n`);
      const shell = ['sh', '-ec', script.replaceAll('$$', () => '$').replaceAll('%%', '%')];
      return runIn(root, shell, {...unitsOwn, mounts});
    };
    const older = 'leads-2026-01-01-031500.sqlite leads-2026-01-02-031500.sqlite';
    await run(`mkdir "$BACKUPS"; cd "$BACKUPS"; touch ${older} leads-2026-01-03-031500.sqlite.partial`);
    const [reference = ''] = /^\w{4}-\w{4}/m.exec(await follow('lead-prequal leads list')) ?? [];
    await follow(`lead-prequal leads erase ${reference} --yes`);

    const scripts = [...installed.matchAll(/^ExecStart=sh -ec '(.*)'$/gm)].map(([, script = '']) => script);
    for (const script of scripts) {
      const {code, errors} = await run(script);
      assert.equal(code, 0, errors);
    }
    const backups = join(root, state, 'backups');
    const [before, made = '', list, ...others] = readdirSync(backups).sort();
    assert.deepEqual(
      {before, list, others},
      {before: 'leads-2026-01-02-031500.sqlite', list: 'leads.sqlite.erasures', others: []},
    );
    assert.deepEqual(rowsOf(join(backups, made), 'SELECT COUNT(*) AS leads FROM leads'), [{leads: 1}]);
    assert.equal(
      read(join(state, 'backups/leads.sqlite.erasures')),
      read(join(state, 'data/leads.sqlite.erasures')),
    );

    // A number that would leave none, or is none.
    for (const kept of ['0', 'all']) assert.notEqual((await run(scripts.at(-1)!, kept)).code, 0);
    assert.equal(readdirSync(backups).length, 3);
  });
});
