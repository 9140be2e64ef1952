/** `lead-prequal backup` and `lead-prequal restore`: copy the SQLite database to a file and back. */
import {Command} from 'commander';
import {backUp, restore, type Backup} from '../admin/backup.ts';
import {counted} from '../admin/words.ts';
import {readConfig} from '../config/config.ts';
import {toldAgain} from './erase.ts';
import {timeOrNone, type Run} from './output.ts';

const inWords = ({leads, outbox}: Pick<Backup, 'leads' | 'outbox'>) =>
  `${counted(leads, 'lead')}, ${counted(outbox, 'delivery', 'deliveries')} in the outbox, checked`;

export const backupCommand = ({environment, write}: Run): Command =>
  new Command('backup')
    .description('copy the SQLite database into one file while the server runs, and check the copy')
    .argument('<file>', 'the file to write, which must not exist yet')
    .action(async (file: string) => {
      const made = await backUp(readConfig(environment), file);
      await write(`${file}: ${inWords(made)}\n`);
    });

export const restoreCommand = ({environment, write}: Run): Command =>
  new Command('restore')
    .description('check a backup and make it the SQLite database of a server that is stopped')
    .argument('<file>', 'a file that "lead-prequal backup" wrote')
    .option('--replace', 'replace the present database: it is kept under the name …before-restore-<time>')
    .option('--erasures <file>', 'erase again what this file lists, besides what ERASURES_FILE lists')
    .option('--without-erasures', 'restore although nobody knows what was erased since the backup')
    .action(async (file: string, {replace = false, ...others}: Partial<Parameters<typeof restore>[2]>) => {
      const config = readConfig(environment);
      const restored = await restore(config, file, {replace, ...others});
      const {moved_to, erased, newest, unread} = restored;
      const lines = [
        `${restored.database}: ${inWords(restored)}`,
        ...(moved_to === null ? [] : [`What was there before is now ${moved_to}`]),
        ...(restored.erasures.length > 0
          ? [
              `${counted(erased, 'lead')} erased again, by ${restored.erasures.join(' and ')}`,
              ...(unread > 0 ? [`${counted(unread, 'line')} there could not be read`] : []),
              ...(erased > 0 ? [toldAgain] : []),
            ]
          : [
              `There is no file of erasures at ${config.erasuresFile}: what was erased ${newest === null ? 'since the backup' : `after ${timeOrNone(newest)}`} is back. Erase it again, or restore with --erasures <file>`,
            ]),
        ...(restored.brought_up
          ? ['The tables are those of this version now, because erasing needs them']
          : []),
      ];
      await write(lines.map((line) => `${line}\n`).join(''));
    });
