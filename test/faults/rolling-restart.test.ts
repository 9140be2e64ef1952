/** Two servers behind a load balancer, which are restarted one after the other while clients create leads. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {freePort} from '../support/free-port.ts';
import {need} from '../support/installed.ts';
import {createDatabase, withoutPostgres} from '../support/postgres.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, missing, startOver, stopped, until} from './load.ts';

const restarts = Number(process.env['FAULT_RESTARTS'] ?? 4);
const guide = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');

/** The sample of the guide, with other addresses. */
function sample(language: string, listen: RegExp, own: string, servers: readonly number[]): string {
  const [, text = ''] = new RegExp(`## Two servers[^]*?\`\`\`${language}\\n([^]*?)\`\`\``).exec(guide) ?? [];
  assert.match(text, listen);
  const [one, two] = servers.map((port) => `127.0.0.1:${port}`);
  return text.replace(listen, own).replace('10.0.0.1:8080', one!).replace('10.0.0.2:8080', two!);
}

/** Each writes its configuration to the folder, and returns the command that runs it. */
const balancers: Record<string, (folder: string, port: number, servers: readonly number[]) => string[]> = {
  HAProxy(folder, port, servers) {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, sample('haproxy', /bind :443 .*/, `bind 127.0.0.1:${port}`, servers));
    return ['haproxy', '-db', '-f', file];
  },
  nginx(folder, port, servers) {
    const file = join(folder, 'nginx.conf');
    mkdirSync(join(folder, 'logs'));
    const http = sample('nginx', /listen 443 ssl;/, `listen 127.0.0.1:${port};`, servers);
    writeFileSync(file, `pid ${folder}/pid; events {} http { access_log off; ${http} }`);
    return ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', file, '-g', 'daemon off;'];
  },
};

/** The statuses of all requests while the servers were restarted. A broken connection is 0. */
async function restartUnderLoad(t: TestContext, balancer: string): Promise<number[]> {
  const folder = makeTemporaryFolder();
  const database = await createDatabase();
  t.after(async () => {
    await database.drop();
    folder.remove();
  });
  const ports = [await freePort(), await freePort()];
  const start = (port: number) =>
    startOver(folder.path, {DATABASE_URL: database.url, DRAIN_SECONDS: '5', PORT: String(port)});
  const servers = await Promise.all(ports.map(start));
  const front = await freePort();
  const [program = '', ...words] = balancers[balancer]!(folder.path, front, ports);
  const child = spawn(need(program), words, {stdio: 'ignore'});
  t.after(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const url = `http://127.0.0.1:${front}`;
  const isUp = () =>
    fetch(`${url}/readyz`).then(
      ({ok}) => ok,
      () => false,
    );
  await until(isUp);

  const load = createLeads(url, 20, undefined, 10);
  const creates = (index: number) =>
    servers[index]!.lines.filter((line) => line.includes('"path":"/json/leads"')).length;
  await until(() => creates(0) > 50 && creates(1) > 50);
  for (let restart = 0; restart < restarts; restart += 1) {
    const index = restart % ports.length;
    assert.deepEqual(await servers[index]!.end('SIGTERM'), stopped);
    servers[index] = await start(ports[index]!);
    await until(() => creates(index) > 50);
  }
  await load.stop();
  assert.deepEqual(await missing(url, load.acknowledged), []);
  for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
  return load.statuses;
}

suite('two servers that are restarted one after the other', {skip: withoutPostgres}, () => {
  const run = async (t: TestContext, balancer: string) => {
    const statuses = await restartUnderLoad(t, balancer);
    const failed = statuses.filter((status) => status !== 201);
    t.diagnostic(`${balancer}: ${failed.length} of ${statuses.length} requests failed: ${failed.join(' ')}`);
    return failed;
  };
  test('behind HAProxy let no request fail', async (t) => {
    assert.deepEqual(await run(t, 'HAProxy'), []);
  });
  test('behind nginx lose no lead', async (t) => {
    await run(t, 'nginx');
  });
});
