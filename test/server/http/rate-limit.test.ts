/** Limits per address: in memory, shared over Redis, and without the Redis that was configured. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {randomInt} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import type {Config} from '../../../server/config/config.ts';
import {basic, readProblem} from '../../support/http.ts';
import {sendLead, somebody} from '../../support/embed-client.ts';
import {freePort} from '../../support/free-port.ts';
import {keysAt, namesAt, redisUrl, startRedis, withoutRedis} from '../../support/redis.ts';
import {acme, listedOrigin, startTestServer, type TestServer} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {openFor} from '../../support/opened.ts';

const limit = 3;

const start = (t: TestContext, changes: Partial<Config> = {}) =>
  openFor(t, startTestServer({rateLimit: limit, ...changes}));

/** Nobody else's, so that runs on one Redis do not count each other. */
const newAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
const config = ({fetch}: TestServer, forwarded?: string) =>
  fetch('/embed/v1/config?partner=acme', {
    headers: {origin: listedOrigin, ...(forwarded && {'x-forwarded-for': forwarded})},
  });
const remaining = ({headers}: Response) =>
  Number(/remaining=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
const statuses = async (ask: () => Promise<Response>, count: number) => {
  const seen = [];
  for (let index = 0; index < count; index += 1) seen.push((await ask()).status);
  return seen;
};
const within = Array.from({length: limit}, () => 200);
const logged = ({logLines}: TestServer, words: string) =>
  logLines.filter((line) => line.includes(words)).length;

suite('an address', () => {
  test('is told its limit with every answer, and when to come back after the last', async (t) => {
    const server = await start(t);
    for (let left = limit - 1; left >= 0; left -= 1) {
      const {status, headers} = await config(server);
      assert.equal(status, 200);
      assert.equal(headers.get('ratelimit-policy'), '3;w=60');
      assert.match(headers.get('ratelimit') ?? '', new RegExp(`^limit=3, remaining=${left}, reset=\\d+$`));
    }
    const refused = await config(server);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    assert.equal(remaining(refused), 0);
    assert.equal(refused.headers.get('access-control-allow-origin'), listedOrigin);
    await readProblem(refused, 429, 'too-many-requests');
  });
  test('has a limit for each kind of request, and callers have none of these', async (t) => {
    const server = await start(t);
    await statuses(() => config(server), limit + 1);
    for (let count = 0; count < limit; count += 1) assert.equal((await sendLead(server)).status, 201);
    const before = await server.fetch('/health');
    await readProblem(await sendLead(server), 429, 'too-many-requests');
    assert.equal(before.status, 200);
  });
  test('is not asked for a body that is refused anyway', async (t) => {
    const server = await start(t);
    for (let count = 0; count < limit; count += 1) await sendLead(server, somebody({cash: 'much'}));
    await readProblem(await sendLead(server), 429, 'too-many-requests');
  });
  test('is not what a request says it is, where no proxy is trusted', async (t) => {
    const server = await start(t);
    const seen = await statuses(() => config(server, newAddress()), limit + 1);
    assert.deepEqual(seen, [...within, 429]);
  });
  test('is what the trusted proxy says, whatever stands before it', async (t) => {
    const server = await start(t, {trustProxy: 1});
    const address = newAddress();
    const seen = await statuses(() => config(server, `${newAddress()}, ${address}`), limit + 1);
    assert.deepEqual(seen, [...within, 429]);
    assert.equal((await config(server, newAddress())).status, 200);
  });
});

suite('the networks around an IPv6 network', () => {
  const address = (home: number, network = 0) =>
    `2001:db8:1:${home.toString(16)}${network.toString(16).padStart(2, '0')}::1`;
  const asked: Record<string, (server: TestServer, from: string) => Promise<Response>> = {
    'requests for the configuration': config,
    'forms of an apply page': ({fetch}, from) =>
      fetch('/apply/acme', {method: 'POST', body: new URLSearchParams(), headers: {'x-forwarded-for': from}}),
    'requests for unknown partners': ({fetch}, from) =>
      fetch('/embed/v1/config?partner=nobody', {headers: {origin: listedOrigin, 'x-forwarded-for': from}}),
  };
  for (const [what, ask] of Object.entries(asked)) {
    test(`have limits of their own: ${what} of a /56 four times, and of a /48 sixteen times`, async (t) => {
      const server = await start(t, {trustProxy: 1});
      const isRefused = async (from: string) => (await ask(server, from)).status === 429;
      const refusals = (home: number) =>
        Promise.all(Array.from({length: 6 * limit}, (_, index) => isRefused(address(home, index % 6))));
      for (const home of [1, 2, 3, 4]) {
        const refused = await refusals(home);
        assert.equal(refused.filter((is) => !is).length, 4 * limit, 'of six networks, as many as four may');
      }
      assert.ok(await isRefused(address(5)), 'the /48');
      assert.ok(!(await isRefused('2001:db8:2:100::1')), 'another /48');
    });
    test(`are not used up by one of them alone: ${what}`, async (t) => {
      const server = await start(t, {trustProxy: 1});
      for (let count = 0; count < 17 * limit; count += 1) await ask(server, address(1));
      assert.equal((await ask(server, address(1))).status, 429);
      assert.notEqual((await ask(server, address(1, 1))).status, 429);
      assert.notEqual((await ask(server, address(2))).status, 429);
    });
  }
});

suite('a clock that is set', () => {
  const wrong = basic({...acme, password: 'wrong'});
  const asked: Record<string, (server: TestServer) => Promise<Response>> = {
    'requests for the configuration': (server) => config(server),
    'requests for unknown partners': ({fetch}) =>
      fetch('/embed/v1/config?partner=nobody', {headers: {origin: listedOrigin}}),
    'failed sign-ins': ({fetch}) => fetch('/json/leads', {method: 'POST', headers: wrong}),
  };
  for (const [what, ask] of Object.entries(asked)) {
    for (const [how, hours] of [
      ['back by hours locks nobody out for longer', -3],
      ['forward by hours lets nobody in earlier', 3],
    ] as const) {
      test(`${how}: ${what}`, async (t) => {
        const server = await start(t);
        // More than any of the limits.
        await Promise.all(Array.from({length: 25}, () => ask(server)));
        const realNow = Date.now;
        t.mock.method(Date, 'now', () => realNow() + hours * 3_600_000);
        const refused = await ask(server);
        assert.equal(refused.status, 429);
        const wait = Number(refused.headers.get('retry-after'));
        assert.ok(wait > 0 && wait <= 60, `${wait} s`);
      });
    }
  }
});

const away = 'Redis is away';

suite('over Redis', {skip: withoutRedis}, () => {
  test('several processes count together over Redis', async (t) => {
    const changes = {redisUrl, trustProxy: 1};
    const servers = [await start(t, changes), await start(t, changes)];
    // Until its connection stands, each counts alone.
    await until(async () => {
      const address = newAddress();
      await config(servers[0]!, address);
      return remaining(await config(servers[1]!, address)) === limit - 2;
    });
    const address = newAddress();
    let turn = 0;
    const seen = await statuses(() => config(servers[(turn += 1) % 2]!, address), limit + 1);
    assert.deepEqual(seen, [...within, 429]);
  });

  test('no address of a visitor, no partner and no user stands in Redis', async (t) => {
    const port = await freePort();
    await startRedis(t, port);
    const changes = {redisUrl: `redis://127.0.0.1:${port}`, trustProxy: 1, proofOfWork: 1};
    const server = await start(t, changes);
    for (const address of ['203.0.113.77', '2001:db8:77::1']) {
      const headers = {...basic({...acme, password: 'wrong'}), 'x-forwarded-for': address};
      await until(async () => {
        await config(server, address);
        await server.fetch('/json/leads', {method: 'POST', headers});
        const names = await namesAt(port);
        return ['failed sign-ins:', 'challenges:', 'config:'].every((kind) => names.join().includes(kind));
      });
    }
    const names = await namesAt(port);
    for (const name of names) assert.match(name, /^lead-prequal:[a-z -]+(:[\w-]{43})?$/);
    assert.doesNotMatch(names.join(), /203|db8|acme/);
  });

  test('processes with another token key count apart, and together again with the same one', async (t) => {
    const changes = {redisUrl, trustProxy: 1};
    const [old, next] = ['a-token-key-that-is-long-enough-1', 'a-token-key-that-is-long-enough-2'] as const;
    const servers = [
      await start(t, {...changes, tokenKeys: [old, next]}),
      await start(t, {...changes, tokenKeys: [next, old]}),
    ] as const;
    const left = async () => {
      const address = newAddress();
      await config(servers[0], address);
      return remaining(await config(servers[1], address));
    };
    assert.equal(await left(), limit - 1);
    await servers[0].reload({tokenKeys: [next, old]});
    // Until the connections to Redis stand, each counts alone.
    await until(async () => (await left()) === limit - 2);
  });

  test('nothing is refused while Redis is away, and processes count together when it is back', async (t) => {
    const port = await freePort();
    const redis = await startRedis(t, port);
    const server = await start(t, {redisUrl: `redis://127.0.0.1:${port}`, trustProxy: 1});
    const address = newAddress();
    const ask = () => config(server, address);
    await until(async () => {
      await config(server, newAddress());
      return (await keysAt(port)) > 0;
    });
    assert.deepEqual(await statuses(ask, limit + 1), [...within, 429]);
    redis.kill('SIGKILL');
    await once(redis, 'exit');
    await until(() => logged(server, away) === 1);
    // In memory it begins anew, and limits still.
    assert.deepEqual(await statuses(ask, limit + 1), [...within, 429]);
    assert.equal((await sendLead(server)).status, 201);
    assert.equal(logged(server, away), 1);

    await startRedis(t, port);
    await until(() => logged(server, 'Redis is back') === 1);
    assert.deepEqual(await statuses(ask, limit + 1), [...within, 429]);
  });
});

suite('a Redis that is not there at the start', () => {
  test('stops nobody, and is said once', async (t) => {
    const server = await start(t, {redisUrl: `redis://127.0.0.1:${await freePort()}`});
    await until(() => logged(server, away) === 1);
    assert.deepEqual(await statuses(() => config(server), limit + 1), [...within, 429]);
    assert.equal((await sendLead(server)).status, 201);
    assert.equal(logged(server, away), 1);
  });
  test('is used from when it comes', {skip: withoutRedis}, async (t) => {
    const port = await freePort();
    const changes = {redisUrl: `redis://127.0.0.1:${port}`};
    const servers = [await start(t, changes), await start(t, changes)];
    for (const server of servers) await until(() => logged(server, away) === 1);
    await startRedis(t, port);
    for (const server of servers) await until(() => logged(server, 'Redis is back') === 1);
    let turn = 0;
    const seen = await statuses(() => config(servers[(turn += 1) % 2]!), limit + 1);
    assert.deepEqual(seen, [...within, 429]);
  });
});
