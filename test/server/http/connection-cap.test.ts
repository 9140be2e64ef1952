/** Whom the server lets go when it has too many connections, of all clients or of one, and which files stay open. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync, readdirSync} from 'node:fs';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {connect} from 'node:net';
import {suite, test, type TestContext} from 'node:test';
import {connectionLimits, guardConnections} from '../../../server/http/connections.ts';
import {createProxyCheck} from '../../../server/http/client-address.ts';
import {openConnection, requestText, type Connection} from '../../support/connection.ts';
import {listen} from '../../support/listening.ts';
import {ignoreObservations} from '../../support/observation-log.ts';
import {basic, fetchFrom, postJson, readJson} from '../../support/http.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {acme, startTestServer} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {useService} from '../../support/service-process.ts';
import {openFor} from '../../support/opened.ts';

const service = useService();

suite('a service with as many connections as it takes', () => {
  test('the longest idle of too many connections is closed for the newcomer', async () => {
    const port = Number(new URL(service.url).port);
    const open: Connection[] = [await openConnection(port)];
    while (open.length < connectionLimits.connections) {
      open.push(...(await Promise.all(Array.from({length: 50}, () => openConnection(port)))));
    }
    const create = () => fetchFrom(service.url)('/json/leads', postJson(standardBody, basic(acme)));
    await readJson(await create(), 201);
    assert.deepEqual(await open[0]!.ended(), []);
    for (const connection of open) connection.close();
    await readJson(await create(), 201);
    const said = () => service.lines.filter((line) => line.includes('too many connections')).length;
    await until(() => said() > 0);
    assert.equal(said(), 1);
  });
});

/** A response that is larger than what the system keeps for one connection. */
const large = Buffer.alloc(32 * 1024 * 1024);

/**
 * A server with small limits that answers `/wait` only when it is told to, and `/<number>` with that many bytes.
 * @param addresses from which its first connections seem to come
 */
async function startGuarded(
  t: TestContext,
  limits: Partial<typeof connectionLimits>,
  isUnlimited = true,
  addresses: string[] = [],
) {
  const server = createServer();
  server.on('connection', (socket) => {
    const value = addresses.shift();
    if (value !== undefined) Object.defineProperty(socket, 'remoteAddress', {value});
  });
  const guard = guardConnections(server, ignoreObservations, () => isUnlimited, {
    ...connectionLimits,
    ...limits,
  });
  const waiting: ServerResponse[] = [];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!guard.track(request, response)) return;
    const body = large.subarray(0, Number(request.url?.slice(1)) || 0);
    if (request.url === '/wait') waiting.push(response);
    else response.setHeader('content-length', body.length).end(body);
  });
  const {port} = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  const open = () => openConnection(port);
  /** A connection with a request that is not answered yet. */
  async function busy(request = get('/wait')) {
    const connection = await open();
    const before = waiting.length;
    connection.send(request);
    await until(() => waiting.length > before);
    return connection;
  }
  /** Answers the first request that waits. */
  const answerFirst = () => waiting[0]!.setHeader('content-length', 0).end();
  return {waiting, port, connections, open, busy, answerFirst};
}

const get = (path: string) => requestText('GET', path, {});

/** It is answered, and so the connection is as it was. */
async function assertWorks(connection: Connection, path = '/') {
  connection.send(get(path));
  assert.equal((await connection.answer()).status, 200);
}

/** A client that sends this, and reads nothing. */
function sendUnread(t: TestContext, port: number, text: string) {
  const client = connect(port, '127.0.0.1').pause();
  t.after(() => client.destroy());
  client.on('error', () => undefined);
  client.write(text);
  return client;
}

suite('when there are too many connections', () => {
  test('of too many connections an idle one goes, and one with a request under way stays', async (t) => {
    const {open, busy, answerFirst} = await startGuarded(t, {connections: 2});
    const atWork = await busy();
    const idle = await open();
    const newcomer = await open();
    assert.deepEqual(await idle.ended(), []);
    await assertWorks(newcomer);
    answerFirst();
    assert.equal((await atWork.answer()).status, 200);
  });
  test('of too many connections one with incomplete headers goes as an idle one does', async (t) => {
    const {open, busy} = await startGuarded(t, {connections: 2});
    const dripping = await open();
    dripping.send(get('/').slice(0, 20));
    await busy();
    await open();
    assert.deepEqual(await dripping.ended(), []);
  });
  test('one whose body is not complete goes when none is idle', async (t) => {
    const {open, busy} = await startGuarded(t, {connections: 2});
    const dripping = await busy(requestText('POST', '/wait', {'content-length': '10'}, 'x'));
    await busy();
    await open();
    assert.deepEqual(await dripping.ended(), []);
  });
  test('the newcomer goes if the server is at work for all other connections', async (t) => {
    const {open, busy, answerFirst} = await startGuarded(t, {connections: 1});
    const atWork = await busy();
    assert.deepEqual(await (await open()).ended(), []);
    answerFirst();
    assert.equal((await atWork.answer()).status, 200);
  });
  test('an address with too many connections loses one of its own, also while others have room', async (t) => {
    const {open} = await startGuarded(t, {connectionsPerAddress: 3}, false);
    const connections = [await open(), await open(), await open()];
    const newcomer = await open();
    assert.deepEqual(await connections[0]!.ended(), []);
    for (const connection of [connections[1]!, connections[2]!, newcomer]) await assertWorks(connection);
  });
  test('a home has four times as many in all of its /56, whatever its networks are', async (t) => {
    const ofHome = [0, 1, 2, 0xff].map((number) => `2001:db8:7:${number.toString(16)}::1`);
    const addresses = ['2001:db8:7:100::1', ...ofHome, '2001:db8:7:3::1'];
    const {open} = await startGuarded(t, {connectionsPerAddress: 1}, false, addresses);
    const neighbour = await open();
    const connections = [await open(), await open(), await open(), await open()];
    const newcomer = await open();
    assert.deepEqual(await connections[0]!.ended(), []);
    for (const connection of [neighbour, ...connections.slice(1), newcomer]) await assertWorks(connection);
  });
});

suite('requests that are sent without waiting for answers', () => {
  const most = connectionLimits.requestsPerConnection;
  test('a few pipelined requests are all answered', async (t) => {
    const server = await openFor(t, startTestServer());
    const connection = await openConnection(server.port);
    for (let round = 0; round < 3; round += 1) {
      connection.send(get('/health').repeat(most));
      for (let count = 0; count < most; count += 1) assert.equal((await connection.answer()).status, 200);
    }
    connection.close();
  });
  test('more pipelined requests than a connection may have end it', async (t) => {
    const server = await openFor(t, startTestServer());
    const connection = await openConnection(server.port);
    connection.send(get('/health').repeat(most + 1));
    const answers = await connection.ended();
    assert.ok(answers.length <= most);
    assert.equal((await server.fetch('/health')).status, 200);
    assert.ok(server.logLines.some((line) => line.includes('more requests than it waits for')));
  });
});

/** What the system keeps for the clients of a server: bytes that they have not read. */
function unread(port: number): number {
  const inHex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const ours = lines.map((line) => line.trim().split(/[\s:]+/)).filter(([, , local]) => local === inHex);
  return ours.reduce((sum, [, , , , , , queued = '0']) => sum + Number.parseInt(queued, 16), 0);
}

suite('a client that reads no responses', () => {
  for (const [what, sent] of [
    ['is larger than the system keeps', get(`/${large.length}`)],
    ['the system keeps as a whole', get('/300000')],
    ['is the last of its connection', requestText('GET', '/300000', {connection: 'close'})],
    ['is one of several that were asked for at once', get('/40000').repeat(8)],
  ] as const) {
    test(`loses its connection when the response ${what}`, async (t) => {
      const {port, connections} = await startGuarded(t, {silence: 400});
      sendUnread(t, port, sent);
      await until(() => unread(port) > 0);
      await until(async () => (await connections()) === 0);
      await until(() => unread(port) === 0);
    });
  }
  test('is let go when there are too many connections', async (t) => {
    const {port, open} = await startGuarded(t, {connections: 1});
    sendUnread(t, port, get(`/${large.length}`));
    await until(() => unread(port) > 0);
    const newcomer = await open();
    await assertWorks(newcomer);
    await until(() => unread(port) === 0);
  });
  test('a client that waits for the server for longer than half of the limit keeps its connection', async (t) => {
    const {busy, waiting, answerFirst} = await startGuarded(t, {silence: 400});
    const atWork = await busy();
    await once(waiting[0]!, 'timeout');
    answerFirst();
    assert.equal((await atWork.answer()).status, 200);
  });
});

suite('what all clients together leave unread', () => {
  const megabytes = 1024 * 1024;
  test('clients that read nothing hold 64 MB at most, and others get all that they ask for', async (t) => {
    const {port, connections, open} = await startGuarded(t, {});
    let most = 0;
    const noteMost = () => (most = Math.max(most, unread(port)));
    for (let number = 0; number < 60; number += 1) {
      await once(sendUnread(t, port, get('/250000').repeat(15)), 'connect');
      noteMost();
      const good = await open();
      good.send(get('/250000'));
      const answer = await good.answer();
      assert.equal((await answer.text()).length, 250_000);
      good.close();
    }
    await until(async () => {
      noteMost();
      return (await connections()) < 60;
    });
    t.diagnostic(
      `${(most / megabytes).toFixed(0)} MB were unread at most, by ${await connections()} clients`,
    );
    assert.ok(most > megabytes && most <= 64 * megabytes, `${most} bytes`);
  });
  test('the one whose request is the longest ago goes first, and no connection with few bytes', async (t) => {
    const {open, connections} = await startGuarded(t, {unread: 500_000, bytesPerConnection: Infinity});
    const ask = async (size: number) => {
      const connection = await open();
      await assertWorks(connection, `/${size}`);
      return connection;
    };
    const small = await ask(1_000);
    const [first, second] = [await ask(200_000), await ask(200_000)];
    const third = await ask(200_000);
    assert.deepEqual(await first.ended(), []);
    assert.equal(await connections(), 3);
    for (const connection of [small, second, third]) await assertWorks(connection, '/10');
  });
  test('a connection that had many bytes ends with its next response, which is complete', async (t) => {
    const {open} = await startGuarded(t, {});
    const connection = await open();
    for (const size of [200_000, 200_000]) {
      connection.send(get(`/${size}`));
      const answer = await connection.answer();
      assert.equal(answer.headers.get('connection'), 'keep-alive');
      assert.equal((await answer.text()).length, size);
    }
    connection.send(get('/200000'));
    const [answer, ...others] = await connection.ended();
    assert.equal(answer?.headers.get('connection'), 'close');
    assert.equal((await answer?.text())?.length, 200_000);
    assert.deepEqual(others, []);
  });
  test('no request is begun that comes after the one whose response is the last', async (t) => {
    const {open, waiting, answerFirst} = await startGuarded(t, {bytesPerConnection: 100});
    const connection = await open();
    connection.send(get('/200'));
    await connection.answer();
    connection.send(get('/wait').repeat(3));
    await until(() => waiting.length > 0);
    assert.equal(waiting.length, 1);
    answerFirst();
    assert.equal((await connection.ended()).length, 1);
  });
});

suite('the limit of connections for one address', () => {
  for (const [trust, address, unlimited] of [
    [0, '127.0.0.1', true],
    [0, '::1', true],
    [0, '::ffff:127.0.0.1', true],
    [0, '10.0.0.7', false],
    [0, '203.0.113.7', false],
    [1, '203.0.113.7', true],
    ['10.0.0.0/8', '10.0.0.7', true],
    ['10.0.0.0/8', '::ffff:10.0.0.7', true],
    ['10.0.0.0/8', '203.0.113.7', false],
    ['10.0.0.0/8', '127.0.0.1', true],
  ] as const) {
    test(`the cap of an address ${unlimited ? 'spares' : 'holds for'} ${address} when TRUST_PROXY is ${trust}`, () => {
      assert.equal(createProxyCheck(trust)(address), unlimited);
    });
  }
});

/** Fewer than a connection may have under way. */
const requests = 10;
const clients = 20;

suite('a client that asks for a file several times and leaves without reading it', () => {
  const openFiles = () => readdirSync(`/proc/${service.pid}/fd`).length;

  const files = ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/embed/1.0.0/lead-prequal-form.js'];
  for (const file of files) {
    test(`a client that leaves without reading leaves no file open: ${file}`, async () => {
      const before = openFiles();
      const port = Number(new URL(service.url).port);
      const sockets = Array.from({length: clients}, () => connect(port, '127.0.0.1'));
      await Promise.all(
        sockets.map(async (socket) => {
          await once(socket, 'connect');
          socket.write(requestText('GET', file, {}).repeat(requests));
          // The first bytes of the first answer: by now the server has seen all requests.
          await once(socket, 'readable');
        }),
      );
      for (const socket of sockets) socket.destroy();
      await until(() => openFiles() <= before);
      assert.ok(openFiles() <= before);
    });
  }
});
