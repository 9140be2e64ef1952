/** `lead-prequal audit`: who looked at personal data, or changed it. */
import {Command} from 'commander';
import {referenceOf} from '../../contract/reference.ts';
import {auditRow, listAudit, type AuditRow} from '../admin/audit.ts';
import {counted, timeZone} from '../admin/words.ts';
import {jsonOption, limitOption, sinceOption, untilOption} from './options.ts';
import {lineColumns, minuteOrNone, orMore, printRows, type Json, type Run} from './output.ts';
import {readingStore} from './with-store.ts';

type Options = Json & {since?: number; until?: number; who?: string; limit: number};

export function auditCommand(run: Run): Command {
  const audit = new Command('audit').description('say who looked at personal data, or changed it');
  audit
    .command('list')
    .description('list who looked at which leads or changed them, the newest first, without personal data')
    .addOption(sinceOption('entries'))
    .addOption(untilOption('entries'))
    .option('--who <name>', 'only entries of somebody whose name has this part')
    .addOption(limitOption('entries'))
    .addOption(jsonOption(auditRow))
    .action(({who, since, until, limit, json}: Options) =>
      readingStore(run, async (admin) => {
        const pages = listAudit(admin, {who, since, until}, limit);
        const many = await printRows(run, {json, columns: lineColumns}, pages, head, cellsOf);
        run.say(
          `${counted(many, 'entry', 'entries')}${orMore(limit - many)}; times are those of ${timeZone()}`,
        );
      }),
    );
  return audit;
}

const head = ['when', 'who', 'what', 'leads', 'which'];

const cellsOf = ({at, actor, action, filter, leads, ids}: AuditRow) => {
  const selected = Object.entries(filter).map(([name, value]) =>
    value === true ? name : `${name}=${String(value)}`,
  );
  return [minuteOrNone(at), actor, action, leads, [...selected, ...ids.map(referenceOf)].join(', ')];
};
