/** A disk that takes 12 s for each sync. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {Pool} from 'undici';
import {need} from '../support/installed.ts';
import {rowsOf} from '../support/rows.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {fromCaller, fromPage, startOver, stopped, until} from './load.ts';

/** Delays each sync of a running process, until the tracer ends. Resolves when the tracer has attached itself. */
async function slowDown(pid: number) {
  const calls = 'fsync,fdatasync';
  const options = ['-f', '-p', String(pid), '-e', `trace=${calls}`, '-e', `inject=${calls}:delay_exit=12s`];
  const tracer = spawn(need('strace'), [...options, '-o', '/dev/null'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({input: tracer.stderr});
  await once(lines, 'line');
  return tracer;
}

suite('a disk that takes 12 s for each sync', () => {
  test('each of 30 requests gets an answer, all leads are stored, and a retry gets the same id', async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'leads.sqlite');
    const server = await startOver(folder, {DATABASE_PATH: path});
    const pool = new Pool(server.url, {connections: 30});
    const requests = Array.from({length: 30}, (_, index) => {
      const request = index % 2 === 0 ? fromCaller() : fromPage();
      const email = `visitor-${index}@example.com`;
      const body = JSON.parse(request.body) as {lead?: object};
      return {
        path: request.path,
        headers: {...request.headers, 'idempotency-key': `a-key-for-lead-${index}`},
        body: JSON.stringify(body.lead ? {lead: {...body.lead, email}} : {...body, email}),
      };
    });
    const send = async (request: (typeof requests)[number]) => {
      const {statusCode: status, headers, body} = await pool.request({method: 'POST', ...request});
      return {status, headers, body: (await body.json()) as {id?: string; type?: string}};
    };

    const tracer = await slowDown(server.pid);
    const answers = await Promise.all(requests.map(send));
    const byStatus = Map.groupBy(answers, ({status}) => status);
    t.diagnostic(JSON.stringify([...byStatus].map(([status, {length}]) => [status, length])));
    for (const {status, headers, body} of answers) {
      if (status === 201) continue;
      assert.equal(status, 503);
      assert.match(body.type ?? '', /store-unavailable$/);
      assert.ok(Number(headers['retry-after']) > 0);
    }
    assert.ok(byStatus.has(503), 'the disk was slow');
    const stored = () => rowsOf(path, 'SELECT id FROM leads').map(({id}) => id);
    await until(() => stored().length === requests.length);
    tracer.kill('SIGTERM');
    await once(tracer, 'close');

    const ids = (await Promise.all(requests.map(send))).map(({body}) => body.id);
    assert.deepEqual(ids.toSorted(), stored().toSorted());
    for (const [index, {status, body}] of answers.entries())
      if (status === 201) assert.equal(ids[index], body.id);
    await pool.close();
    assert.deepEqual(await server.end('SIGTERM'), stopped);
  });
});
