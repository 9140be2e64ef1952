/** A log that cannot be written: requests get responses, memory does not grow, and the process ends on a signal. */
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {freePort} from '../support/free-port.ts';
import {serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {until} from './load.ts';
import {honestClients, memoryOf} from './under-attack.ts';

const main = join(import.meta.dirname, '../../server/main.ts');
/** Milliseconds that the server may take to end. */
const longestEnd = 10_500;

suite('a server whose log', () => {
  const folder = temporaryFolder({after});

  const unreadPipe = () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    // Opened for reading and writing, so the pipe has a reader, which never reads.
    return openSync(path, 'r+');
  };
  for (const [what, open] of [
    ['is on a full disk', () => openSync('/dev/full', 'w')],
    ['goes into a pipe that nobody reads', unreadPipe],
  ] as const) {
    test(`${what} answers requests, keeps its memory, and ends when it is told to`, async (t) => {
      const stdout = open();
      const port = await freePort();
      const child = spawn(process.execPath, [main], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'] ?? '',
          ...serviceSettings(folder),
          PORT: String(port),
          NODE_OPTIONS: '--max-old-space-size=512',
        },
        stdio: ['ignore', stdout, 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      const url = `http://127.0.0.1:${port}`;
      const isUp = () =>
        fetch(`${url}/health`).then(
          ({ok}) => ok,
          () => false,
        );
      await until(isUp);
      const before = memoryOf(child.pid!);
      const honest = honestClients(url);
      // Each request writes a line to the log. Together they are more than the 64 KiB that a pipe holds.
      await until(() => honest.answered() >= 600);
      const {failures, ...result} = await honest.stop();
      const memory = {before, after: memoryOf(child.pid!)};
      const start = performance.now();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
      const ended = Math.round(performance.now() - start);
      closeSync(stdout);
      t.diagnostic(JSON.stringify({...result, memory, ended, failed: failures.length}));
      assert.deepEqual(failures, []);
      assert.ok(ended < longestEnd, `ended after ${ended} ms`);
    });
  }
});
