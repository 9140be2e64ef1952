/** Attacks over loopback on a server with a heap of 512 MB. Honest clients get responses; memory is freed again. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {startOver, stopped, until} from './load.ts';
import {honestClients, memoryOf, underAttack} from './under-attack.ts';

/** Milliseconds of each attack. */
const duration = 7_000;
/** Megabytes by which the memory may grow. Garbage that was not collected yet is part of it. */
const slack = 220;

suite('a server with a heap of 512 MB', () => {
  const folder = temporaryFolder({after});

  for (const attack of ['pipelining', 'unread', 'idle', 'drip', 'body-drip', 'large-body']) {
    test(`answers honest clients during an attack with ${attack}, and its memory comes back`, async (t) => {
      const server = await startOver(folder, {
        NODE_OPTIONS: '--max-old-space-size=512',
      });
      const {failures, ...result} = await underAttack(attack, server.url, server.pid, duration);
      // An idle server collects no garbage, so it must get some requests.
      const afterwards = honestClients(server.url);
      await until(() => memoryOf(server.pid) < result.memory.before + slack);
      await afterwards.stop();
      t.diagnostic(JSON.stringify({...result, memoryAfter: memoryOf(server.pid), failed: failures.length}));
      assert.deepEqual(failures.slice(0, 5), []);
      assert.ok(result.answered > 50, `only ${result.answered} were answered`);
      assert.deepEqual(await server.end('SIGTERM'), stopped);
    });
  }
});
