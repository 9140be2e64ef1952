/** `lead-prequal keys`: which data keys are in use, and sealing everything with the first one of DATA_KEY. */
import {Command} from 'commander';
import type {Config} from '../config/config.ts';
import {clearWord} from '../config/values.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {goneAfter, type ProcessReport} from '../reload/reloads.ts';
import {checkInHex, checkValueOf} from '../store/sealing.ts';
import {counted, Failure, isoTime, jsonOption, localTime, printable, type Run} from './output.ts';
import {purge} from './purge.ts';
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
      readingStore(run, (store, config) => printStatus(run, store, config, count, json)),
    );
  keys
    .command('rotate')
    .description('seal everything with the first key of DATA_KEY')
    .addOption(jsonOption())
    .addHelpText('after', rotateHelp)
    .action(({json = false}: {json?: boolean}) =>
      changingStore(run, (store, config) => rotate(run, store, config, json)),
    );
  return keys;
}

const keyName = (word: string) => checkInHex(checkValueOf(word));
/** A server of an older version knows no keys. */
const sealsWith = ({sealsWith: key = clearWord}: ProcessReport) => key;
const running = (store: BesideStore) => store.processes(Date.now() - goneAfter);

async function printStatus(run: Run, store: BesideStore, {dataKeys}: Config, count: boolean, json: boolean) {
  const listed = dataKeys.map(keyName);
  const [seals = clearWord] = listed;
  const uses = await store.keyUses();
  const counts = count ? await store.countByKey() : undefined;
  const processes = await running(store);
  const rows = [...new Set([...listed, ...uses.map(({key}) => key)])].map((key) => ({
    key,
    since: uses.find((use) => use.key === key)?.since ?? null,
    isListed: listed.includes(key),
    isFirst: key === seals,
    rows: counts && (counts.get(key) ?? 0),
    servers: processes.filter((process) => sealsWith(process) === key).map(({name}) => name),
  }));
  if (json) {
    for (const {key, since, isListed, isFirst, rows: stored, servers} of rows)
      await run.print({
        key,
        in_use_since: isoTime(since),
        listed: isListed,
        seals: isFirst,
        ...(stored !== undefined && {rows: stored}),
        servers,
      });
    return;
  }
  await run.printTable(
    ['key', 'in use since', 'in DATA_KEY', ...(count ? ['rows'] : []), 'servers that seal with it'],
    rows.map(({key, since, isListed, isFirst, rows: stored, servers}) => [
      key,
      since === null ? 'not in use' : localTime(since),
      isFirst ? 'first: it seals' : isListed ? 'opens' : 'no',
      ...(stored === undefined ? [] : [stored]),
      printable(servers.join(', ')),
    ]),
  );
}

/** Passes that seal nothing although something is left, after which the command gives up. */
const maxIdlePasses = 5;
/** Rows after which progress is said. */
const saidEach = 10_000;

async function rotate(run: Run, store: BesideStore, {dataKeys, databaseUrl}: Config, json: boolean) {
  const {say} = run;
  const key = keyName(dataKeys[0]);
  if (key === clearWord)
    throw new Failure(
      dataKeys.length === 1
        ? 'There is no DATA_KEY to seal with.'
        : `DATA_KEY begins with "${clearWord}": put the new key first, in all servers, and restart them.`,
    );
  await refuseOthers(store, key);
  await store.useKeys();
  const {resealed, unreadable} = await sealAll(store, (done) => say(`${counted(done, 'row')} sealed …`));
  // A server with another order of keys may have started meanwhile.
  await refuseOthers(store, key);
  const forgotten: string[] = [];
  if (unreadable.length === 0)
    for (const use of await store.keyUses()) {
      if (use.key === key) continue;
      await store.forgetKey(use.key);
      forgotten.push(use.key);
    }
  const what = 'What was in clear, or under another key, cannot be read any more.';
  const isPurged = await purge(run, store, {what, again: 'keys rotate'});
  if (unreadable.length > 0 || !isPurged) run.status = 1;
  if (!databaseUrl && forgotten.includes(clearWord))
    say(
      'SQLite may hold copies in clear of rows that it has moved within its file: run VACUUM while the server is stopped (docs/privacy.md).',
    );

  if (json) return run.print({key, resealed, unreadable, forgotten, out_of_files: isPurged});
  for (const id of unreadable)
    await run.write(`✗ Something of the lead ${id} cannot be read, and stays as it is\n`);
  const others = dataKeys.slice(1).map(keyName);
  await run.write(
    unreadable.length > 0
      ? `! ${counted(resealed, 'row')} sealed with ${key}. The keys of before are still needed: leave them in DATA_KEY\n`
      : `✓ Everything is sealed with ${key}: ${counted(resealed, 'row')} of it now${
          others.length > 0 ? `. This can leave DATA_KEY in all servers: ${others.join(', ')}` : ''
        }\n`,
  );
}

/** @throws Failure that names the servers that seal with another key, so that there would be no end */
async function refuseOthers(store: BesideStore, key: string) {
  const others = (await running(store)).filter((process) => sealsWith(process) !== key);
  if (others.length === 0) return;
  const list = others.map(
    (process) =>
      `${printable(process.name)} (${printable(sealsWith(process))}, seen ${localTime(process.seenAt)})`,
  );
  throw new Failure(
    `These servers do not seal with ${key}: ${list.join(', ')}. Restart them with the DATA_KEY of this command; one that was killed is forgotten after a minute.`,
  );
}

/** Repeats the pass until it finds nothing more: others may write while it goes on. */
async function sealAll(store: BesideStore, progress: (resealed: number) => void) {
  let resealed = 0;
  for (let idle = 0; idle < maxIdlePasses;) {
    const before = resealed;
    let pass = {examined: 0, resealed: 0, unreadable: [] as readonly string[]};
    for await (const done of store.reseal()) {
      if (Math.floor((before + done.resealed) / saidEach) > Math.floor((before + pass.resealed) / saidEach))
        progress(before + done.resealed);
      pass = done;
    }
    resealed += pass.resealed;
    const unreadable = [...new Set(pass.unreadable)];
    if (pass.examined === pass.unreadable.length) return {resealed, unreadable};
    if (pass.resealed === 0) idle += 1;
  }
  throw new Failure('Rows change all the time while they are sealed. Begin again later.');
}
