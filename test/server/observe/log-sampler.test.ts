/** Lines that repeat: the first in full, then a count. What requests make of it: request-log.test.ts. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {basic, postJson, readProblem} from '../../support/http.ts';
import {logTo} from '../../support/observation-log.ts';
import {columnOf} from '../../support/rows.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme} from '../../support/test-server.ts';

type Line = {level: number; msg: string; reason?: string; kind?: string; repeated?: number};

function sampled(t: TestContext) {
  t.mock.timers.enable({apis: ['setTimeout']});
  const written: string[] = [];
  const log = logTo(written);
  return {
    lines: () => written.map((line) => JSON.parse(line) as Line),
    refuse: (reason: string) => log.emit({type: 'store-unavailable', request: 'r-1', reason}),
    log,
    tick: (ms: number) => t.mock.timers.tick(ms),
  };
}

suite('lines that repeat', () => {
  test('are counted while they come, and written in full again after a silent interval', (t) => {
    const {lines, refuse, tick} = sampled(t);
    for (let time = 0; time < 313; time += 1) refuse('locked');
    assert.partialDeepStrictEqual(lines(), [
      {level: 50, reason: 'locked', msg: 'the store cannot work: 503'},
    ]);
    tick(10_000);
    const count = {level: 50, kind: 'locked', seconds: 10, msg: 'the store cannot work: 503 (repeated)'};
    assert.partialDeepStrictEqual(lines().slice(1), [{...count, repeated: 312}]);
    refuse('locked');
    for (const silence of [10_000, 10_000]) tick(silence);
    refuse('locked');
    assert.deepEqual(columnOf(lines(), 'repeated'), [undefined, 312, 1, undefined]);
  });
  test('are counted by their reason, but no more than fifty reasons, and other events apart', (t) => {
    const {lines, refuse, log} = sampled(t);
    for (let reason = 0; reason < 1_000; reason += 1) refuse(`reason ${reason}`);
    assert.equal(lines().length, 51);
    log.emit({type: 'delivery-unrecorded', lead: 'l-1', destination: 'default', reason: 'reason 0'});
    assert.equal(lines()[51]?.msg, 'what became of a delivery could not be written');
    log.flush();
    assert.partialDeepStrictEqual(lines().slice(52), [{kind: 'other kinds', repeated: 949}]);
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
