/** Signals that come while the server starts, at any moment from its first line on. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {suite, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {databaseKinds} from '../support/operator.ts';
import {createDatabase} from '../support/postgres.ts';
import {readyPort, serviceSettings, spawnMain} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';

/** Whether the process listens to SIGHUP. The kernel has the signals that it hears as bits, SIGHUP as the lowest one. */
const hears = (pid: number) => /^SigCgt:.*[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** A server that has just run its first line. */
async function begin(t: TestContext, postgres: boolean) {
  const folder = makeTemporaryFolder();
  const database = postgres ? await createDatabase() : undefined;
  t.after(async () => {
    child.kill('SIGKILL');
    await database?.drop();
    folder.remove();
  });
  const settings = {...serviceSettings(folder.path), ...(database && {DATABASE_URL: database.url})};
  const child = spawnMain({...settings, PORT: '0'}, folder.path);
  const lines: string[] = [];
  const ready = readyPort(child, lines);
  ready.catch(() => undefined);
  child.stdout.on('data', (text) => lines.push(String(text)));
  const exited = once(child, 'exit');
  await until(() => hears(child.pid!));
  return {child, lines, ready, exited};
}

for (const {name, postgres, skip} of databaseKinds) {
  suite(`a signal during the start over ${name}`, {skip}, () => {
    /** Milliseconds from the first line until the server is ready. */
    let took = 0;

    test('SIGHUP ends the server at no moment, and it reads its configuration once it is ready', async (t) => {
      const {child, lines, ready, exited} = await begin(t, postgres);
      const begun = performance.now();
      const signals = setInterval(() => child.kill('SIGHUP'), 3);
      t.after(() => clearInterval(signals));
      await ready;
      took = performance.now() - begun;
      clearInterval(signals);
      await until(() => lines.join('').includes('was read again'));
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    });

    test('SIGTERM and SIGINT end the server with status 0 at any moment', async (t) => {
      for (const [index, signal] of (['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const).entries()) {
        const moment = ((index + Math.random()) / 4) * took;
        const {child, lines, exited} = await begin(t, postgres);
        await sleep(moment);
        child.kill(signal);
        assert.deepEqual(await exited, [0, null], `${signal} after ${moment} ms: ${lines.join('')}`);
      }
    });
  });
}
