/** The compose file, which docker-compose reads without starting anything, and Caddy with its Caddyfile. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {readConfig, type ConfigError} from '../../server/config/config.ts';
import {freePort} from '../support/free-port.ts';
import {fetchFrom} from '../support/http.ts';
import {missing, need} from '../support/installed.ts';
import {startProxy} from '../support/proxies.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme, listedOrigin} from '../support/test-server.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(join(deploy, name), 'utf8');

function useFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  return folder;
}

/** The example as an operator fills it in. */
const filledIn = read('example.env')
  .replace(/^CALLERS=$/m, `CALLERS='${JSON.stringify([acme])}'`)
  .replace(/^TOKEN_KEY=$/m, `TOKEN_KEY=${'7'.repeat(64)}`);
/** The same with the lines for PostgreSQL and Redis. */
const withPostgres = filledIn.replaceAll(/^#(?=[A-Z])/gm, '').replaceAll('…', 'a-password');

type Service = {
  build?: {context: string; dockerfile: string};
  environment?: Record<string, string>;
  ports?: unknown[];
  profiles?: string[];
  read_only?: boolean;
  volumes?: string[];
};

/**
 * The services that start with these settings beside the file. docker-compose, which brings Python and its YAML, reads the
 * file.
 */
function composed(t: TestContext, settings: string): Record<string, Service> {
  const folder = useFolder(t);
  writeFileSync(join(folder, '.env'), settings);
  // The docker-compose of Debian 12 is older than the key `name`.
  writeFileSync(join(folder, 'compose.yaml'), read('compose.yaml').replace(/^name: .*\n/m, ''));
  const yaml = execFileSync('docker-compose', ['config'], {
    cwd: folder,
    // The settings of this process would go before those of the file.
    env: {PATH: process.env['PATH']},
  });
  const toJson = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)["services"]))';
  const json = execFileSync('python3', ['-c', toJson], {input: yaml, encoding: 'utf8'});
  const services = Object.entries(JSON.parse(json) as Record<string, Service>);
  const active = services.find(([name]) => name === 'server')?.[1].environment?.['COMPOSE_PROFILES'];
  return Object.fromEntries(
    services.filter(([, {profiles}]) => !profiles || (active !== undefined && profiles.includes(active))),
  );
}

suite('the compose file', {skip: missing('docker-compose')}, () => {
  test('has the server alone and Caddy, and the example is enough once it is filled in', (t) => {
    const {server, caddy, ...others} = composed(t, filledIn);
    assert.deepEqual(others, {});
    const {publicUrl, trustProxy, databaseUrl} = readConfig(server?.environment);
    assert.deepEqual({trustProxy, databaseUrl}, {trustProxy: 1, databaseUrl: undefined});
    assert.equal(caddy?.environment?.['PUBLIC_URL'], publicUrl);
  });

  test('with the lines for PostgreSQL and Redis, the settings name these by host and password', (t) => {
    const {server, postgres, redis} = composed(t, withPostgres);
    const {databaseUrl = '', redisUrl = ''} = readConfig(server?.environment);
    const {hostname, username, password} = new URL(databaseUrl);
    assert.ok(redis && postgres);
    assert.deepEqual([hostname, new URL(redisUrl).hostname], ['postgres', 'redis']);
    assert.deepEqual(postgres.environment, {POSTGRES_USER: username, POSTGRES_PASSWORD: password});
  });

  test('the server does not start with the example as it is, because its secrets are missing', (t) => {
    const {server} = composed(t, read('example.env'));
    assert.throws(
      () => readConfig(server?.environment),
      ({faults}: ConfigError) => {
        assert.deepEqual(faults, ['CALLERS is missing', 'TOKEN_KEY is missing']);
        return true;
      },
    );
  });

  test("with ADMIN_URL, Caddy leads to the operators' pages of the server", (t) => {
    const url = 'https://admin.example.com';
    const {server, caddy} = composed(t, `${filledIn}\nADMIN_URL=${url}\n`);
    const {admin} = readConfig(server?.environment);
    assert.equal(admin?.url, url);
    assert.equal(caddy?.environment?.['ADMIN_URL'], url);
    assert.match(read('Caddyfile'), new RegExp(`reverse_proxy server:${admin?.port}$`, 'm'));
  });

  test('only Caddy can be reached from outside, and the server writes to its volume alone', (t) => {
    const {server, caddy, ...stores} = composed(t, withPostgres);
    assert.ok(caddy?.ports);
    for (const service of [server, ...Object.values(stores)]) assert.equal(service?.ports, undefined);
    const [, volume] = /^VOLUME (.*)$/m.exec(read('Dockerfile')) ?? [];
    assert.deepEqual([server?.read_only, server?.volumes], [true, [`data:${volume}:rw`]]);
  });
});

suite('Caddy before the server', {skip: missing('caddy')}, () => {
  test('limits count visitors by their address, whatever X-Forwarded-For they send', async (t) => {
    const folder = useFolder(t);
    const settings = {...serviceSettings(folder), TRUST_PROXY: '1', RATE_LIMIT: '1'};
    const server = await startService(settings, folder);
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
    const folder = useFolder(t);
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
