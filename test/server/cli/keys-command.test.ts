/** `lead-prequal keys`: what it says of keys, and what every command says where one is missing. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {keyName} from '../../../server/admin/keys.ts';
import {databaseKinds, operate, runAtTerminal, runCommand} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';

const keyOne = 'the-first-data-key-that-is-long-enough';
const keyTwo = 'the-second-data-key-that-is-long-enough';
const keyZero = 'the-very-first-data-key-that-is-long-enough';
const [zero, one, two] = [keyName(keyZero), keyName(keyOne), keyName(keyTwo)];

test('data gets another key, and commands that lack it say which', async (t) => {
  const entries = [newEntry(), newEntry(), newEntry()];
  const {settings, execute} = await operate(t, entries, {settings: {DATA_KEY: keyZero}});
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
    return stdout || stderr;
  };
  const first = new RegExp(`^✓ Everything is encrypted with ${one}: 3 rows .* from .* on, .*: ${zero}\n$`);
  assert.match(await rotated(`${keyOne},${keyZero}`, 0), first);
  const {stdout: keys} = await run(`${keyOne},${keyZero}`, 'keys', 'status');
  assert.match(keys, new RegExp(`^${zero} +not in use +decrypts +\\d{4}-`, 'm'));
  assert.equal(await rotated(keyOne, 0), `✓ Everything is encrypted with ${one}: 0 rows of it now\n`);
  const noted = new RegExp(`^✓ noted: the data key ${one} is copied`);
  assert.match((await run(keyOne, 'keys', 'saved')).stdout, noted);
  const lacking = new RegExp(`encrypted with the data key ${one}, which DATA_KEY does not list`);
  await fails('', ['leads', 'list'], lacking);
  const start = await run('', 'config', 'check');
  assert.equal(start.code, 1);
  assert.match(start.stdout, new RegExp(`^✗ .*encrypted with the data key ${one}`, 'm'));

  const [{id} = assert.fail()] = entries;
  await execute(`UPDATE sealed SET blob = x'00' WHERE lead_id = '${id}'`);
  const stdout = await rotated(`${keyTwo} ${keyOne}`, 1);
  assert.match(stdout, new RegExp(`^✗ Something of the lead ${id} cannot be read`));
  assert.match(stdout, /! 2 rows encrypted .*leave them in DATA_KEY\n$/);
  const {stdout: table} = await run(`${keyTwo} ${keyOne}`, 'keys', 'status', '--count');
  assert.match(table, new RegExp(`^${two} .* first: it encrypts +2\\b.*\n${one} .* decrypts +1\\b`, 'm'));
});

test('a lost key is named without it, and forgotten once the word is typed', async (t) => {
  const entries = [newEntry(), newEntry()];
  const {settings} = await operate(t, entries, {settings: {DATA_KEY: keyOne}});
  const without = {...settings, DATA_KEY: keyZero};
  const lost = await runCommand(without, 'keys', 'status', '--count');
  assert.equal(lost.code, 1);
  assert.match(lost.stdout, new RegExp(`^${one} .* no +2$`, 'm'));
  assert.match(lost.stderr, new RegExp(`encrypted with ${one}, which DATA_KEY lacks.*keys forget ${one}`));
  const later = {...settings, DATA_KEY: keyTwo};
  const forget = (answer: string) =>
    runAtTerminal({ask: () => Promise.resolve(answer)}, later, 'keys', 'forget', one.toUpperCase());
  assert.equal((await runCommand(later, 'keys', 'forget', one)).code, 2, 'nobody can be asked');
  const kept = await forget('yes');
  assert.deepEqual([kept.code, kept.stdout], [1, '']);
  assert.match(kept.stderr, new RegExp(`^Encrypted with ${one}, and lost: 2 leads, and 0 kept consents`));
  const {code, stdout} = await forget('erase');
  assert.equal(code, 0);
  for (const {id} of entries) assert.match(stdout, new RegExp(`^\\S+ \\(${id}\\) erased$`, 'm'));
  assert.match(stdout, new RegExp(`✓ ${one} is forgotten`));
  const after = await runCommand(later, 'keys', 'status');
  assert.deepEqual([after.code, after.stdout.includes(one)], [0, false]);
});

test(
  'on PostgreSQL, encrypting names the tables whose files hold the rows of before',
  {skip: databaseKinds[1].skip},
  async (t) => {
    const {run, settings} = await operate(t, [newEntry()], {postgres: true, settings: {DATA_KEY: keyOne}});
    assert.doesNotMatch((await run('keys', 'rotate')).stderr, /VACUUM/, 'nothing was encrypted');
    const another = await runCommand({...settings, DATA_KEY: `${keyTwo} ${keyOne}`}, 'keys', 'rotate');
    assert.match(another.stderr, /"VACUUM FULL sealed, person_search, evidence_keys"/);
  },
);
