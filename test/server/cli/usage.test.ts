/** Command lines that are wrong are answered with the usage, and with status 2; and the times that they may name. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {readTime} from '../../../server/cli/options.ts';

/** Their words after the name of the command. */
const wrong: Record<string, readonly string[]> = {
  deliveries: [
    ...['', 'retry', 'drop', 'lists', 'retry --since yesterdays', 'list --state lost'],
    ...['settle', 'settle K7QM-2XHD', 'settle K7QM-2XHD --taken-as='],
  ],
  destinations: ['', 'test', 'pause', 'resume', 'lists', 'list --wide'],
  leads: [
    ...['show', 'list --since soon', 'list --limit 0', 'count --by colour', 'list --state lost'],
    ...['list --since today --until yesterday', 'list --reference U'],
  ],
  partners: ['', 'snippet', 'snippet acme --host geocities', 'snippet acme --colour red'],
  versions: ['list --days 91', 'list --days 0.5', 'lists'],
};

suite('a wrong command line', () => {
  const settings = serviceSettings(temporaryFolder({after}));
  for (const [command, lines] of Object.entries(wrong)) {
    test(`a wrong command line of ${command} is answered with the usage and status 2`, async () => {
      for (const line of lines) {
        const words = [command, ...line.split(' ').filter(Boolean)];
        const {code, stdout, stderr} = await runCommand(settings, ...words);
        assert.deepEqual([code, stdout], [2, ''], words.join(' '));
        assert.match(stderr, /^Usage:/m);
      }
    });
  }
});

suite('times of --since and --until', () => {
  const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).getTime();
  const read = {
    '2026-11-22': local(2026, 10, 22),
    '2028-02-29': local(2028, 1, 29),
    '2026-11-22T14:30': local(2026, 10, 22, 14, 30),
    '2026-11-22T14:30Z': Date.UTC(2026, 10, 22, 14, 30),
    '2026-11-22T23:30:00-08:00': Date.UTC(2026, 10, 23, 7, 30),
    '2026-11-22 14:30': local(2026, 10, 22, 14, 30),
    '2026-11-22 14:30+00': Date.UTC(2026, 10, 22, 14, 30),
    '2026-11-22T14:30:00.000+0530': Date.UTC(2026, 10, 22, 9, 0),
  };
  for (const [text, time] of Object.entries(read))
    test(`${text} is read`, () => assert.equal(readTime(text), time));

  const days = ['2026-02-31', '2026-02-31T14:30', '2027-02-29T00:00Z', '2026-13-01', '2026-11-22 14:30+24'];
  for (const text of [...days, '7', '7w', 'soon', ''])
    test(`"${text}" is refused`, () => assert.throws(() => readTime(text), /It must be a day such as/));

  test('a time without a zone, and how long ago, are relative to this machine', (t) => {
    t.mock.timers.enable({apis: ['Date'], now: local(2026, 10, 22, 14, 30)});
    assert.equal(readTime('today'), local(2026, 10, 22));
    assert.equal(readTime('yesterday'), local(2026, 10, 21));
    assert.equal(readTime('90m'), local(2026, 10, 22, 13, 0));
    assert.equal(readTime('2d'), Date.now() - 2 * 86_400_000);
  });
});
