import assert from 'node:assert/strict';
import {randomInt, randomUUID} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import {readRanges} from '../../../../server/config/addresses.ts';
import type {Config} from '../../../../server/config/config.ts';
import {basic, comparable, postJson, readJson, readProblem} from '../../../support/http.ts';
import {openFor, openForSuite} from '../../../support/opened.ts';
import {redisUrl, withoutRedis} from '../../../support/redis.ts';
import {standardBody} from '../../../support/sample-leads.ts';
import {caller, acme, globex, startTestServer, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

const createAt = (server: TestServer, headers: Record<string, string>, body: unknown = standardBody) =>
  server.fetch('/json/leads', postJson(body, headers));
const readAt = (server: TestServer, headers: Record<string, string>) =>
  server.fetch(`/json/leads/${randomUUID()}`, {headers});
const wrong = basic({...acme, password: 'wrong'});
const unknown = basic({user: 'nobody', password: 'wrong'});

// Each failure waits for up to a second: all tests of this suite wait at the same time.
suite('credentials', {concurrency: true}, () => {
  const server = openForSuite(() => startTestServer());
  const header = (text: string) => ({authorization: `Basic ${Buffer.from(text).toString('base64')}`});
  const refused: Record<string, Record<string, string>> = {
    'that are absent': {},
    "with another user's password": basic({...acme, password: globex.password}),
    'of nobody': basic({user: '', password: ''}),
    'without a colon': header('acme'),
    'with a password that is longer': basic({...acme, password: `${acme.password}x`}),
    'with a user in other case': basic({...acme, user: 'ACME'}),
    'by the name __proto__': basic({user: '__proto__', password: ''}),
    'of another scheme': {authorization: `Bearer ${Buffer.from('acme:x').toString('base64')}`},
    'that are not Base64': {authorization: 'Basic ???'},
    'that are empty': {authorization: 'Basic '},
  };
  for (const [which, headers] of Object.entries(refused)) {
    test(`${which} are refused, for creating as for reading`, async () => {
      const responses = await Promise.all([createAt(server, headers), readAt(server, headers)]);
      for (const response of responses) {
        await readProblem(response, 401, 'unauthorized');
        assert.match(response.headers.get('www-authenticate') ?? '', /^Basic realm=/);
      }
    });
  }
  test('are checked before the body is looked at', async () => {
    for (const body of ['{', 'x'.repeat(20_000)]) {
      await readProblem(await createAt(server, {}, body), 401, 'unauthorized');
    }
  });
  test('take the scheme in any case', async () => {
    const {authorization} = basic(acme);
    const response = await createAt(server, {authorization: authorization.replace('Basic', 'bAsIC')});
    await readJson(response, 201);
  });
  test('may hold colons and other scripts in the password', async (t) => {
    const josé = caller({user: 'josé', password: 'päss:wörd:秘密:1234', cids: ['1001']});
    const other = await openFor(t, startTestServer({callers: [josé]}));
    await readJson(await createAt(other, basic(josé)), 201);
  });
  test('are taken as UTF-8 and as ISO-8859-1, in which some clients send them', async (t) => {
    const josé = caller({user: 'josé', password: 'contraseña-1', cids: ['1001']});
    const other = await openFor(t, startTestServer({callers: [josé, globex]}));
    const encoded = (user: string, password: string, encoding: BufferEncoding) => ({
      authorization: `Basic ${Buffer.from(`${user}:${password}`, encoding).toString('base64')}`,
    });
    for (const encoding of ['utf8', 'latin1'] as const) {
      await readJson(await createAt(other, encoded(josé.user, josé.password, encoding)), 201);
      const notHis = [
        [josé.user, 'contraseño-1'],
        [josé.user, globex.password],
        ['josè', josé.password],
        ['josé', ''],
      ] as const;
      for (const [user, password] of notHis)
        await readProblem(await createAt(other, encoded(user, password, encoding)), 401, 'unauthorized');
    }
    // The user as UTF-8 and the password as ISO-8859-1: no client sends that.
    const mixed = Buffer.concat([Buffer.from('josé:'), Buffer.from(josé.password, 'latin1')]);
    const authorization = `Basic ${mixed.toString('base64')}`;
    await readProblem(await createAt(other, {authorization}), 401, 'unauthorized');
  });
});

/** A server that has seen so many failures, of these credentials, that the next one waits for a second. */
async function serverAfterFailures(
  t: TestContext,
  headers: Record<string, string>,
  changes: Partial<Config> = {},
): Promise<TestServer> {
  const server = await openFor(t, startTestServer(changes));
  await Promise.all(Array.from({length: 10}, () => createAt(server, headers)));
  return server;
}

suite('failed sign-ins', {concurrency: true}, () => {
  test('tell a wrong password and an unknown user apart by nothing', async (t) => {
    const server = await serverAfterFailures(t, wrong);
    const [created, read] = await Promise.all(
      [createAt, readAt].map((ask) => Promise.all([ask(server, wrong), ask(server, unknown)])),
    );
    for (const [first, second] of [created!, read!]) {
      assert.deepEqual(await comparable(second), await comparable(first));
    }
  });

  for (const [which, headers] of Object.entries({'the same user': wrong, 'an unknown user': unknown})) {
    test(`of ${which} hold up neither right ones nor those without credentials`, async (t) => {
      const server = await serverAfterFailures(t, headers);
      const finished: string[] = [];
      const failure = createAt(server, headers).then(() => finished.push('failure'));
      await readJson(await createAt(server, basic(acme)), 201);
      finished.push('right');
      await readProblem(await createAt(server, {}), 401, 'unauthorized');
      finished.push('none');
      await failure;
      assert.deepEqual(finished, ['right', 'none', 'failure']);
    });
  }
});

suite('more failed sign-ins than fifty from an address that is exempt', () => {
  test('more than fifty failed sign-ins of an exempt address are turned away and lock nobody out', async (t) => {
    const server = await serverAfterFailures(t, wrong, {signInExempt: readRanges('127.0.0.1')});
    const finished: number[] = [];
    const noted = async (asked: Promise<Response>) => {
      const response = await asked;
      finished.push(response.status);
      return response;
    };
    const failures = Array.from({length: 200}, () => noted(createAt(server, wrong)));
    await readJson(await noted(createAt(server, basic(acme))), 201);
    const answers = Map.groupBy(await Promise.all(failures), ({status}) => status);

    assert.deepEqual([...answers.keys()].sort(), [401, 429]);
    assert.ok(answers.get(401)!.length >= 50);
    // Before the last of those that wait, however slowly the machine hands all of them in.
    const last = finished.lastIndexOf(401);
    assert.ok(finished.indexOf(429) < last && finished.indexOf(201) < last);
    for (const response of answers.get(429)!) await readProblem(response, 429, 'too-many-requests');

    await readJson(await createAt(server, basic(acme)), 201);
    await readProblem(await createAt(server, wrong), 401, 'unauthorized');
  });
});

suite('after twenty failed sign-ins in a minute', () => {
  const from = (address: string) => ({'x-forwarded-for': address});
  const newNetwork = () => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}`;
  const outcomes = (responses: readonly Response[]) =>
    Object.fromEntries(
      [...Map.groupBy(responses, ({status}) => status)].map(([status, some]) => [status, some.length]),
    );
  const start = (t: TestContext, changes: Partial<Config> = {}) =>
    openFor(t, startTestServer({trustProxy: 1, ...changes}));

  test('of 400 parallel guesses of a network twenty are compared, and the right one is refused', async (t) => {
    const server = await start(t);
    const network = newNetwork();
    const guesses = Array.from({length: 400}, (_, index) =>
      createAt(server, {...wrong, ...from(`${network}::${index.toString(16)}`)}),
    );
    const {401: compared = 0, 429: refused = 0} = outcomes(await Promise.all(guesses));
    assert.deepEqual([compared, refused], [20, 380]);
    const right = await createAt(server, {...basic(acme), ...from(`${network}::ffff`)});
    assert.match(right.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    await readProblem(right, 429, 'too-many-requests');
    // Neither another network nor somebody who only asks whether credentials are needed.
    await readJson(await createAt(server, {...basic(acme), ...from(`${newNetwork()}::1`)}), 201);
    await readProblem(await createAt(server, from(`${network}::1`)), 401, 'unauthorized');
    const lines = server.logLines.filter((line) => line.includes('sign-ins of this address are refused'));
    assert.equal(lines.length, 1);
  });
  test('an address with twenty failed sign-ins in a minute is let in again when the minute is over', async (t) => {
    const server = await start(t);
    const headers = {...basic(acme), ...from(`${newNetwork()}::1`)};
    await Promise.all(Array.from({length: 30}, () => createAt(server, {...headers, ...wrong})));
    await readProblem(await createAt(server, headers), 429, 'too-many-requests');
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + 61_000);
    await readJson(await createAt(server, headers), 201);
  });
  test('right sign-ins do not count as failures, however many come at once', async (t) => {
    const server = await start(t);
    const headers = {...basic(acme), ...from(`${newNetwork()}::1`)};
    await Promise.all(Array.from({length: 19}, () => createAt(server, {...headers, ...wrong})));
    const right = await Promise.all(Array.from({length: 100}, () => createAt(server, headers)));
    assert.deepEqual(outcomes(right), {201: 100});
  });
  test('an address that is exempt is only slowed down after twenty failed sign-ins in a minute', async (t) => {
    const server = await start(t, {signInExempt: readRanges('192.0.2.0/24')});
    const headers = {...basic(acme), ...from('192.0.2.7')};
    await Promise.all(Array.from({length: 30}, () => createAt(server, {...headers, ...wrong})));
    await readJson(await createAt(server, headers), 201);
  });
  test(
    'after twenty failed sign-ins every process with the same Redis refuses the address',
    {skip: withoutRedis},
    async (t) => {
      const servers = [await start(t, {redisUrl}), await start(t, {redisUrl})] as const;
      /** Twelve failures in each process: more than twenty only where they count together. */
      const afterFailures = async () => {
        const address = from(`${newNetwork()}::1`);
        const guess = () => servers.map((server) => createAt(server, {...wrong, ...address}));
        await Promise.all(Array.from({length: 12}, guess).flat());
        return Promise.all(servers.map((server) => createAt(server, {...basic(acme), ...address})));
      };
      // Until its connection stands, each counts alone.
      await until(async () => outcomes(await afterFailures())[429] === 2);
    },
  );
});
