/** Command lines that are wrong are answered with the usage, and with status 2; and the times that they may name. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {isRequired, optionName, type Field} from '../../../server/admin/operations/fields.ts';
import type {Row} from '../../../server/admin/operations/operation.ts';
import {readTime} from '../../../server/admin/times.ts';
import {rows} from '../../support/operations.ts';
import {runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

/** Values that some fields refuse. */
const values = ['', '0', 'soon', 'lost', 'a\nb'];

/** Lines of a row that lack what it needs, or have a value that the schema of a field refuses. */
function wrongLines({words, fields}: Row): string[][] {
  const entries = Object.entries(fields);
  const needed = entries.filter(([, field]) => isRequired(field) && !field.many);
  const given = (name: string, {argument}: Field, value: string) =>
    argument ? [value] : [`--${optionName(name)}=${value}`];
  const others = (but: string) =>
    needed.flatMap(([name, field]) => (name === but ? [] : given(name, field, 'x')));
  return [
    ...(needed.length > 0 ? [[]] : []),
    ['--colour', 'red'],
    ...entries.flatMap(([name, field]) =>
      values
        .filter((value) => field.value !== undefined && !field.schema.safeParse(value).success)
        .map((value) => [...others(name), ...given(name, field, value)]),
    ),
  ].map((rest) => [...words.split(' '), ...rest]);
}

/** What no schema of a field says. */
const others = [
  ...['deliveries retry', 'deliveries drop', 'leads erase', 'leads show', 'leads list --name %'],
  ...['leads list --since today --until yesterday', 'consent list --revoked --text acme/en/2'],
  ...['partners snippet', 'partners snippet acme --host geocities', 'partners snippet acme --colour red'],
  'leads requests add K7QM-2XHD --via phone --json',
  ...['leads', 'deliveries', 'destinations', 'partners'].flatMap((group) => [group, `${group} lists`]),
].map((line) => line.split(' '));

suite('a wrong command line', () => {
  const settings = serviceSettings(temporaryFolder({after}));
  test('a wrong command line is answered with the usage and status 2', async () => {
    for (const words of [...rows.flatMap(wrongLines), ...others]) {
      const {code, stdout, stderr} = await runCommand(settings, ...words);
      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.match(stderr, /^Usage:/m);
    }
  });
});

test('a reason that is too long is refused with how long it may be', async (t) => {
  const line = ['consent', 'allow', 'K7QM-2XHD', '--reason', 'x'.repeat(201)];
  const {stderr} = await runCommand(serviceSettings(temporaryFolder(t)), ...line);
  assert.match(stderr, /--reason is invalid\. It must have at most 200 characters\./);
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
