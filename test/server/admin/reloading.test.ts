/** Real processes, each with files of its own, are asked to read their configuration again, and answer. */
import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {withAttached} from '../../../server/admin/attached.ts';
import {reloadServers} from '../../../server/admin/reloading.ts';
import {readConfig} from '../../../server/config/config.ts';
import {databaseKinds, runCommand} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {createDatabase} from '../../support/postgres.ts';
import {serviceSettings, startService, type RunningService} from '../../support/service-process.ts';
import {makeTemporaryFolder, temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const kept = (keep_consent_years: number) => ({keep_consent_years});

/** Servers over one store, each with a folder and a file of its own. The first is that of the command. */
async function start(t: TestContext, postgres: boolean) {
  const folder = makeTemporaryFolder();
  const database = postgres ? await createDatabase() : undefined;
  t.after(async () => {
    await database?.drop();
    folder.remove();
  });
  const servers: {own: string; settings: Record<string, string>; service: RunningService}[] = [];
  for (let index = 0; index < (postgres ? 2 : 1); index += 1) {
    const own = join(folder.path, String(index));
    mkdirSync(own);
    const settings = {
      ...serviceSettings(own, kept(40)),
      PORT: '0',
      ...(database && {DATABASE_URL: database.url}),
    };
    const service = await startService(settings, own);
    t.after(() => service.end('SIGTERM'));
    servers.push({own, settings, service});
  }
  const settings = servers[0]!.settings;
  const config = (partner: string, {service} = servers[0]!) =>
    fetch(`${service.url}/embed/v1/config?partner=${partner}`, {headers: {origin: listedOrigin}});
  return {
    ...{servers, settings, config},
    reload: (changes: Record<string, string> = {}, mayShorten = false) =>
      withAttached(
        readConfig({...settings, ...changes}),
        {mayWrite: true, emit: () => undefined, by: {actor: 'ana', action: 'reload'}},
        (admin) => reloadServers(admin, {mayShorten, wait: 15_000}),
      ),
    command: (...words: string[]) => runCommand(settings, ...words),
    /** Resolves when all processes have stored their first report. */
    areThere: async () => {
      const configured = async () => (await runCommand(settings, 'status', '--json')).stdout;
      await until(async () => (await configured()).split('"configuration":').length === servers.length + 1);
    },
    addPartner: () => servers.forEach(({own}) => writeConfig(own, [{}, {key: 'globex'}], {}, kept(40))),
    write: (text: string) => servers.forEach(({own}) => writeFileSync(join(own, 'lead-prequal.json'), text)),
    keep: (years: number) => servers.forEach(({own}) => writeConfig(own, [{}], {}, kept(years))),
  };
}

for (const {name, postgres, skip} of databaseKinds) {
  suite(`reloading over ${name}`, {skip}, () => {
    test('each server says what it has in force then, and what changed', async (t) => {
      const {servers, reload, addPartner, areThere, config} = await start(t, postgres);
      await areThere();
      addPartner();
      const answers = await reload();
      assert.equal(answers.length, servers.length);
      for (const answer of answers)
        assert.partialDeepStrictEqual(answer, {
          ...{state: 'reloaded', changes: ['partner globex added'], faults: [], need_restart: []},
        });
      for (const server of servers) assert.ok((await config('globex', server)).ok);

      // What a server cannot read again is named, without its values.
      const own = (await reload({LOG_LEVEL: 'warn', HOST: 'localhost'})).find(({server}) =>
        server.endsWith(`:${servers[0]!.service.pid}`),
      );
      assert.partialDeepStrictEqual(own, {state: 'reloaded', need_restart: ['HOST', 'LOG_LEVEL']});
    });

    test('every server refuses to keep less unless that is asked for, and a file that was emptied', async (t) => {
      const {servers, reload, keep, write, areThere, config} = await start(t, postgres);
      await areThere();
      const fall = 'keep_consent_years would fall from 40 to 5';
      keep(5);
      for (const {service} of servers) {
        process.kill(service.pid, 'SIGHUP');
        await until(() => service.lines.some((line) => line.includes(fall)));
      }
      for (const {state, faults} of await reload()) {
        assert.equal(state, 'refused');
        assert.match(faults.join(), new RegExp(`${fall}: only .*--shorten`));
      }
      for (const {state, changes} of await reload({}, true)) {
        assert.equal(state, 'reloaded');
        assert.match(changes.join(), /how long leads and consents are kept changed/);
      }
      assert.ok((await reload()).every(({state}) => state === 'reloaded'));

      write('');
      const elsewhere = {CONFIG_FILE: writeConfig(temporaryFolder(t))};
      for (const {state, faults} of await reload(elsewhere, true)) {
        assert.equal(state, 'refused');
        assert.match(faults.join(), /^CONFIG_FILE \S+: holds nothing/);
      }
      assert.ok((await config('acme')).ok);
    });
  });
}

suite('lead-prequal reload', () => {
  test('it prints what each server says, and asks nobody if the files are wrong where it runs', async (t) => {
    const {servers, command, settings, addPartner, areThere, keep, write} = await start(t, false);
    await areThere();
    addPartner();
    const {code, stdout, stderr} = await command('reload');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^✓ \S+:\d+ has [0-9a-f]{12} in force\n {2}partner globex added\n$/);
    assert.match(stderr, /^! Nobody is told of the leads of acme, globex\. Set send_to of the partner/m);
    const restart = await runCommand({...settings, LOG_LEVEL: 'fatal'}, 'reload');
    assert.match(restart.stdout, /needs a restart for LOG_LEVEL\n/);
    assert.doesNotMatch(restart.stdout, /fatal|password/);

    keep(5);
    const fall = 'keep_consent_years would fall from 40 to 5';
    const check = await command('config', 'check');
    assert.equal(check.code, 0);
    assert.equal(check.stdout.match(new RegExp(`^! ${fall}: the start takes that`, 'gm'))?.length, 1);
    const refused = await command('reload');
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, new RegExp(`^✗ \\S+ refused .*\n {2}${fall}`));
    assert.equal((await command('reload', '--shorten')).code, 0);
    assert.doesNotMatch((await command('config', 'check')).stdout, /would fall/);

    write('');
    const emptied = await command('reload', '--shorten');
    assert.equal(emptied.code, 1);
    assert.match(emptied.stderr, /CONFIG_FILE \S+: holds nothing/);
    write('{\n  "partners": oops}');
    const wrong = await command('reload');
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /lead-prequal\.json:2:15: is not valid JSON/);
    keep(5);
    await servers[0]!.service.end('SIGTERM');
    const none = await command('reload');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /No server runs/);
  });

  const [, {skip}] = databaseKinds;
  test(
    'it fails if one of several servers refuses its file or does not answer in time',
    {skip},
    async (t) => {
      const {servers, command, addPartner, config} = await start(t, true);
      const {own, service} = servers[1]!;
      addPartner();
      writeFileSync(join(own, 'lead-prequal.json'), '{"partners": []}');
      const {code, stdout, stderr} = await command('reload');
      assert.equal(code, 1);
      assert.match(stdout, /✓ \S+ has [0-9a-f]{12} in force/);
      assert.match(
        stdout,
        /✗ \S+ refused what it read, and keeps [0-9a-f]{12}:\n {2}\S+lead-prequal\.json:1:14: partners: /,
      );
      assert.match(stderr, /different configurations/);
      assert.ok((await config('acme', servers[1])).ok);

      addPartner();
      assert.equal((await command('reload')).code, 0);
      process.kill(service.pid, 'SIGSTOP');
      const stopped = await command('reload', '--wait', '1');
      process.kill(service.pid, 'SIGCONT');
      assert.equal(stopped.code, 1);
      assert.match(stopped.stdout, new RegExp(`✗ \\S+:${service.pid} did not answer within 1 s`));
      await service.end('SIGTERM');
      const after = await command('reload');
      assert.equal(after.code, 0, after.stdout);
      assert.doesNotMatch(after.stdout, new RegExp(String(service.pid)));
    },
  );
});
