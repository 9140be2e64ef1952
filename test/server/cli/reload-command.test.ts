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
    const settings = {
      ...serviceSettings(own),
      PORT: '0',
      PARTNERS_FILE: join(own, 'partners.json'),
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

    test('names the settings that need a restart, without their values', async (t) => {
      const {settings, servers} = await start(t, postgres, 1);
      await until(() => servers[0]!.service.lines.some((line) => line.includes('"ready"')));
      const others = {
        ...settings,
        RATE_LIMIT: '77',
        CALLERS: settings['CALLERS']!.replace('acme-password', 'other-password'),
      };
      const {code, stdout} = await runCommand(others, 'reload');
      assert.equal(code, 0, stdout);
      assert.match(stdout, /needs a restart for CALLERS, RATE_LIMIT\n/);
      assert.doesNotMatch(stdout, /77|password/);
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
