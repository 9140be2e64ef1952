/** `lead-prequal store`: moves all leads from SQLite to PostgreSQL; repairs a restored store. */
import {resolve} from 'node:path';
import {Command} from 'commander';
import {finish, type Admin} from '../admin/admin.ts';
import {planRepair, prepareRepair, repairDoubts, repairWords} from '../admin/repair-plan.ts';
import {noteRepaired, repair, repaired} from '../admin/repairing.ts';
import {moveStore} from '../admin/moving.ts';
import {counted} from '../admin/words.ts';
import {readConfig} from '../config/config.ts';
import {jsonOption, reporting} from './operate.ts';
import {printTable, type Json, type Run} from './output.ts';
import {notOutOfFiles} from '../admin/operations/progress.ts';
import {withStore} from './with-store.ts';

const help = `
Stop the server and the operators' pages first. The database that --to names must be empty. A copy that is killed or fails leaves
both as they were: run it again. PGPASSWORD and the password file of PostgreSQL work, so that no list of processes has a password.

Example:
  lead-prequal store copy --to postgres://leads@db.example.com/leads`;

export function storeCommand(run: Run): Command {
  const store = new Command('store')
    .description('move all leads from SQLite to PostgreSQL; repair a restored store')
    .addHelpText('after', help);
  store
    .command('copy')
    .description('move all leads from SQLite to PostgreSQL, while the server is stopped')
    .requiredOption('--to <database>', 'a URL such as postgres://…')
    .action(({to}: {to: string}) => copy(run, to));
  store
    .command('repair')
    .description('after a restore: do again what the file of erasures lists, where a start asks for it')
    .option('--yes', 'do not ask, for programs')
    .addOption(jsonOption(repaired))
    .addHelpText('after', repairHelp)
    .action(function (this: Command, options: Json & {yes?: boolean}) {
      if (!options.yes && !run.ask)
        return this.error('error: there is no terminal to ask on: add --yes to repair without a question');
      return withStore(run, {mayWrite: true, isRepair: true}, (admin) => repairStore(run, admin, options));
    });
  return store;
}

const repairHelp = `
A start does this by itself after a restore. It asks for this command only where much would change, because the file of erasures
(erasures_file) may then be that of another store.

Exit status: 0 done, or nothing to do; 1 not done, or not all of it can be; 2 the command line is wrong, or nobody can be asked.`;

async function repairStore(run: Run, admin: Admin, {yes, json}: Json & {yes?: boolean}) {
  const first = await planRepair(admin);
  for (const doubt of await repairDoubts(admin, first)) run.fail(`${doubt}.`);
  if (!first) return;
  const plan = await prepareRepair(admin, first);
  run.say(`By ${plan.path}: ${repairWords(plan)}.`);
  if (!yes && (await run.ask?.('To do that, type repair: '))?.trim() !== 'repair')
    return run.fail('Nothing was changed.');
  const {report} = reporting(run);
  const done = await finish(repair(admin, plan), report);
  if (!done.out_of_files) run.fail(notOutOfFiles('store repair'));
  await noteRepaired(admin, plan);
  if (json) return run.print(done);
  await run.write(
    `${counted(done.erased, 'lead')} erased again, ${counted(done.revoked, 'consent')} revoked again, ${counted(done.numbers, 'number')} held again, ${counted(done.lawsuits, 'lawsuit')} and ${counted(done.requests, 'request')} known again\n`,
  );
}

async function copy(run: Run, to: string) {
  const {environment, say, write} = run;
  const config = readConfig(environment);
  const moved = await finish(moveStore(config, {to}), ({table, rows, of: all}) =>
    say(`${table}: ${rows.toLocaleString('en-US')} of ${counted(all, 'row')}`),
  );
  const cells = moved.tables.map(({table, rows, digest}) => [table, rows, digest]);
  await printTable(run, ['table', 'rows', 'SHA-256 of the rows on both sides'], cells);
  // If erasures_file is not set, the list is beside the file, and on PostgreSQL there would be none.
  const list =
    config.erasuresFile === undefined ? '' : `, and erasures_file to ${resolve(config.erasuresFile)}`;
  await write(`
All leads are in ${moved.to}, and counts and digests are equal. It took ${(moved.ms / 1_000).toFixed(1)} s.
The file keeps every row, and is ${moved.movedTo} now: no server starts on it any more.
Next: set DATABASE_URL to ${moved.to}, with user and password${list}, and start the servers.
`);
}
