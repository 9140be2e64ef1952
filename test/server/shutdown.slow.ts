import assert from 'node:assert/strict';
import {once} from 'node:events';
import {Agent, request, type IncomingMessage} from 'node:http';
import {connect} from 'node:net';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, suite, test} from 'node:test';
import {startServer} from '../../server/server.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {ignoreObservations} from '../support/observation-log.ts';
import {startFakeUpstream} from '../support/fake-upstream.ts';
import {basic, postJson, readJson, readProblem} from '../support/http.ts';
import {openFor} from '../support/opened.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {standardBody} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme, baseConfig, startTestServer, through, testEncryptor} from '../support/test-server.ts';
import {until} from '../support/until.ts';

const body = JSON.stringify(standardBody);
const create = (headers: Record<string, string> = {}, sent = body) => {
  const own = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body))};
  return requestText('POST', '/json/leads', {...basic(acme), ...own, ...headers}, sent);
};

/** Creates leads one after the other. Resolves to the code of the error once one gets no response. */
async function createUntilFailed(url: string, agent: Agent, statuses: number[]): Promise<string | undefined> {
  const headers = {...basic(acme), 'content-type': 'application/json'};
  for (;;) {
    const sent = request(`${url}/json/leads`, {method: 'POST', agent, headers});
    try {
      const [response] = (await once(sent.end(body), 'response')) as [IncomingMessage];
      await text(response);
      statuses.push(response.statusCode!);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  }
}

suite('a service that stops', () => {
  const folder = temporaryFolder({after});

  test('finishes what it accepted and refuses the rest with 503', async (t) => {
    const databasePath = join(folder, 'leads.sqlite');
    const server = await openFor(t, startTestServer({databasePath}));
    const [accepted, halfSent, idle] = await Promise.all([1, 2, 3].map(() => openConnection(server.port)));

    accepted!.send(create({expect: '100-continue'}, body.slice(0, 20)));
    await accepted!.continued();
    // What comes in one go with a request that was answered has begun to arrive, too.
    halfSent!.send(create() + create().slice(0, 30));
    await readJson(await halfSent!.answer(), 201);
    idle!.send(create());
    await readJson(await idle!.answer(), 201);

    const stopped = server.close();
    assert.deepEqual(await idle!.ended(), []);
    halfSent!.send(create().slice(30));
    const refused = await halfSent!.answer();
    assert.equal(refused.headers.get('connection'), 'close');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    await readProblem(refused, 503, 'shutting-down');
    assert.deepEqual(await halfSent!.ended(), []);
    const [error] = (await once(connect(server.port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNREFUSED');

    accepted!.send(body.slice(20));
    const {id} = await readJson<{id: string}>(await accepted!.answer(), 201);
    await stopped;
    const store = await openFor(t, openSqliteStore(databasePath, testEncryptor));
    assert.equal((await store.find(id))?.lead.first_name, 'Jane');
  });
});

suite('a request that is on its way when the service stops', () => {
  test('is refused with 503, and not cut off', async (t) => {
    const server = await openFor(t, startTestServer());
    const [used, unused] = await Promise.all([1, 2].map(() => openConnection(server.port)));
    used!.send(create());
    await readJson(await used!.answer(), 201);
    for (const connection of [used!, unused!]) connection.send(create());
    const closed = server.close();
    for (const connection of [used!, unused!])
      await readProblem(await connection.answer(), 503, 'shutting-down');
    await closed;
  });
});

suite('a service that drains', () => {
  test('says so, and ends connections with their next response once the port is closed', async (t) => {
    const config = baseConfig(temporaryFolder(t));
    const server = await openFor(t, startServer(config, ignoreObservations));
    const [kept, unused, begun, idle] = await Promise.all(
      [1, 2, 3, 4].map(() => openConnection(server.port)),
    );
    kept!.send(create());
    await readJson(await kept!.answer(), 201);

    await server.drain();
    for (const path of ['/readyz', '/health']) {
      const refused = await fetch(`http://127.0.0.1:${server.port}${path}`);
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      await readProblem(refused, 503, 'shutting-down');
    }
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/livez`)).status, 200);
    const late = await openConnection(server.port);
    for (const connection of [kept!, late, idle!]) {
      connection.send(create());
      const answer = await connection.answer();
      assert.equal(answer.headers.get('connection'), 'keep-alive');
      await readJson(answer, 201);
    }

    begun!.send(create({expect: '100-continue'}, body.slice(0, 20)));
    await begun!.continued();
    const closed = server.close();
    for (const connection of [kept!, unused!, late]) connection.send(create());
    begun!.send(body.slice(20));
    for (const connection of [kept!, unused!, late, begun!]) {
      const answer = await connection.answer();
      assert.equal(answer.headers.get('connection'), 'close');
      await readJson(answer, 201);
      assert.deepEqual(await connection.ended(), []);
    }
    assert.deepEqual(await idle!.ended(), []);
    await closed;
  });

  for (const keepAlive of [true, false])
    test(`resets none of 20 clients that ${keepAlive ? 'keep their connections' : 'open one for each lead'}`, async (t) => {
      const folder = temporaryFolder(t);
      const service = await startService({...serviceSettings(folder), DRAIN_SECONDS: '0.2'}, folder);
      t.after(() => service.end('SIGKILL'));
      const statuses: number[] = [];
      const clients = Array.from({length: 20}, () => {
        const agent = new Agent({keepAlive, maxSockets: 1});
        t.after(() => agent.destroy());
        return createUntilFailed(service.url, agent, statuses);
      });
      await until(() => statuses.length > 100);
      assert.deepEqual(await service.end('SIGTERM'), {code: 0, signal: null});
      assert.deepEqual(new Set(await Promise.all(clients)), new Set(['ECONNREFUSED']));
      assert.deepEqual(new Set(statuses), new Set([201]));
    });

  test('claims no waiting delivery', async (t) => {
    let looks = 0;
    const folder = temporaryFolder(t);
    const store = await openSqliteStore(join(folder, 'leads.sqlite'), testEncryptor);
    const counting: typeof store = {
      ...store,
      hasDue(...terms) {
        looks += 1;
        return store.hasDue(...terms);
      },
    };
    const {settings} = await openFor(t, startFakeUpstream());
    const config = {...baseConfig(folder), ...through(settings)};
    const server = await openFor(t, startServer(config, ignoreObservations, counting, quickTimings));
    await until(() => looks > 1);
    await server.drain();
    const before = looks;
    for (let count = 0; count < 10; count += 1) {
      const sent = await fetch(
        `http://127.0.0.1:${server.port}/json/leads`,
        postJson(standardBody, basic(acme)),
      );
      await readJson(sent, 201);
    }
    assert.equal(looks, before);
  });
});
