/** `lead-prequal keys`: which data keys are in use, sealing with the first one of DATA_KEY, and what is saved or lost. */
import {Command} from 'commander';
import type {Admin} from '../admin/admin.ts';
import {
  forgetLostKey,
  fromDay,
  keyName,
  keyRow,
  listKeys,
  noteSaved,
  planForgetting,
  rotateKeys,
  rotation,
  savedKey,
  type KeyRow,
} from '../admin/keys.ts';
import {counted} from '../admin/words.ts';
import {referenceOf} from '../../contract/reference.ts';
import {clearWord} from '../config/data-keys.ts';
import {isConfirmed} from './erase.ts';
import {jsonOption} from './options.ts';
import {printRows, timeOrNone, type Json, type Run} from './output.ts';
import {finishPurging} from './purge.ts';
import {changingStore, lackingKeys} from './with-store.ts';

const statusHelp = `
A key is shown by its check value, which says nothing of the key itself. "clear" stands for data of a version before 2.0,
which a server seals by itself. A key may leave DATA_KEY once "lead-prequal keys rotate" has sealed everything with another
one, and seven days have passed: until then, links and idempotency keys need it. --count counts the sealed parts of leads
under each key; it reads them all.

Exit status: 0; 1 if DATA_KEY lacks a key that is in use, so that no server starts. It says the way out.`;

const rotateHelp = `
Run it when all servers have the new key first in DATA_KEY, with the settings that they have. It works in small slices while
servers run, and may be stopped and begun again at any time. It refuses while a server seals with another key. When it has
ended, it says the day from which the other keys can leave DATA_KEY. docs/privacy.md has the steps.

Exit status: 0 everything is sealed with the first key; 1 not everything, or not at all; 2 the command line is wrong.`;

const savedHelp = `
Run it when the data key is copied to a safe place, apart from the backups. Until then, "lead-prequal status" warns where
the server has made the key itself.`;

const forgetHelp = `
The way out of a lost key, without which no server starts. It says how much is sealed with it, asks for a word, and erases that,
as "leads erase" does. It may be stopped and begun again. docs/privacy.md has the steps.

Exit status: 0 forgotten; 1 not, or not out of the files yet; 2 the command line is wrong, or nobody can be asked.`;

export function keysCommand(run: Run): Command {
  const keys = new Command('keys').description('say which data keys are in use, or seal with another one');
  keys
    .command('status')
    .description('list the data keys that are in use, and which server seals with which')
    .option('--count', 'how much is stored under each key; reads all leads')
    .addOption(jsonOption(keyRow))
    .addHelpText('after', statusHelp)
    .action(({count = false, ...json}: {count?: boolean} & Json) =>
      lackingKeys(run, false, (admin) => list(run, admin, count, json)),
    );
  keys
    .command('rotate')
    .description('seal everything with the first key of DATA_KEY')
    .addOption(jsonOption(rotation))
    .addHelpText('after', rotateHelp)
    .action(({json}: Json) => changingStore(run, (admin) => rotate(run, admin, json)));
  keys
    .command('saved')
    .description('note that the first key of DATA_KEY is copied to a safe place')
    .addOption(jsonOption(savedKey))
    .addHelpText('after', savedHelp)
    .action(({json}: Json) =>
      changingStore(run, async (admin) => {
        const saved = await noteSaved(admin);
        if (json) return run.print(saved);
        await run.write(`✓ noted: the data key ${saved.key} is copied to a safe place\n`);
      }),
    );
  const forget = keys
    .command('forget')
    .description('erase what is sealed with a key that is lost')
    .argument('<key>', 'the check value of the key')
    .option('--yes', 'do not ask, for programs')
    .addHelpText('after', forgetHelp);
  forget.action((key: string, {yes = false}: {yes?: boolean}) => {
    if (!yes && !run.ask) return forget.error('error: there is no terminal to ask on: add --yes');
    return lackingKeys(run, true, (admin) => forgetKey(run, admin, key.toLowerCase(), yes));
  });
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
  await printRows(run, json, [keys], head, ({rows, servers, ...row}) => [
    row.key,
    row.in_use_since === null ? 'not in use' : timeOrNone(row.in_use_since),
    placeOf(row),
    ...(rows === undefined ? [] : [rows]),
    servers.join(', '),
  ]);
  for (const {key, listed, in_use_since} of keys)
    if (!listed && in_use_since !== null && key !== clearWord) run.fail(wayOut(key));
}

/** What the key is for, by its place in DATA_KEY. */
function placeOf({
  key,
  listed,
  seals,
  may_leave_at,
}: Pick<KeyRow, 'key' | 'listed' | 'seals' | 'may_leave_at'>) {
  if (key === clearWord) return 'no: a server seals it';
  if (seals) return 'first: it seals';
  if (!listed) return 'no';
  return may_leave_at === null ? 'opens' : `opens; may leave from ${timeOrNone(may_leave_at)}`;
}

const wayOut = (key: string) =>
  `Data is sealed with ${key}, which DATA_KEY lacks, so no server starts: put the key back, behind the new one if there is one. If no copy of it is left, "lead-prequal keys forget ${key}" erases what is sealed with it.`;

async function forgetKey(run: Run, admin: Admin, key: string, yes: boolean) {
  const {say, write} = run;
  const {confirm, leads, consents, evidence_keys, person_key, suppressed} = await planForgetting(admin, key);
  const lost = `${counted(leads.length, 'lead')}, and ${counted(consents.length, 'kept consent')} of erased leads`;
  const lines = [
    `Sealed with ${key}, and lost: ${lost}.`,
    'Webhooks, chat rooms and mailboxes are told to delete the leads, too. They may have the last copy: save first what you need.',
    person_key ? 'The key of the person digests is lost, too: a server makes it and the digests anew.' : '',
    evidence_keys.length > 0
      ? `The keys of statements about consents are lost, too: those that were sent cannot be verified any more, unless the list of public keys was kept (docs/consent.md): ${evidence_keys.join(', ')}.`
      : '',
    suppressed > 0
      ? `${counted(suppressed, 'number')} of people who took their consent back can no longer be recognised: new leads with them are not held.`
      : '',
  ];
  say(lines.filter(Boolean).join('\n'));
  if (!(await isConfirmed(run, lost, yes))) return run.fail('Nothing was erased.');
  const words = {what: 'What was erased cannot be read any more.', again: `keys forget ${key}`};
  const job = forgetLostKey(admin, {key, confirm});
  const print = ({erased: id}: {erased: string}) => void write(`${referenceOf(id)} (${id}) erased\n`);
  const {out_of_files} = await finishPurging(run, words, job, print);
  if (out_of_files) await write(`✓ ${key} is forgotten: servers start without it\n`);
}

const purged = {
  what: 'What was under another key cannot be read any more.',
  again: 'keys rotate',
};

async function rotate(run: Run, admin: Admin, json = false) {
  const {say, write} = run;
  const {dataKeys, databaseUrl} = admin.config;
  const rotated = await finishPurging(run, purged, rotateKeys(admin), ({sealed}: {sealed: number}) =>
    say(`${counted(sealed, 'row')} sealed …`),
  );
  const {key, resealed, unreadable, forgotten, may_leave_at} = rotated;
  if (unreadable.length > 0) run.status = 1;
  if (databaseUrl && resealed + forgotten.length > 0)
    say(
      `PostgreSQL keeps the rows of before in its files, also after VACUUM, until it writes something else in their place. "VACUUM FULL sealed, person_search, evidence_keys" makes the files anew, and locks each table meanwhile. The rows of before stay in the log (WAL), in dumps and in other backups (docs/privacy.md).`,
    );
  if (json) return run.print(rotated);
  for (const id of unreadable)
    await write(`✗ Something of the lead ${id} cannot be read, and stays as it is\n`);
  const others = dataKeys.slice(1).map(keyName);
  await write(
    unreadable.length > 0
      ? `! ${counted(resealed, 'row')} sealed with ${key}. The keys of before are still needed: leave them in DATA_KEY\n`
      : `✓ Everything is sealed with ${key}: ${counted(resealed, 'row')} of it now${
          others.length > 0
            ? `. This can leave DATA_KEY in all servers${fromDay(may_leave_at)}: ${others.join(', ')}`
            : ''
        }\n`,
  );
}
