/** `lead-prequal leads`, with the export, which has code of its own. */
import {Command, Option} from 'commander';
import {finish} from '../admin/admin.ts';
import {exportFormats, type ExportFormat} from '../admin/exporting.ts';
import {leads} from '../admin/operations/leads.ts';
import {isPerson, notesOf, personFields, searchPerson} from '../admin/operations/person.ts';
import {filterOf, selection, unknownNames, wrongTimes} from '../admin/operations/selection.ts';
import {writeExport, type Sheet} from './export.ts';
import {addFields, groupCommand, inputOf, reporting} from './operate.ts';
import type {Run} from './output.ts';
import {withStore} from './with-store.ts';

type ExportOptions = {format?: ExportFormat; excel?: boolean; for?: 'sales'; consents?: boolean};

function exportCommand(run: Run): Command {
  const command = new Command('export')
    .description('write leads with everything that is stored about them, the oldest first')
    .argument('[file]', 'the file to write, which must not exist yet; without it, standard output')
    .addOption(
      new Option('--format <format>', 'without it, what the name of the file says, or csv').choices(
        exportFormats,
      ),
    )
    .addOption(
      new Option(
        '--for <reader>',
        'a CSV for whoever calls, the newest first: name, number, whether, when',
      ).choices(['sales']),
    )
    .addOption(
      new Option(
        '--consents',
        'the records of consents instead, also of erased leads, each a line of JSON',
      ).conflicts(['format', 'excel', 'for', 'email', 'phone']),
    )
    .option('--excel', 'begin a CSV with a byte order mark, by which Excel reads it as UTF-8')
    .addHelpText(
      'after',
      `
The file holds personal data, so only its owner can read it. In a CSV, a cell that a spreadsheet would take for a
formula begins with an apostrophe.`,
    );
  const fields = {...selection, ...personFields};
  addFields(command, fields);
  return command.action(async (file: string | undefined, options: ExportOptions) => {
    const {format, excel = false, for: reader, consents} = options;
    const {email, phone, ...selected} = (await inputOf(command, run, fields)).input;
    const wrong = wrongTimes(selected);
    if (wrong !== undefined) command.error(`error: ${wrong}`);
    return withStore(run, {mayWrite: false}, async (admin) => {
      for (const note of unknownNames(admin.config, selected)) run.say(note);
      const filter = filterOf(admin, selected);
      const {signal, report, close} = reporting(run);
      const searching = {...admin, signal};
      const found = isPerson({email, phone})
        ? await finish(searchPerson(searching, filter, {email, phone}), report).finally(close)
        : undefined;
      for (const note of found ? notesOf(searching, found) : []) run.say(note);
      if (signal.aborted) return run.fail('Nothing was written.');
      const sheet: Sheet = consents ? 'consents' : (reader ?? 'leads');
      return writeExport(run, admin, filter, {
        file,
        format: consents ? 'jsonl' : format,
        excel,
        sheet,
        only: sheet === 'sales' ? found?.found : found?.found.toReversed(),
      });
    });
  });
}

export const leadsCommand = groupCommand(leads, exportCommand);
