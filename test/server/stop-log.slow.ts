/** What the log says when the server stops, and why. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {suite, test, type TestContext} from 'node:test';
import {usualTimings} from '../../server/config/timings.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {startFakeUpstream} from '../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../support/http.ts';
import {openFor} from '../support/opened.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {standardBody} from '../support/sample-leads.ts';
import {serviceSettings, spawnMain, startService, type RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme, startTestServer, through} from '../support/test-server.ts';
import {until} from '../support/until.ts';

type Line = {level: number; msg?: string; reason?: string; ms?: number; err?: {message: string}};

async function start(t: TestContext, settings: Record<string, string> = {}): Promise<RunningService> {
  const folder = temporaryFolder(t);
  const service = await startService({...serviceSettings(folder), ...settings}, folder);
  t.after(() => service.end('SIGKILL'));
  return service;
}

/** The lines of the log that say how the server stops. */
async function lastLines({lines}: RunningService): Promise<Line[]> {
  const parsed = () => lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
  await until(() => / (stopped|ends now)$/.test(parsed().at(-1)?.msg ?? ''));
  return parsed().filter(({msg = ''}) => /stop|ends/.test(msg) && !msg.includes('the port closes'));
}

const orderly = (reason: string) => [
  {level: 30, msg: 'the server stops', reason},
  {level: 30, msg: 'the server has stopped'},
];

suite('the log of a server that stops', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`a server that gets ${signal} as soon as it is ready ends in order, and its log says so`, async (t) => {
      const service = await start(t);
      assert.deepEqual(await service.end(signal), {code: 0, signal: null});
      const lines = await lastLines(service);
      assert.partialDeepStrictEqual(lines, orderly(signal));
      assert.equal(typeof lines.at(-1)?.ms, 'number');
    });
  }

  test('a drain ends after DRAIN_SECONDS, and the log says so', async (t) => {
    const service = await start(t, {DRAIN_SECONDS: '0.1'});
    assert.deepEqual(await service.end('SIGTERM'), {code: 0, signal: null});
    assert.partialDeepStrictEqual(await lastLines(service), orderly('the drain has ended'));
  });

  test('a drain goes on after all signals of one stop, and the next signal ends it', async (t) => {
    const service = await start(t, {DRAIN_SECONDS: '600'});
    // A terminal and systemd signal every process, and npm passes its own signal on.
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) process.kill(service.pid, signal);
    await until(() => service.lines.some((line) => line.includes(': the port closes in 600 s')));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    await readJson(await fetch(`${service.url}/json/leads`, postJson(standardBody, basic(acme))), 201);
    let ended: unknown;
    const end = service.end('SIGINT').then((how) => (ended = how));
    await until(() => {
      if (ended === undefined) process.kill(service.pid, 'SIGINT');
      return ended !== undefined;
    });
    assert.deepEqual(await end, {code: 0, signal: null});
    assert.partialDeepStrictEqual(await lastLines(service), orderly('SIGINT during the drain'));
  });

  test('before it is ready says so', async (t) => {
    const folder = temporaryFolder(t);
    // Nothing listens at port 1, so the server waits for its database.
    const settings = {...serviceSettings(folder), DATABASE_URL: 'postgres://127.0.0.1:1/leads'};
    const child = spawnMain(settings, folder);
    t.after(() => child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until(() => output.includes('the database cannot be reached'));
    child.kill('SIGTERM');
    await once(child, 'close');
    const last = JSON.parse(output.trimEnd().split('\n').at(-1)!) as Line;
    assert.partialDeepStrictEqual(last, {msg: 'the server stops', reason: 'SIGTERM before it was ready'});
  });

  const faults = {
    'an error that nothing catches': 'throw new Error("a fault")',
    'a rejection that nothing handles': 'void Promise.reject(new Error("a fault"))',
  };
  for (const [what, fault] of Object.entries(faults)) {
    test(`the log of a server that ${what} ends has the error as its last line`, async (t) => {
      const script = `process.on("SIGUSR2", () => { ${fault} })`;
      const service = await start(t, {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
      });
      assert.deepEqual(await service.end('SIGUSR2'), {code: 1, signal: null});
      await until(() => service.lines.some((line) => line.includes('the server ends')));
      const lines = service.lines.filter((line) => line.startsWith('{'));
      const last = JSON.parse(lines.at(-1)!) as Line;
      assert.partialDeepStrictEqual(last, {
        level: 50,
        msg: 'the server ends because of an error that nothing handles',
        err: {message: 'a fault'},
      });
    });
  }

  test('counts the requests and the deliveries that it cuts off', async (t) => {
    const upstream = await openFor(t, startFakeUpstream({create: () => undefined}));
    const {requestsEnd, deliveriesEnd} = quickTimings;
    const timings = {...usualTimings, answerWait: 100, requestsEnd, deliveriesEnd};
    const server = await openFor(t, startTestServer(through(upstream.settings), timings));
    await server.fetch('/json/leads', postJson(standardBody, basic(acme)));
    await until(() => upstream.exchanges.length > 0);
    const connection = await openConnection(server.port);
    const headers = {...basic(acme), 'content-type': 'application/json', 'content-length': '100'};
    connection.send(requestText('POST', '/json/leads', {...headers, expect: '100-continue'}, '{'));
    await connection.continued();
    await server.close();
    const said = server.logLines.map((line) => JSON.parse(line) as Line);
    const cut = said.filter(({msg}) => /cut off/.test(msg ?? ''));
    assert.partialDeepStrictEqual(cut, [
      {
        level: 40,
        msg: 'connections were cut off, because their requests were not complete in time',
        connections: 1,
      },
      {level: 40, msg: 'deliveries were cut off, because they did not end in time', deliveries: 1},
    ]);
  });
});
