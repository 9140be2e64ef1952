/** `lead-prequal keys`: what it says of keys, and what every command says where one is missing. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {keyName} from '../../../server/admin/keys.ts';
import {operate, runCommand} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';

const keyOne = 'the-first-data-key-that-is-long-enough';
const keyTwo = 'the-second-data-key-that-is-long-enough';
const [one, two] = [keyName(keyOne), keyName(keyTwo)];

test('data in clear gets a key, and commands that lack it say which', async (t) => {
  const entries = [newEntry(), newEntry(), newEntry()];
  const {settings, execute} = await operate(t, entries);
  const run = (words: string, ...command: string[]) =>
    runCommand({...settings, ...(words && {DATA_KEY: words})}, ...command);
  const fails = async (words: string, command: string[], says: RegExp) => {
    const {code, stdout, stderr} = await run(words, ...command);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
  };
  const rotated = async (words: string, status: number) => {
    const {code, stdout, stderr} = await run(words, 'keys', 'rotate');
    assert.equal(code, status, stderr);
    return stdout;
  };
  await fails(keyOne, ['keys', 'status'], /stored in clear: DATA_KEY must list the word "clear"/);
  const first = new RegExp(`^✓ Everything is sealed with ${one}: 3 rows .*: clear\n$`);
  assert.match(await rotated(`${keyOne},clear`, 0), first);
  assert.equal(await rotated(keyOne, 0), `✓ Everything is sealed with ${one}: 0 rows of it now\n`);
  await fails(
    '',
    ['leads', 'list'],
    new RegExp(`sealed with the data key ${one}, which DATA_KEY does not list`),
  );
  const start = await run('', 'config', 'check');
  assert.equal(start.code, 1);
  assert.match(start.stdout, new RegExp(`^✗ .*sealed with the data key ${one}`, 'm'));

  const [{id} = assert.fail()] = entries;
  await execute(`UPDATE sealed SET blob = x'00' WHERE lead_id = '${id}'`);
  const stdout = await rotated(`${keyTwo} ${keyOne}`, 1);
  assert.match(stdout, new RegExp(`^✗ Something of the lead ${id} cannot be read`));
  assert.match(stdout, /! 2 rows sealed .*leave them in DATA_KEY\n$/);
  const {stdout: table} = await run(`${keyTwo} ${keyOne}`, 'keys', 'status', '--count');
  assert.match(table, new RegExp(`^${two} .* first: it seals +2\\b.*\n${one} .* opens +1\\b`, 'm'));
});
