/** A stop that takes longer than it may. Stops under load: acknowledged.test.ts. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {usualTimings} from '../../server/config/timings.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {startOver, until} from './load.ts';

test('a stop that runs out of time says so in the log', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startOver(folder, {DATABASE_PATH: join(folder, 'leads.sqlite')});
  const said = (words: string) => until(() => server.lines.some((line) => line.includes(words)));
  // The server waits for the rest of this request.
  const connection = await openConnection(Number(new URL(server.url).port));
  connection.send(requestText('POST', '/json/leads', {'content-length': '100', expect: '100-continue'}));
  await connection.continued();
  const ended = server.end('SIGTERM');
  await said('the server stops');
  process.kill(server.pid, 'SIGSTOP');
  const deadline = performance.now() + usualTimings.processEnd;
  await until(() => performance.now() > deadline);
  process.kill(server.pid, 'SIGCONT');
  assert.deepEqual(await ended, {code: 1, signal: null});
  await said('the server could not stop within 10 s and ends now');
});
