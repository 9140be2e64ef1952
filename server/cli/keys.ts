/** `lead-prequal keys`: which data keys are in use, and sealing everything with the first one of DATA_KEY. */
import {Command} from 'commander';
import {finish, type Admin} from '../admin/admin.ts';
import {keyName, listKeys, rotateKeys, type KeyRow} from '../admin/keys.ts';
import {counted} from '../admin/words.ts';
import {clearWord} from '../config/values.ts';
import {jsonOption, timeOrNone, type Run} from './output.ts';
import {createWaitingWords, notOut} from './purge.ts';
import {changingStore, readingStore} from './with-store.ts';

const statusHelp = `
A key is shown by its check value, which says nothing of the key itself. "clear" stands for data that is not sealed. A key
may leave DATA_KEY once it is not in this list any more: "lead-prequal keys rotate" takes it away. --count counts the leads
in clear, and the sealed parts of leads under each key; it reads them all.`;

const rotateHelp = `
Run it when all servers have the new key first in DATA_KEY, with the settings that they have. It works in small slices while
servers run, and may be stopped and begun again at any time. It refuses while a server seals with another key. When it has
ended, the other keys, and the word "clear", can leave DATA_KEY. docs/privacy.md has the steps.

Exit status: 0 everything is sealed with the first key; 1 not everything, or not at all; 2 the command line is wrong.`;

export function keysCommand(run: Run): Command {
  const keys = new Command('keys').description('say which data keys are in use, or seal with another one');
  keys
    .command('status')
    .description('list the data keys that are in use, and which server seals with which')
    .option('--count', 'how much is stored under each key; reads all leads')
    .addOption(jsonOption())
    .addHelpText('after', statusHelp)
    .action(({count = false, json = false}: {count?: boolean; json?: boolean}) =>
      readingStore(run, async (admin) => printKeys(run, await listKeys(admin, {isCounted: count}), json)),
    );
  keys
    .command('rotate')
    .description('seal everything with the first key of DATA_KEY')
    .addOption(jsonOption())
    .addHelpText('after', rotateHelp)
    .action(({json = false}: {json?: boolean}) => changingStore(run, (admin) => rotate(run, admin, json)));
  return keys;
}

async function printKeys({print, printTable}: Run, rows: readonly KeyRow[], json: boolean) {
  if (json) {
    for (const row of rows) await print(row);
    return;
  }
  const isCounted = rows.some(({rows}) => rows !== undefined);
  await printTable(
    ['key', 'in use since', 'in DATA_KEY', ...(isCounted ? ['rows'] : []), 'servers that seal with it'],
    rows.map(({key, in_use_since, listed, seals, rows: stored, servers}) => [
      key,
      in_use_since === null ? 'not in use' : timeOrNone(in_use_since),
      seals ? 'first: it seals' : listed ? 'opens' : 'no',
      ...(stored === undefined ? [] : [stored]),
      servers.join(', '),
    ]),
  );
}

const purged = {
  what: 'What was in clear, or under another key, cannot be read any more.',
  again: 'keys rotate',
};

async function rotate(run: Run, admin: Admin, json: boolean) {
  const {say, write} = run;
  const {dataKeys, databaseUrl} = admin.config;
  const sayWaiting = createWaitingWords(run, purged);
  const rotated = await finish(rotateKeys(admin), (progress) => {
    if ('sealed' in progress) say(`${counted(progress.sealed, 'row')} sealed …`);
    else sayWaiting(progress);
  });
  const {key, resealed, unreadable, forgotten, out_of_files} = rotated;
  if (!out_of_files) say(notOut(purged));
  if (unreadable.length > 0 || !out_of_files) run.status = 1;
  if (!databaseUrl && forgotten.includes(clearWord))
    say(
      'SQLite may hold copies in clear of rows that it has moved within its file: run VACUUM while the server is stopped (docs/privacy.md).',
    );

  if (json) return run.print(rotated);
  for (const id of unreadable)
    await write(`✗ Something of the lead ${id} cannot be read, and stays as it is\n`);
  const others = dataKeys.slice(1).map(keyName);
  await write(
    unreadable.length > 0
      ? `! ${counted(resealed, 'row')} sealed with ${key}. The keys of before are still needed: leave them in DATA_KEY\n`
      : `✓ Everything is sealed with ${key}: ${counted(resealed, 'row')} of it now${
          others.length > 0 ? `. This can leave DATA_KEY in all servers: ${others.join(', ')}` : ''
        }\n`,
  );
}
