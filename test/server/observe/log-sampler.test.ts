/** Lines that repeat: the first in full, then a count. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {pino} from 'pino';
import {createLogSampler} from '../../../server/observe/log-sampler.ts';
import {basic, postJson, readProblem} from '../../support/http.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme} from '../../support/test-server.ts';

type Line = {level: number; msg: string; reason?: string; kind?: string; repeated?: number};

function sampled(t: TestContext) {
  t.mock.timers.enable({apis: ['setTimeout']});
  const lines: Line[] = [];
  const log = pino({base: null}, {write: (line: string) => void lines.push(JSON.parse(line) as Line)});
  return {lines, sampler: createLogSampler(log), tick: (ms: number) => t.mock.timers.tick(ms)};
}

suite('the log sampler', () => {
  test('writes the first line of a kind in full and then how often it came', (t) => {
    const {lines, sampler, tick} = sampled(t);
    for (let time = 0; time < 313; time += 1)
      sampler.write('error', 'locked', {reason: 'locked'}, 'no store');
    assert.partialDeepStrictEqual(lines, [{level: 50, reason: 'locked', msg: 'no store'}]);
    assert.equal(lines.length, 1);
    tick(10_000);
    assert.partialDeepStrictEqual(lines.slice(1), [
      {level: 50, kind: 'locked', repeated: 312, seconds: 10, msg: 'no store (repeated)'},
    ]);
    assert.equal(lines.length, 2);
  });
  test('counts while lines come, and writes in full after a silent interval', (t) => {
    const {lines, sampler, tick} = sampled(t);
    const write = () => sampler.write('warn', 'locked', {}, 'no store');
    write();
    write();
    tick(10_000);
    write();
    tick(10_000);
    tick(10_000);
    write();
    assert.deepEqual(
      lines.map(({repeated}) => repeated),
      [undefined, 1, 1, undefined],
    );
  });
  test('keeps kinds apart, but no more than fifty of them', (t) => {
    const {lines, sampler} = sampled(t);
    for (let kind = 0; kind < 1_000; kind += 1) sampler.write('info', `kind ${kind}`, {}, 'no store');
    assert.equal(lines.length, 51);
    sampler.flush();
    assert.partialDeepStrictEqual(lines.slice(51), [{kind: 'other kinds', repeated: 949}]);
  });
  test('writes at the end what was not written yet', (t) => {
    const {lines, sampler} = sampled(t);
    sampler.write('error', 'locked', {}, 'no store');
    sampler.flush();
    assert.equal(lines.length, 1);
    sampler.write('error', 'locked', {}, 'no store');
    sampler.write('error', 'locked', {}, 'no store');
    sampler.flush();
    assert.deepEqual(
      lines.map(({repeated}) => repeated),
      [undefined, undefined, 1],
    );
  });
});

forEachStore((store) => {
  const server = store.useServer();

  test('leads refused by a store that cannot work cost one line that names the cause, and no stack', async () => {
    const bringBack = await server.stopWrites();
    const before = server.logLines.length;
    const send = () => server.fetch('/json/leads', postJson(standardBody, basic(acme)));
    const responses = await Promise.all(Array.from({length: 20}, send));
    for (const response of responses) await readProblem(response, 503, 'store-unavailable');
    await bringBack();
    const lines = server.logLines.slice(before).filter((line) => line.includes('the store cannot work'));
    assert.ok(lines.length >= 1 && lines.length <= 3, lines.join(''));
    for (const line of lines) {
      assert.match(line, /"reason":"[^"]+/);
      assert.ok(line.length < 400, line);
    }
    assert.ok(!server.logLines.slice(before).some((line) => line.includes('"stack"')));
  });
});
