/** The compose file, which docker-compose reads without starting anything, and Caddy with its Caddyfile. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {parseEnv} from 'node:util';
import {readConfig} from '../../server/config/config.ts';
import {writeConfig} from '../support/config-file.ts';
import {freePort} from '../support/free-port.ts';
import {fetchFrom} from '../support/http.ts';
import {missing, need} from '../support/installed.ts';
import {suiteOwner} from '../support/opened.ts';
import {startProxy} from '../support/proxies.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(join(deploy, name), 'utf8');

/** `config/lead-prequal.env`, as the guide has it, to which the link `.env` leads. */
const settings = `PUBLIC_URL=https://leads.example.com
ADMIN_URL=https://admin.example.com
TRUST_PROXY=1
SMTP_URL='smtps://leads%40example.com:a-password@mail.example.com:465'
DATA_KEY=${'7'.repeat(64)}
`;
const business = readFileSync(writeConfig(temporaryFolder(suiteOwner())), 'utf8');

type Service = {
  environment?: Record<string, string>;
  ports?: unknown[];
  profiles?: string[];
  read_only?: boolean;
  volumes?: string[];
};

/**
 * The services that start beside these settings, with what is exported. docker-compose, which brings Python and its YAML, reads
 * the file.
 */
function composed(t: TestContext, machine?: string, exported: Record<string, string> = {}) {
  const folder = temporaryFolder(t);
  if (machine !== undefined) writeFileSync(join(folder, '.env'), machine);
  // The docker-compose of Debian 12 is older than the key `name`.
  writeFileSync(join(folder, 'compose.yaml'), read('compose.yaml').replace(/^name: .*\n/m, ''));
  const yaml = execFileSync('docker-compose', ['config'], {
    cwd: folder,
    env: {PATH: process.env['PATH'], ...exported},
  });
  const toJson = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)["services"]))';
  const json = execFileSync('python3', ['-c', toJson], {input: yaml, encoding: 'utf8'});
  const services = Object.entries(JSON.parse(json.replaceAll(folder, '.')) as Record<string, Service>);
  const active = exported['COMPOSE_PROFILES'] ?? '';
  return Object.fromEntries(
    services.filter(([, {profiles}]) => !profiles || profiles.includes(active)),
  ) as Record<string, Service | undefined>;
}

suite('the compose file', {skip: missing('docker-compose')}, () => {
  test('has the server and Caddy, which knows both addresses and no secret', (t) => {
    const {server, caddy, ...others} = composed(t, settings);
    assert.deepEqual(others, {});
    assert.equal(server?.environment, undefined);
    assert.deepEqual(caddy?.environment, {
      PUBLIC_URL: 'https://leads.example.com',
      ADMIN_URL: 'https://admin.example.com',
    });
  });

  test('can run a command before there are settings', (t) => {
    const {caddy} = composed(t);
    assert.deepEqual(caddy?.environment, {PUBLIC_URL: '', ADMIN_URL: 'http://admin.invalid'});
  });

  test('with the profile, the settings of the guide name PostgreSQL and Redis by host and password', (t) => {
    const guide = readFileSync(join(deploy, '../docs/install.md'), 'utf8').replaceAll(
      '<password>',
      'a-password',
    );
    const lines = [...guide.matchAll(/`((?:DATABASE|REDIS)_URL=\S+?)`/g)].map(([, line]) => line);
    const {databaseUrl = '', redisUrl = ''} = readConfig({
      ...(parseEnv([settings, ...lines].join('\n')) as Record<string, string>),
      CONFIG: business,
    });
    const exported = {COMPOSE_PROFILES: 'postgres', POSTGRES_PASSWORD: 'a-password'};
    const {postgres, redis} = composed(t, settings, exported);
    const {hostname, username, password} = new URL(databaseUrl);
    assert.ok(redis && postgres);
    assert.deepEqual([hostname, new URL(redisUrl).hostname], ['postgres', 'redis']);
    assert.deepEqual(postgres.environment, {POSTGRES_USER: username, POSTGRES_PASSWORD: password});
  });

  test("Caddy leads to the ports of the server and of the operators' pages", () => {
    const image = Object.fromEntries(
      [...read('Dockerfile').matchAll(/\b(HOST|PORT)=(\S+)/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    const {port, admin} = readConfig({...parseEnv(settings), ...image, CONFIG: business});
    const led = [...read('Caddyfile').matchAll(/reverse_proxy server:(\d+)$/gm)].map(([, to]) => Number(to));
    assert.deepEqual(led, [port, admin?.port]);
  });

  test('only Caddy can be reached from outside, and the server writes to its two folders alone', (t) => {
    const exported = {COMPOSE_PROFILES: 'postgres'};
    const {server, caddy, ...stores} = composed(t, settings, exported);
    assert.ok(caddy?.ports);
    for (const service of [server, ...Object.values(stores)]) assert.equal(service?.ports, undefined);
    const [, volume] = /^VOLUME (.*)$/m.exec(read('Dockerfile')) ?? [];
    const [, folder] = /^WORKDIR (.*)\n(?![^]*^WORKDIR)/m.exec(read('Dockerfile')) ?? [];
    assert.deepEqual(
      [server?.read_only, server?.volumes?.toSorted()],
      [true, [`./config:${folder}:rw`, `data:${volume}:rw`]],
    );
  });
});

suite('Caddy before the server', {skip: missing('caddy')}, () => {
  test('limits count visitors by their address, whatever X-Forwarded-For they send', async (t) => {
    const folder = temporaryFolder(t);
    const oneRequest = {...serviceSettings(folder, {rate_limit: 1}), TRUST_PROXY: '1'};
    const server = await startService(oneRequest, folder);
    t.after(() => server.end('SIGKILL'));
    const servers = [Number(new URL(server.url).port)];
    const {url} = await startProxy(t, 'Caddy', {folder, port: await freePort(), servers});
    const statusFor = async (base: string, address: string) => {
      const headers = {origin: listedOrigin, 'x-forwarded-for': address};
      return (await fetchFrom(base)('/embed/v1/config?partner=acme', {headers})).status;
    };
    assert.deepEqual([await statusFor(url, '192.0.2.1'), await statusFor(url, '192.0.2.2')], [200, 429]);
    // A proxy that passes the header on would let both through.
    assert.deepEqual(
      [await statusFor(server.url, '192.0.2.1'), await statusFor(server.url, '192.0.2.2')],
      [200, 200],
    );
  });

  test('the Caddyfile is valid for public names, for which Caddy gets certificates', (t) => {
    const folder = temporaryFolder(t);
    copyFileSync(join(deploy, 'Caddyfile'), join(folder, 'Caddyfile'));
    for (const admin of [{}, {ADMIN_URL: 'https://admin.example.com'}])
      execFileSync(need('caddy'), ['validate', '--config', 'Caddyfile'], {
        cwd: folder,
        env: {HOME: folder, PUBLIC_URL: 'https://leads.example.com', ...admin},
        stdio: 'pipe',
      });
    execFileSync(need('caddy'), ['fmt', '--diff', 'Caddyfile'], {cwd: folder, env: {HOME: folder}});
  });
});
