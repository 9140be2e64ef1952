/** `lead-prequal deliveries`: what it says of deliveries that it finds, tries again and ends. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {databaseKinds, linesOf, operate, runCommand, type Ran} from '../../support/operator.ts';
import {newDelivery, newEntry} from '../../support/sample-leads.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';

function assertSays({code, stderr}: Ran, status: number, words: RegExp) {
  assert.match(stderr, words);
  assert.equal(code, status);
}

suite('the command "deliveries"', () => {
  for (const {name, postgres, skip} of databaseKinds)
    test(
      `over ${name}, it lists and counts what is held, without personal data, and ends it or makes it due`,
      {skip},
      async (t) => {
        const deliveries = [newDelivery({state: 'held', nextAttemptAt: Date.now() + 3_600_000})];
        const entries = Array.from({length: 53}, () => newEntry({answer: {status: 'pending'}, deliveries}));
        const {run} = await operate(t, entries, {postgres});
        const [first = '', second = '', third = ''] = entries.map(({id}) => id).toSorted();
        const list = (...words: string[]) => run('deliveries', 'list', ...words);
        assertSays(await list('--json'), 0, /^50 deliveries \(--limit shows more\);/);
        const all = await list('--limit', '3000');
        assertSays(all, 0, /^53 deliveries; times are those of /);
        assertSays(await list(first), 0, /^1 delivery; /);
        for (const secret of ['Jane', 'jane@', '202-555']) assert.ok(!all.stdout.includes(secret), secret);
        assertSays(await list('--destination', 'other', '--json'), 1, /There is no destination other/);
        assert.partialDeepStrictEqual(linesOf(await run('deliveries', 'summary', '--json')), [
          {state: 'held', deliveries: 53},
        ]);

        assertSays(await run('deliveries', 'retry', '--all'), 1, /^No such delivery/m);
        const prints = async (stdout: string, ...words: string[]) =>
          assert.partialDeepStrictEqual(await run('deliveries', ...words), {code: 0, stdout});
        await prints('1 delivery settled\n', 'settle', first, '--taken-as', 'u-1');
        await prints('1 delivery dropped\n', 'drop', second);
        assertSays(await run('deliveries', 'drop', second), 1, /^No such delivery/);
        assertSays(await run('deliveries', 'retry', second), 1, /^No such delivery/);
        assertSays(await run('deliveries', 'retry', third), 1, /"lead-prequal deliveries release"/);
        await prints('1 delivery due now\n', 'release', third);
        await prints('50 deliveries due now\n', 'retry', '--state', 'held');
      },
    );

  test('a selection is agreed to by the words that were typed, so that a time may be one ago', async (t) => {
    const {does, run} = await operate(t, [newEntry({deliveries: [newDelivery()]})]);
    const retry = ['deliveries', 'retry', '--since', '7d'];
    const digest = (await does(...retry, '--dry-run')).stdout.trim();
    const planned = Date.now();
    await until(() => Date.now() > planned);
    assert.equal((await does(...retry, '--confirm', digest)).stdout, '1 delivery due now\n');
    const other = await run('deliveries', 'retry', '--since', '8d', '--confirm', digest);
    assertSays(other, 1, /something has changed meanwhile/);
  });

  test('a database that does not exist is named, and no empty one is made in its place', async (t) => {
    const folder = temporaryFolder(t);
    const ran = await runCommand(serviceSettings(folder), 'deliveries', 'list');
    assertSays(ran, 1, /^There is no database at .+\.sqlite\n$/);
    assert.deepEqual(readdirSync(folder), ['lead-prequal.json']);
  });

  test('a file that is no database is named in one line, and stays as it is', async (t) => {
    const folder = temporaryFolder(t);
    const settings = serviceSettings(folder);
    const file = settings['DATABASE_PATH'] ?? '';
    const text = 'Not a database, but a note that somebody left here. '.repeat(40);
    writeFileSync(file, text);
    const ran = await runCommand(settings, 'deliveries', 'list');
    assertSays(ran, 1, /^The database that DATABASE_PATH names cannot be opened: [^\n]+\n$/);
    assert.equal(readFileSync(file, 'utf8'), text);
  });
});
