/** `lead-prequal keys`: which data keys are in use, and sealing everything with the first one of DATA_KEY. */
import {Command} from 'commander';
import type {Admin} from '../admin/admin.ts';
import {keyName, keyRow, listKeys, rotateKeys, rotation} from '../admin/keys.ts';
import {counted} from '../admin/words.ts';
import {clearWord} from '../config/values.ts';
import {jsonOption} from './options.ts';
import {printRows, timeOrNone, type Json, type Run} from './output.ts';
import {finishPurging} from './purge.ts';
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
    .addOption(jsonOption(keyRow))
    .addHelpText('after', statusHelp)
    .action(({count = false, ...json}: {count?: boolean} & Json) =>
      readingStore(run, (admin) => list(run, admin, count, json)),
    );
  keys
    .command('rotate')
    .description('seal everything with the first key of DATA_KEY')
    .addOption(jsonOption(rotation))
    .addHelpText('after', rotateHelp)
    .action(({json}: Json) => changingStore(run, (admin) => rotate(run, admin, json)));
  return keys;
}

async function list(run: Run, admin: Admin, isCounted: boolean, json: Json) {
  const head = [
    'key',
    'in use since',
    'in DATA_KEY',
    ...(isCounted ? ['rows'] : []),
    'servers that seal with it',
  ];
  const keys = await listKeys(admin, {isCounted});
  await printRows(run, json, [keys], head, ({key, in_use_since, listed, seals, rows, servers}) => [
    key,
    in_use_since === null ? 'not in use' : timeOrNone(in_use_since),
    seals ? 'first: it seals' : listed ? 'opens' : 'no',
    ...(rows === undefined ? [] : [rows]),
    servers.join(', '),
  ]);
}

const purged = {
  what: 'What was in clear, or under another key, cannot be read any more.',
  again: 'keys rotate',
};

async function rotate(run: Run, admin: Admin, json = false) {
  const {say, write} = run;
  const {dataKeys, databaseUrl} = admin.config;
  const rotated = await finishPurging(run, purged, rotateKeys(admin), ({sealed}: {sealed: number}) =>
    say(`${counted(sealed, 'row')} sealed …`),
  );
  const {key, resealed, unreadable, forgotten} = rotated;
  if (unreadable.length > 0) run.status = 1;
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
