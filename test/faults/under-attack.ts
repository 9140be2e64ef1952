/** Measures honest clients during an attack: how many get responses, how fast, and how much memory the server uses. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {Pool} from 'undici';
import {basic} from '../support/http.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {acme} from '../support/test-server.ts';

const attacker = join(import.meta.dirname, 'attacker.ts');

/** The resident memory of a process, in megabytes. */
export const memoryOf = (pid: number) =>
  Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024);

export type Honest = {answered: number; failures: string[]; p50: number; p99: number; longest: number};

/** Four clients create leads and read them back, one after the other, until they are stopped. */
export function honestClients(url: string): {answered(): number; stop(): Promise<Honest>} {
  const times: number[] = [];
  const failures: string[] = [];
  let stopping = false;
  const headers = {...basic(acme), 'content-type': 'application/json'};
  const body = JSON.stringify(prequalificationBody);

  async function client(_: unknown, number: number) {
    // Half of the clients keep their connection. The others open a new one for each request.
    const reset = number % 2 === 0;
    const pool = new Pool(url, {connections: 1, connect: {timeout: 5_000}});
    while (!stopping) {
      const start = performance.now();
      try {
        const created = await pool.request({method: 'POST', path: '/json/leads', headers, body, reset});
        const {id} = (await created.body.json()) as {id?: string};
        if (created.statusCode !== 201) failures.push(`create ${created.statusCode}`);
        const read = await pool.request({
          method: 'GET',
          path: `/json/leads/${id}`,
          headers: basic(acme),
          reset,
        });
        await read.body.dump();
        if (read.statusCode !== 200) failures.push(`read ${read.statusCode}`);
        times.push(performance.now() - start);
      } catch (error) {
        failures.push(String(error));
        times.push(performance.now() - start);
      }
      await sleep(5);
    }
    await pool.destroy();
  }
  const clients = Array.from({length: 4}, client);

  const stop = async () => {
    stopping = true;
    await Promise.all(clients);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? Infinity);
    return {answered: sorted.length, failures, p50: at(0.5), p99: at(0.99), longest: at(0.9999)};
  };
  after(() => stop());
  return {answered: () => times.length, stop};
}

/** @param duration milliseconds */
export async function underAttack(attack: string, url: string, pid: number, duration: number) {
  const before = memoryOf(pid);
  const honest = honestClients(url);
  const child = spawn(process.execPath, [attacker, attack, new URL(url).port], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  const said = text(child.stdout);
  let most = before;
  const attackEnds = Date.now() + duration;
  while (Date.now() < attackEnds) {
    most = Math.max(most, memoryOf(pid));
    await sleep(100);
  }
  const result = await honest.stop();
  child.kill('SIGTERM');
  await once(child, 'close');
  return {attack, ...result, memory: {before, most}, attacker: JSON.parse(await said) as object};
}
