/** The Redis that `TEST_REDIS_URL` names, and one of a test's own, which may be stopped, frozen and started again. */
import {spawn, type ChildProcess} from 'node:child_process';
import {createClient} from '@redis/client';
import {need, skipUnless} from './installed.ts';
import type {Owner} from './opened.ts';
import {until} from './until.ts';

export const redisUrl = process.env['TEST_REDIS_URL'];

/** Why tests with Redis are skipped; false if they run. */
export const withoutRedis = skipUnless(
  'REQUIRE_STORES',
  !redisUrl && 'TEST_REDIS_URL does not say where a Redis is',
);

/** @param owner the test after which Redis is stopped */
export async function startRedis(owner: Owner, port: number): Promise<ChildProcess> {
  const words = ['--port', String(port), '--save', '', '--appendonly', 'no'];
  let output = '';
  function begin() {
    const child = spawn(need('redis-server'), words, {stdio: ['ignore', 'pipe', 'ignore']});
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    return child;
  }
  let redis = begin();
  owner.after(() => void redis.kill('SIGKILL'));
  await until(() => {
    // Somebody's connection may have taken the port since it was free. Redis ends then.
    if (redis.exitCode !== null) redis = begin();
    return output.includes('Ready to accept connections');
  }, 'Redis is ready');
  return redis;
}

/** How many keys are stored there. */
export const keysAt = async (port: number): Promise<number> => (await namesAt(port)).length;

/** The names of the keys that are stored there. */
export async function namesAt(port: number): Promise<string[]> {
  const client = await createClient({url: `redis://127.0.0.1:${port}`}).connect();
  const names = await client.keys('*');
  client.destroy();
  return names;
}

/** Changes a setting of a running Redis. */
export async function configureRedis(port: number, name: string, value: string): Promise<void> {
  const client = await createClient({url: `redis://127.0.0.1:${port}`}).connect();
  await client.configSet(name, value);
  client.destroy();
}
