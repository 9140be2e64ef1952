/** What 8 kB of hostile input cost the server, at every route. Prints the table. */
import assert from 'node:assert/strict';
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {createApp} from '../../server/app.ts';
import {releasesFolder} from '../../server/config/config.ts';
import {requestText} from '../support/connection.ts';
import {makeEmbedVersion} from '../support/embed-folder.ts';
import {ignoreObservations} from '../support/observation-log.ts';
import {
  hostileFields,
  hostileHeaders,
  hostilePaths,
  hostileQueries,
  routesOf,
  usualRequest,
  type HostileRequest,
} from '../support/hostile-requests.ts';
import {openFor} from '../support/opened.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {baseConfig, startTestServer} from '../support/test-server.ts';
import type {ToSend} from '../support/sender.ts';

/** Milliseconds of processor time, in all threads of the server's process, that one request may take. */
const limit = 5;
/**
 * Requests of one measurement, and measurements of which the least counts: whatever else the machine or the garbage
 * collector does at that moment is added to the cost, and never taken from it.
 */
const [times, repeats] = [4, 5];
/** Code that has run a few times is compiled. */
const warmUp = 20;

const inputs = {
  'nothing hostile': (request: HostileRequest) => request,
  ...hostileQueries,
  ...hostilePaths,
  ...hostileHeaders,
  ...hostileFields,
};

suite('8 kB of hostile input', () => {
  test(`take less than ${limit} ms of processor time at every route`, async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const embedFolder = join(folder.path, 'embed');
    makeEmbedVersion(embedFolder, '1.99.0', {'lead-prequal-form.js': '', 'lead-prequal-form.classic.js': ''});
    const settings = {
      embedFolder,
      releasesFolder,
      withdrawnVersions: ['1.0.0'],
      trustProxy: 'loopback',
      logLevel: 'info',
    };
    const listed = await createApp({...baseConfig(folder.path), ...settings}, ignoreObservations);
    const routes = [...routesOf(listed), {method: 'GET', path: '/nowhere'}];
    await listed.close(0);
    const server = await openFor(t, startTestServer(settings));
    const sender = fork(join(import.meta.dirname, '../support/sender.ts'), [String(server.port)]);
    t.after(() => sender.disconnect());

    async function cost({method, path, headers, body}: HostileRequest): Promise<number> {
      const length = body === '' ? {} : {'content-length': String(Buffer.byteLength(body))};
      const own = {connection: 'close', ...headers, ...length};
      const sent: ToSend = {text: requestText(method, path, own, body), times};
      const costs: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const before = process.cpuUsage();
        sender.send(sent);
        await once(sender, 'message');
        const {user, system} = process.cpuUsage(before);
        costs.push((user + system) / 1_000 / times);
      }
      return Math.min(...costs);
    }

    for (let round = 0; round < warmUp; round += 1)
      for (const route of routes) await cost(usualRequest(route));
    const lines = routes.map(({method, path}, index) => `${index + 1}: ${method} ${path}`);
    const measured: {ms: number; what: string}[] = [];
    for (const [input, change] of Object.entries(inputs)) {
      const row: number[] = [];
      for (const route of routes) row.push(await cost(change(usualRequest(route))));
      lines.push(`${input.padEnd(45)}${row.map((ms) => ms.toFixed(1).padStart(5)).join('')}`);
      for (const [index, {method, path}] of routes.entries())
        measured.push({ms: row[index]!, what: `${method} ${path}: ${input}`});
    }
    console.log(lines.join('\n'));
    const worst = measured.toSorted((one, other) => other.ms - one.ms).slice(0, 10);
    for (const {ms, what} of worst) t.diagnostic(`${ms.toFixed(1)} ms, ${what}`);
    assert.deepEqual(
      worst.filter(({ms}) => ms >= limit),
      [],
    );
  });
});
