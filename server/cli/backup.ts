/** `lead-prequal backup` and `lead-prequal restore`: copy the SQLite database to a file and back. */
import {Command} from 'commander';
import {backUp, restore, type Backup} from '../admin/backup.ts';
import {counted} from '../admin/words.ts';
import {readConfig} from '../config/config.ts';
import type {Run} from './output.ts';

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
    .action(async (file: string, {replace = false}: {replace?: boolean}) => {
      const config = readConfig(environment);
      const restored = await restore(config, file, {replace});
      await write(`${restored.database}: ${inWords(restored)}\n`);
      if (restored.moved_to !== null) await write(`What was there before is now ${restored.moved_to}\n`);
      await write(
        restored.erasures === null
          ? `There is no file of erasures at ${config.erasuresFile}: before the start, put the one there that is kept with the backups, or whoever was erased or said stop since is forgotten\n`
          : `The next start erases again who was erased since, and stops again who said stop, by ${restored.erasures}\n`,
      );
    });
