/** Redis is frozen, continued, stopped and started again while pages send leads. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {after, suite, test} from 'node:test';
import type {EmbedConfig} from '../../contract/embed.ts';
import {readJson} from '../support/http.ts';
import {somebody} from '../support/embed-client.ts';
import {freePort} from '../support/free-port.ts';
import {configureRedis, keysAt, startRedis} from '../support/redis.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {createLeads, fromPage, missing, startOver, stopped, until} from './load.ts';
import {writeConfig} from '../support/config-file.ts';

const folder = temporaryFolder({after});

const fromSomebody = () => ({...fromPage(), body: JSON.stringify({lead: somebody()})});

suite('a Redis that fails in mid-load', () => {
  for (const how of ['frozen', 'stopped'] as const) {
    test(`(${how}) delays no lead for long, is said once, and is used again by itself`, async (t) => {
      const port = await freePort();
      let redis = await startRedis(t, port);
      const settings = {
        REDIS_URL: `redis://127.0.0.1:${port}`,
        DATABASE_PATH: `${folder}/${how}.sqlite`,
      };
      const server = await startOver(folder, settings);
      const logged = (words: string) => server.lines.filter((line) => line.includes(words)).length;
      const load = createLeads(server.url, 20, fromSomebody);
      await until(async () => load.statuses.length > 200 && (await keysAt(port)) > 0);

      const before = load.statuses.length;
      if (how === 'frozen') redis.kill('SIGSTOP');
      else {
        redis.kill('SIGKILL');
        await once(redis, 'exit');
      }
      const failedAt = performance.now();
      await until(() => logged('Redis is away') === 1);
      const noticed = performance.now() - failedAt;
      const health = await fetch(`${server.url}/health`, {signal: AbortSignal.timeout(5_000)});
      assert.equal(health.status, 200);
      // Long enough for several attempts to reconnect.
      await until(() => performance.now() - failedAt > 8_000);
      assert.ok(load.statuses.length > before + 200, `${load.statuses.length - before} answers`);

      if (how === 'frozen') redis.kill('SIGCONT');
      else redis = await startRedis(t, port);
      const mendedAt = performance.now();
      await until(() => logged('Redis is back') === 1);
      const returned = performance.now() - mendedAt;
      const back = load.statuses.length;
      await until(() => load.statuses.length > back + 200);
      await load.stop();
      const lost = await missing(server.url, load.acknowledged);

      const during = load.times.slice(before, back);
      const slowest = Math.max(...during);
      const later = during.slice(200).sort((a, b) => a - b);
      t.diagnostic(
        `${how}: ${during.length} leads answered meanwhile, the slowest in ${Math.round(slowest)} ms, ` +
          `p99 once it was noticed ${Math.round(later[Math.floor(later.length * 0.99)]!)} ms; ` +
          `noticed after ${Math.round(noticed)} ms, used again ${Math.round(returned)} ms after its return; ` +
          `acknowledged ${load.acknowledged.length}, missing ${lost.length}`,
      );
      assert.deepEqual(lost, []);
      assert.deepEqual(new Set(load.statuses), new Set([201]));
      assert.ok(slowest < 5_000, `${slowest} ms`);
      assert.equal(logged('Redis is away'), 1);
      assert.equal(logged('Redis is back'), 1);
      assert.deepEqual(await server.end('SIGTERM'), stopped);
    });
  }

  test('(frozen) delays neither the start nor the end of the service', async (t) => {
    const port = await freePort();
    const redis = await startRedis(t, port);
    redis.kill('SIGSTOP');
    const settings = {REDIS_URL: `redis://127.0.0.1:${port}`, DATABASE_PATH: `${folder}/start.sqlite`};
    const server = await startOver(folder, settings);
    const load = createLeads(server.url, 20, fromSomebody);
    await until(() => load.statuses.length > 200);
    await load.stop();
    assert.deepEqual(new Set(load.statuses), new Set([201]));
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    redis.kill('SIGCONT');
  });

  test('(full: it answers reads and refuses writes) is left, so that challenges go on counting', async (t) => {
    const port = await freePort();
    await startRedis(t, port);
    const server = await startOver(folder, {
      REDIS_URL: `redis://127.0.0.1:${port}`,
      DATABASE_PATH: `${folder}/full.sqlite`,
      CONFIG_FILE: writeConfig(folder, [{}], {}, {proof_of_work: 1}),
    });
    /** Where a new challenge was counted, and its number. */
    const issued = async () => {
      const {challenge} = await readJson<EmbedConfig>(
        await fetch(`${server.url}/embed/v1/config?partner=acme`, {headers: {origin: listedOrigin}}),
        200,
      );
      return (challenge!.parameters as unknown as {data: {place: string; number: number}}).data;
    };
    const logged = (words: string) => server.lines.filter((line) => line.includes(words)).length;
    await until(async () => (await issued()).place === 'shared');

    await configureRedis(port, 'maxmemory', '1');
    await issued();
    await until(() => logged('Redis is away') === 1);
    assert.match(server.lines.join('\n'), /"reason":"OOM /);
    const [first, second] = [await issued(), await issued()];
    assert.notEqual(first.place, 'shared');
    assert.deepEqual(second, {...first, number: first.number + 1});

    await configureRedis(port, 'maxmemory', '0');
    await until(async () => (await issued()).place === 'shared');
    await until(() => logged('Redis is back') === 1);
    assert.deepEqual(await server.end('SIGTERM'), stopped);
  });
});
