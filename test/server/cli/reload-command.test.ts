/** `lead-prequal reload` beside real processes, each with files of its own. */
import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {databaseKinds, runCommand} from '../../support/operator.ts';
import {createDatabase} from '../../support/postgres.ts';
import {serviceSettings, startService, type RunningService} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const partner = (key: string) => ({key, origins: [listedOrigin], cid: '1001'});
const writePartners = (folder: string, ...keys: string[]) =>
  writeFileSync(join(folder, 'partners.json'), JSON.stringify({partners: keys.map(partner)}));
const [days, years] = ['RETAIN_DAYS', 'KEEP_CONSENT_YEARS'];

/** Servers over one store, each with a folder and a partners file of its own. The first is that of the command. */
async function start(t: TestContext, postgres: boolean, count: number) {
  const folder = makeTemporaryFolder();
  const database = postgres ? await createDatabase() : undefined;
  t.after(async () => {
    await database?.drop();
    folder.remove();
  });
  const servers: {own: string; settings: Record<string, string>; service: RunningService}[] = [];
  for (let index = 0; index < count; index += 1) {
    const own = join(folder.path, String(index));
    mkdirSync(own);
    writePartners(own, 'acme');
    for (const name of [days, years]) writeFileSync(join(own, name), '40\n');
    const settings = {
      ...serviceSettings(own),
      PORT: '0',
      PARTNERS_FILE: join(own, 'partners.json'),
      [`${days}_FILE`]: join(own, days),
      [`${years}_FILE`]: join(own, years),
      ...(database && {DATABASE_URL: database.url}),
    };
    const service = await startService(settings, own);
    t.after(() => service.end('SIGTERM'));
    servers.push({own, settings, service});
  }
  const settings = servers[0]!.settings;
  return {
    servers,
    settings,
    reload: (...words: string[]) => runCommand(settings, 'reload', ...words),
    change: (...keys: string[]) => servers.forEach(({own}) => writePartners(own, ...keys)),
    write: (name: string, text: string) => servers.forEach(({own}) => writeFileSync(join(own, name), text)),
  };
}

for (const {name, postgres, skip} of databaseKinds) {
  suite(`lead-prequal reload over ${name}`, {skip}, () => {
    test('prints what each server has in force, and what changed', async (t) => {
      const {servers, reload, change, settings} = await start(t, postgres, postgres ? 2 : 1);
      const isThere = async () =>
        (await runCommand(settings, 'status', '--json')).stdout.split('"configuration"').length ===
        servers.length + 1;
      await until(isThere);
      change('acme', 'globex');
      const {code, stdout} = await reload();
      assert.equal(code, 0, stdout);
      assert.equal(stdout.match(/✓ \S+:\d+ has [0-9a-f]{12} in force/g)?.length, servers.length);
      assert.equal(stdout.match(/ {2}partner globex added/g)?.length, servers.length);
      for (const {service} of servers) {
        const headers = {origin: listedOrigin};
        assert.ok((await fetch(`${service.url}/embed/v1/config?partner=globex`, {headers})).ok);
      }
    });

    test('asks nobody if the file is wrong where the command runs, and says where', async (t) => {
      const {servers, reload} = await start(t, postgres, 1);
      writeFileSync(join(servers[0]!.own, 'partners.json'), '{\n  "partners": oops}');
      const {code, stderr} = await reload();
      assert.equal(code, 1);
      assert.match(stderr, /partners\.json:2:15: is not valid JSON/);
    });

    test('is refused by every server that would keep less, unless --shorten asks for it', async (t) => {
      const {servers, settings, reload, write} = await start(t, postgres, postgres ? 2 : 1);
      const fall = 'KEEP_CONSENT_YEARS would fall from 40 to 5';
      write(years, '5\n');
      const check = await runCommand({...settings, PORT: '0'}, 'config', 'check');
      assert.equal(check.code, 0);
      assert.equal(check.stdout.match(new RegExp(`^! ${fall}: the start takes that`, 'gm'))?.length, 1);
      for (const {service} of servers) {
        process.kill(service.pid, 'SIGHUP');
        await until(() => service.lines.some((line) => line.includes(fall)));
      }
      const refused = await reload();
      assert.equal(refused.code, 1);
      const lines = refused.stdout.match(new RegExp(`refused.*\n {2}${fall}: only .*--shorten`, 'g'));
      assert.equal(lines?.length, servers.length, refused.stdout);
      const taken = await reload('--shorten');
      assert.equal(taken.code, 0, taken.stdout);
      assert.equal(
        taken.stdout.match(/how long leads and consents are kept changed/g)?.length,
        servers.length,
      );
      assert.equal((await reload()).code, 0);
      assert.doesNotMatch((await runCommand(settings, 'config', 'check')).stdout, /would fall/);
    });

    test('refuses a file that was emptied, also with --shorten, here and at the server', async (t) => {
      const {servers, settings, reload, write} = await start(t, postgres, 1);
      write(years, '');
      const {code, stderr} = await reload('--shorten');
      assert.equal(code, 1);
      assert.match(stderr, /KEEP_CONSENT_YEARS_FILE \S+: holds nothing/);
      const {code: refused, stdout} = await runCommand(
        {...settings, [`${years}_FILE`]: '', [years]: '5'},
        'reload',
        '--shorten',
      );
      assert.equal(refused, 1);
      assert.match(stdout, /✗ \S+ refused .*\n {2}KEEP_CONSENT_YEARS_FILE \S+: holds nothing/);
      assert.ok((await fetch(`${servers[0]!.service.url}/readyz`)).ok);
    });

    test('names the settings that need a restart, without their values', async (t) => {
      const {settings, servers} = await start(t, postgres, 1);
      await until(() => servers[0]!.service.lines.some((line) => line.includes('"ready"')));
      const others = {
        ...settings,
        RATE_LIMIT: '76543',
        CALLERS: settings['CALLERS']!.replace('acme-password', 'other-password'),
      };
      const {code, stdout} = await runCommand(others, 'reload');
      assert.equal(code, 0, stdout);
      assert.match(stdout, /needs a restart for CALLERS, RATE_LIMIT\n/);
      assert.doesNotMatch(stdout, /76543|password/);
    });
  });
}

suite('lead-prequal reload over several servers', {skip: databaseKinds[1].skip}, () => {
  test('fails if one refuses its file, which stays as it was, and says why', async (t) => {
    const {servers, reload, change} = await start(t, true, 2);
    change('acme', 'globex');
    writeFileSync(join(servers[1]!.own, 'partners.json'), '{"partners": []}');
    const {code, stdout, stderr} = await reload();
    assert.equal(code, 1);
    assert.match(stdout, /✓ \S+ has [0-9a-f]{12} in force/);
    assert.match(
      stdout,
      /✗ \S+ refused what it read, and keeps [0-9a-f]{12}:\n {2}PARTNERS_FILE \S+partners\.json:1:14: partners: /,
    );
    assert.match(stderr, /different configurations/);
    const headers = {origin: listedOrigin};
    assert.ok((await fetch(`${servers[1]!.service.url}/embed/v1/config?partner=acme`, {headers})).ok);
  });

  test('fails if one does not answer in time, and once it is gone it is forgotten', async (t) => {
    const {servers, reload} = await start(t, true, 2);
    const {service} = servers[1]!;
    assert.equal((await reload()).code, 0);
    process.kill(service.pid, 'SIGSTOP');
    const {code, stdout} = await reload('--wait', '1');
    process.kill(service.pid, 'SIGCONT');
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`✗ \\S+:${service.pid} did not answer within 1 s`));
    await service.end('SIGTERM');
    const after = await reload();
    assert.equal(after.code, 0, after.stdout);
    assert.doesNotMatch(after.stdout, new RegExp(String(service.pid)));
  });
});

test('lead-prequal reload fails where no server runs', async (t) => {
  const {servers, reload} = await start(t, false, 1);
  await servers[0]!.service.end('SIGTERM');
  const {code, stderr} = await reload();
  assert.equal(code, 1);
  assert.match(stderr, /No server runs/);
});
