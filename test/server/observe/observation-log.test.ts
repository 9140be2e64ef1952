/** Which observations become which lines of the log. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {Observation} from '../../../server/observe/observations.ts';
import {logTo} from '../../support/observation-log.ts';

type Line = {level: number; msg?: string; kind?: string; repeated?: number};

/** The lines of observations that are emitted one after the other, and then flushed. */
function linesOf(level: string, ...observations: Observation[]): Line[] {
  const lines: string[] = [];
  const log = logTo(lines, level);
  for (const observation of observations) log.emit(observation);
  log.flush();
  return lines.map((line) => JSON.parse(line) as Line);
}

const answered = {
  type: 'request-answered',
  request: 'r-1',
  method: 'GET',
  path: '/health',
  isOperation: false,
  status: 200,
  ms: 1,
  caller: undefined,
  partner: undefined,
  lead: undefined,
  problem: undefined,
} as const satisfies Observation;

suite('the log of observations', () => {
  const sampled: Observation[] = [
    {...answered, path: '/json/leads', status: 401},
    {type: 'store-unavailable', request: 'r-1', reason: 'database is locked'},
    {type: 'connections-exceeded', limit: 'connections'},
    {type: 'delivery-unrecorded', lead: 'l-1', destination: 'default', reason: 'database is locked'},
    {type: 'outbox-unreadable', destination: 'default', reason: 'database is locked'},
    {type: 'withdrawn-version-asked', version: '1.0.0', origin: 'other'},
  ];
  for (const observation of sampled) {
    test(`counts ${observation.type} after the first line, and writes the number at a flush`, () => {
      const lines = linesOf('info', observation, observation, observation);
      assert.deepEqual(
        lines.map(({repeated}) => repeated),
        [undefined, 2],
      );
    });
  }
  test('counts the same reason of two observations apart', () => {
    const reason = 'database is locked';
    const lines = linesOf(
      'info',
      {type: 'store-unavailable', request: 'r-1', reason},
      {type: 'delivery-unrecorded', lead: 'l-1', destination: 'default', reason},
    );
    assert.deepEqual(
      lines.map(({msg}) => msg),
      ['the store cannot work: 503', 'what became of a delivery could not be written'],
    );
  });
  test('writes every delivery that fails', () => {
    const failed: Observation<'delivery-failed'> = {
      type: 'delivery-failed',
      lead: 'l-1',
      destination: 'default',
      content: 'lead',
      attempts: 1,
      ambiguous: false,
      state: 'waiting',
      reason: 'The upstream answered POST with 503',
    };
    const lines = linesOf('info', failed, failed, {...failed, state: 'held'}, {...failed, state: 'failed'});
    assert.partialDeepStrictEqual(lines, [
      {level: 40, msg: 'delivery postponed', lead: 'l-1', destination: 'default', attempts: 1},
      {level: 40, msg: 'delivery postponed'},
      {level: 50, msg: 'delivery held for the operator', state: 'held'},
      {level: 50, msg: 'delivery given up after days of failing', state: 'failed'},
    ]);
  });
  test('writes an error of the server with its stack', () => {
    const [line] = linesOf('info', {type: 'request-failed', request: 'r-1', error: new Error('a fault')});
    assert.partialDeepStrictEqual(line, {level: 50, request: 'r-1', msg: 'a fault'});
    assert.match(JSON.stringify(line), /"stack":"Error: a fault/);
  });
  test('has a line for a page of health at the level debug alone', () => {
    assert.equal(linesOf('info', answered).length, 0);
    assert.equal(linesOf('debug', answered, answered).length, 2);
  });
});
