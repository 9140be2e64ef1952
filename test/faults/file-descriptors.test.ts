/** A process that may open no more files and connections: it blames no destination, and goes on after it. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {suite, test, type TestContext} from 'node:test';
import {openConnection, requestText} from '../support/connection.ts';
import {startFakeUpstream} from '../support/fake-upstream.ts';
import {openFor} from '../support/opened.ts';
import {withoutPostgres} from '../support/postgres.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {fromPage, startOver, stopped, until} from './load.ts';
import {openAttached, sendingTo, stores} from './operated.ts';

/** More than the failures in a row that open a circuit. */
const leads = 8;

const limitOf = (pid: number, files: number) =>
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);

async function goesOn(t: TestContext, name: keyof typeof stores) {
  const folder = temporaryFolder(t);
  const crm = await openFor(t, startWebhookReceiver());
  // Its name is looked up, which needs a descriptor, too.
  const sheet = await openFor(t, startWebhookReceiver(undefined, {host: 'localhost'}));
  const lender = await openFor(t, startFakeUpstream());
  const store = await stores[name](folder, t);
  const settings = {...store, ...sendingTo(folder, {crm, sheet}, lender)};
  const server = await startOver(folder, settings);
  const port = Number(new URL(server.url).port);
  const connection = await openConnection(port);
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body = '') => {
    const length = {'content-length': String(Buffer.byteLength(body))};
    connection.send(requestText(method, path, {...headers, ...length}, body));
    return (await connection.answer()).status;
  };
  const count = (words: string) => server.lines.filter((line) => line.includes(words)).length;
  const outbox = async () => {
    const attached = await openAttached(folder, store);
    const rows = await attached.listDeliveries(1_000, {});
    await attached.close();
    return rows;
  };
  await until(async () => (await ask('GET', '/readyz')) === 200);

  limitOf(server.pid, 5);
  // The system takes the connection, but the server cannot have it yet.
  const waiting = await openConnection(port);
  waiting.send(requestText('GET', '/livez', {connection: 'close'}));
  for (let sent = 0; sent < leads; sent += 1) {
    const {path, headers, body} = fromPage();
    // PostgreSQL cannot take it while all of the open connections are used.
    await until(async () => (await ask('POST', path, headers, body)) === 201);
  }
  // A lead that was stored after a failure of the store is sent by no process before its lease ends.
  const isPutOff = async () => {
    const rows = await outbox();
    const own = rows.filter(({lastError}) => /no file descriptors left/.test(lastError ?? ''));
    return new Set(own.map(({destination}) => destination)).size === 3 && own.length > rows.length / 2;
  };
  await until(isPutOff);
  const rows = await outbox();
  assert.deepEqual(
    rows.filter(({attempts}) => attempts > 0),
    [],
  );

  limitOf(server.pid, 1_024);
  assert.equal((await waiting.answer()).status, 200);
  await Promise.all([crm, sheet].map((receiver) => receiver.hasReceived(leads)));
  await until(() => lender.taken().length === leads);
  await until(async () => (await outbox()).length === 0);
  assert.equal(await (await fetch(`${server.url}/health`)).text(), '{"status":"ok"}');
  assert.deepEqual(await server.end('SIGTERM'), stopped);

  for (const blame of ['the destination fails', 'delivery postponed', 'the destination refuses'])
    assert.equal(count(blame), 0);
  assert.ok(server.lines.length < 100, `${server.lines.length} lines`);
  t.diagnostic(`${server.lines.length} lines`);
}

suite('a process without file descriptors', () => {
  for (const name of ['SQLite', 'PostgreSQL'] as const) {
    test(
      `blames no destination, and sends all leads later, over ${name}`,
      {skip: name === 'PostgreSQL' && withoutPostgres},
      (t) => goesOn(t, name),
    );
  }
});
