/** `lead-prequal leads export`: writes leads to a file or to standard output. */
import {once} from 'node:events';
import {createWriteStream, lstatSync, openSync, renameSync, rmSync} from 'node:fs';
import {extname} from 'node:path';
import {finish, type Admin} from '../admin/admin.ts';
import {exportConsents} from '../admin/consents.ts';
import {exportLeads, type Exportable, type Exported, type ExportFormat} from '../admin/exporting.ts';
import {unreadableText} from '../admin/lead-names.ts';
import {counted} from '../admin/words.ts';
import type {LeadFilter} from '../leads/lead-filter.ts';
import {reasonOf} from '../leads/store-errors.ts';
import {leadsBar, type Run} from './output.ts';

/** What a line is: a lead, what of it a salesperson reads, or a consent. */
export type Sheet = 'leads' | 'sales' | 'consents';
/** The file to write, and what to write: `only` are the leads, if they are known already. */
type Target = Pick<Exportable, 'excel' | 'only'> & {
  file: string | undefined;
  format: ExportFormat | undefined;
  sheet: Sheet;
};

const formatsByEnding: Readonly<Record<string, ExportFormat>> = {
  '': 'csv',
  '.csv': 'csv',
  '.json': 'jsonl',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

export async function writeExport(
  run: Run,
  admin: Admin,
  filter: LeadFilter,
  {file, format = formatsByEnding[extname(file ?? '').toLowerCase()], sheet, ...others}: Target,
) {
  const {stderr, fail, writeUnchanged} = run;
  if (!format) return fail(`What is to be written to ${file}? Say --format csv or --format jsonl.`);
  if (sheet === 'sales' && format !== 'csv')
    return fail('--for sales writes a CSV, for spreadsheets, and no JSON.');
  let out;
  try {
    // A symbolic link that leads nowhere counts, too.
    if (file !== undefined && lstatSync(file, {throwIfNoEntry: false}))
      return fail(`${file} exists already.`);
    out = file === undefined ? {write: writeUnchanged, close: () => Promise.resolve()} : openFile(file);
  } catch (error) {
    return fail(`${file} cannot be written: ${reasonOf(error)}`);
  }
  let bar =
    stderr.isTTY && file !== undefined
      ? await leadsBar(stderr, others.only?.length ?? (await admin.store.countLeads(filter)))
      : undefined;
  try {
    const job =
      sheet === 'consents'
        ? exportConsents(admin, filter)
        : exportLeads(admin, filter, {format, forSales: sheet === 'sales', ...others});
    const exported = await finish(job, async (progress) => {
      if ('text' in progress) await out.write(progress.text);
      else {
        // The bar and the lines would overwrite each other.
        bar?.stop();
        bar = undefined;
        fail(unreadableText(progress.unreadable));
      }
      bar?.update(progress.looked);
    });
    await out.close();
    sayWhatWasWritten(run, file, exported, sheet);
  } catch (error) {
    if (file === undefined) throw error;
    rmSync(partial(file), {force: true});
    return fail(`${file} is not written: ${reasonOf(error)}`);
  } finally {
    bar?.stop();
  }
}

function sayWhatWasWritten(
  {say, fail}: Run,
  file: string | undefined,
  {leads, erased, unreadable, unlisted}: Exported,
  sheet: Sheet,
) {
  say(
    `${file ?? 'What was written'} holds personal data in clear, for people to read: erasing a lead erases nothing of it.`,
  );
  say(
    `${counted(leads, sheet === 'consents' ? 'consent' : 'lead')}${file === undefined ? '' : ` in ${file}`}`,
  );
  if (erased > 0) say(`${counted(erased, 'erased lead')} left out`);
  if (unlisted.length > 0)
    say(`The CSV lacks what no partner lists or asks for: ${unlisted.join(', ')}. --format jsonl has them.`);
  if (unreadable > 0) fail(`${counted(unreadable, 'lead')} could not be read, and the export lacks them.`);
}

const partial = (file: string) => `${file}.partial`;

/** The file has its name only when it is complete. @throws Error when it cannot be created */
function openFile(file: string) {
  const stream = createWriteStream(partial(file), {fd: openSync(partial(file), 'wx', 0o600)});
  const failed = once(stream, 'error').then(([error]) => {
    throw error as Error;
  });
  failed.catch(() => undefined);
  return {
    async write(text: string) {
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), failed]);
    },
    async close() {
      stream.end();
      await Promise.race([once(stream, 'close'), failed]);
      renameSync(partial(file), file);
    },
  };
}
