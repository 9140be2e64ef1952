import assert from 'node:assert/strict';
import {once} from 'node:events';
import {connect} from 'node:net';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {clearText} from '../../server/store/codec.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {basic, readJson, readProblem} from '../support/http.ts';
import {openFor} from '../support/opened.ts';
import {standardBody} from '../support/sample-leads.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme, startTestServer} from '../support/test-server.ts';

const body = JSON.stringify(standardBody);
const create = (headers: Record<string, string> = {}, sent = body) => {
  const own = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body))};
  return requestText('POST', '/json/leads', {...basic(acme), ...own, ...headers}, sent);
};

suite('a service that stops', () => {
  const folder = makeTemporaryFolder();
  after(() => folder.remove());

  test('a service that stops finishes what it accepted, refuses the rest with 503, and takes no new connection', async (t) => {
    const databasePath = join(folder.path, 'leads.sqlite');
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
    const store = await openFor(t, openSqliteStore(databasePath, clearText));
    assert.equal((await store.find(id))?.lead.first_name, 'Jane');
  });
});
