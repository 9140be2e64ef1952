/** `lead-prequal audit`: who looked at personal data, or changed it. */
import {Command} from 'commander';
import {referenceOf} from '../../contract/reference.ts';
import {leadOf} from '../admin/lead-names.ts';
import {counted, timeZone} from '../admin/words.ts';
import {auditEntry, type AuditEntry, type AuditFilter} from '../leads/audit.ts';
import {jsonOption, limitOption, sinceOption, untilOption} from './options.ts';
import {lineColumns, minuteOrNone, orMore, printRows, type Json, type Run} from './output.ts';
import {readingStore} from './with-store.ts';

export function auditCommand(run: Run): Command {
  const audit = new Command('audit').description('say who looked at personal data, or changed it');
  audit
    .command('list')
    .description('list who looked at leads or changed them, the newest first, without personal data')
    .addOption(sinceOption('entries'))
    .addOption(untilOption('entries'))
    .option('--who <name>', 'only entries of somebody whose name has this part')
    .option('--lead <lead>', 'only entries that name this lead, by its id or reference')
    .addOption(limitOption('entries'))
    .addOption(jsonOption(auditEntry))
    .action(({limit, json, lead: named, ...filter}: AuditFilter & Json & {limit: number}) =>
      readingStore(run, async (admin) => {
        const lead = named === undefined ? undefined : await leadOf(admin, named);
        const rows = await admin.store.auditEntries({...filter, lead}, limit);
        await printRows(run, {json, columns: lineColumns}, [rows], head, cellsOf);
        const more = orMore(limit - rows.length);
        run.say(`${counted(rows.length, 'entry', 'entries')}${more}; times are those of ${timeZone()}`);
      }),
    );
  return audit;
}

const head = ['when', 'who', 'what', 'leads', 'which'];

function cellsOf({at, actor, action, filter, leads, ids}: AuditEntry) {
  const words = Object.entries(filter).map(([name, value]) =>
    value === true ? name : `${name}=${String(value)}`,
  );
  return [minuteOrNone(at), actor, action, leads, [...words, ...ids.map(referenceOf)].join(', ')];
}
