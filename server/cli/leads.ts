/** `lead-prequal leads`: finds leads, shows and counts them, writes them to a file, and erases them. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {z} from 'zod';
import {leadStatuses, type LeadStatus} from '../../contract/embed.ts';
import {cutTo} from '../../contract/fields.ts';
import {endOfId, referenceOf} from '../../contract/reference.ts';
import {formatMoney} from '../../form/format-money.ts';
import type {Admin} from '../admin/admin.ts';
import {shownDelivery} from '../admin/deliveries.ts';
import {shownErased} from '../admin/erasing.ts';
import {exportFormats, type ExportFormat} from '../admin/exporting.ts';
import {
  countLeads,
  leadCountRow,
  leadRow,
  listLeads,
  showLead,
  shownLead,
  toLeadRow,
  type LeadRow,
} from '../admin/leads.ts';
import type {Person} from '../leads/persons.ts';
import {counted, timeZone} from '../admin/words.ts';
import type {Config} from '../config/config.ts';
import {leadGroups, type LeadFilter, type LeadGroup} from '../leads/lead-filter.ts';
import {readDeliveries} from './deliveries.ts';
import {eraseCommand, requestsCommand} from './erase.ts';
import {writeExport, type Sheet} from './export.ts';
import {contextOption, jsonOption, limitOption, sinceOption, untilOption} from './options.ts';
import {lineColumns, minuteOrNone, orMore, printRows, type Json, type Run} from './output.ts';
import {findPerson, personOptions} from './person.ts';
import {printDeliveries, printErased, printLead} from './show-lead.ts';
import {readingStore} from './with-store.ts';

const examples = `
Examples:
  lead-prequal leads list --partner acme --since yesterday         the newest leads first
  lead-prequal leads show K7QM-2XHD                                everything about a lead
  lead-prequal leads count --partner acme --since yesterday --until today
                                                                   how many leads acme sent yesterday
  lead-prequal leads count --by partner,day --since 30d            how many each partner sent, day by day
  lead-prequal leads list --context brand=north                    leads whose pages said so
  lead-prequal leads list --email jane@example.com                 leads of a person
  lead-prequal leads erase K7QM-2XHD                               erase what is personal of a lead
  lead-prequal leads export march.csv --since 2026-03-01 --until 2026-04-01

Exit status: 0 done, also with a list of no leads; 1 it failed, or there is no such lead; 2 the command line is wrong.`;

/** Stands for a partner on the command line, and selects leads of `/json/leads`, which have no partner. */
const withoutPartner = '-';

type Selection = Pick<LeadFilter, 'campaign' | 'context' | 'since' | 'until'> & {
  partner?: string;
  state?: LeadStatus;
  reference?: string;
};

/** Adds the options that select leads. */
const selecting = (command: Command): Command =>
  command
    .option('--partner <key>', 'only leads of this partner, or - for leads of /json/leads')
    .addOption(
      new Option('--state <state>', 'only leads whose answer is final, still to come, or a refusal').choices(
        leadStatuses,
      ),
    )
    .option('--campaign <name>', 'only leads with this utm_campaign')
    .addOption(
      contextOption('only leads with this value of a hidden field that is a filter (context_fields)'),
    )
    .option('--reference <reference>', 'only leads with this reference, such as K7QM-2XHD', readReference)
    .addOption(sinceOption('leads'))
    .addOption(untilOption('leads'))
    .hook('preAction', (command) => {
      const {since = 0, until = Infinity} = command.opts<Selection>();
      if (until <= since) command.error('error: --until must be later than --since');
    });

function readReference(text: string): string {
  const end = endOfId(text);
  if (end === undefined) throw new InvalidArgumentError('It must be a reference such as K7QM-2XHD.');
  return end;
}

/**
 * Says which of the names are not in the configuration, because they may be misspelt. This is no failure: leads that
 * were stored while the file had the name are found.
 */
function sayUnknown({say}: Run, {partners}: Config, {partner = withoutPartner, context = {}}: Selection) {
  if (partner !== withoutPartner && !partners.some(({key}) => key === partner))
    say(`There is no partner ${partner}.`);
  const isFilter = (name: string) =>
    partners.some(({contextFields}) => contextFields.some((field) => field.filter && field.name === name));
  for (const name of Object.keys(context).filter((each) => !isFilter(each)))
    say(`No partner has ${name} as a filter: see its context_fields.`);
}

const filterOf = ({state, reference, partner, campaign, context, since, until}: Selection): LeadFilter => ({
  ...{partner: partner === withoutPartner ? null : partner, status: state, endOfId: reference},
  ...{campaign, context, since, until},
});

function readGroups(text: string): LeadGroup[] {
  const names = text.split(',').map((name) => name.trim());
  const groups = leadGroups.filter((group) => names.includes(group));
  if (groups.length !== names.length)
    throw new InvalidArgumentError(`It must be a list of ${leadGroups.join(', ')}, without spaces.`);
  return names as LeadGroup[];
}

export function leadsCommand(run: Run): Command {
  const leads = new Command('leads')
    .description('find leads, show and count them, write them to a file, and erase them')
    .addHelpText('after', examples);
  for (const add of [addList, addShow, addCount, addExport]) add(leads, run);
  leads.addCommand(eraseCommand(run)).addCommand(requestsCommand(run));
  return leads;
}

type ListOptions = {limit: number} & Json;

function addList(leads: Command, run: Run) {
  personOptions(selecting(leads.command('list')), run)
    .description('list leads, the newest first, without names, numbers and addresses')
    .addOption(limitOption('leads'))
    .addOption(jsonOption(leadRow))
    .action((options: Selection & Person & ListOptions) =>
      readingStore(run, (admin) => {
        sayUnknown(run, admin.config, options);
        return list(run, admin, options);
      }),
    );
}

function addShow(leads: Command, run: Run) {
  leads
    .command('show')
    .description('show a lead and its deliveries, for people; with --json all that is stored about it')
    .argument('<lead>', 'the id or the reference of the lead')
    .addOption(jsonOption(z.union([shownErased, shownLead.extend({deliveries: z.array(shownDelivery)})])))
    .action((named: string, {json}: Json) => readingStore(run, (admin) => show(run, admin, named, json)));
}

function addCount(leads: Command, run: Run) {
  selecting(leads.command('count'))
    .description('count leads')
    .option('--by <groups>', `count them by ${leadGroups.join(', ')}, or several: partner,day`, readGroups)
    .addOption(jsonOption(leadCountRow))
    .action(({by = [], ...options}: Selection & {by?: LeadGroup[]} & Json) =>
      readingStore(run, (admin) => {
        sayUnknown(run, admin.config, options);
        return count(run, admin, by, options);
      }),
    );
}

type ExportOptions = Selection &
  Person & {format?: ExportFormat; excel?: boolean; for?: 'sales'; consents?: boolean};

function addExport(leads: Command, run: Run) {
  personOptions(selecting(leads.command('export')), run)
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
    )
    .action(
      (
        file: string | undefined,
        {format, excel = false, for: reader, consents, ...selection}: ExportOptions,
      ) =>
        readingStore(run, async (admin) => {
          sayUnknown(run, admin.config, selection);
          const {email, phone} = selection;
          const filter = filterOf(selection);
          const isPerson = email !== undefined || phone !== undefined;
          const person = isPerson ? await findPerson(run, admin, filter, {email, phone}) : undefined;
          if (person?.isStopped) return run.fail('Nothing was written.');
          const sheet: Sheet = consents ? 'consents' : (reader ?? 'leads');
          return writeExport(run, admin, filter, {
            ...{file, format: consents ? 'jsonl' : format, excel, sheet},
            only: sheet === 'sales' ? person?.found : person?.found.toReversed(),
          });
        }),
    );
}

const listHead = ['reference', 'received', 'partner', 'state', 'total', 'campaign'];
/** How many columns of a list the name of a partner may take. */
const partnerColumns = 12;

function cellsOf(row: LeadRow) {
  const begin = [row.reference, minuteOrNone(row.created_at)];
  if ('unreadable' in row) return [...begin, row.unreadable];
  begin.push(cutTo(row.partner ?? '-', partnerColumns));
  if ('erased_at' in row) return [...begin, `erased ${minuteOrNone(row.erased_at)}`];
  const {lead_type, status, total, campaign, duplicate_of, consent} = row;
  const amount = total === null ? '' : formatMoney(total, 'en-US');
  const same = duplicate_of && `as ${referenceOf(duplicate_of)}`;
  const note = [same, consent === 'missing' && 'no consent', campaign].filter(Boolean).join(', ');
  return [...begin, status, lead_type === 'standard' ? lead_type : amount, note];
}

async function list(run: Run, admin: Admin, options: Selection & Person & ListOptions) {
  const {email, phone, limit} = options;
  const filter = filterOf(options);
  const isPerson = email !== undefined || phone !== undefined;
  const rounding = options.json ? undefined : admin.config.policy.display_rounding_increment;
  const pages = isPerson ? ofPerson() : listLeads(admin, filter, limit, rounding);
  const many = await printRows(run, {...options, columns: lineColumns}, pages, listHead, cellsOf);
  run.say(`${counted(many, 'lead')}${orMore(limit - many)}; times are those of ${timeZone()}`);

  async function* ofPerson() {
    const {found, isStopped} = await findPerson(run, admin, filter, {email, phone, limit});
    if (isStopped) run.status = 1;
    if (found.length > 0) yield found.map((lead) => toLeadRow(lead, admin.config, rounding));
  }
}

async function show(run: Run, admin: Admin, named: string, json = false) {
  const shown = await showLead(admin, named);
  if ('erased' in shown) return json ? run.print(shown.erased) : printErased(run, shown.view, shown.erased);
  const {view, lead} = shown;
  const deliveries = await readDeliveries(run, admin, lead.id);
  if (json) return run.print({...lead, deliveries});
  await printLead(run, view, lead);
  await printDeliveries(run, deliveries);
}

async function count(run: Run, admin: Admin, by: readonly LeadGroup[], options: Selection & Json) {
  const rows = await countLeads(admin, filterOf(options), by);
  if (!options.json && by.length === 0) await run.write(`${rows[0]?.leads}\n`);
  else
    await printRows(run, options, [rows], [...by, 'leads'], (row) => [
      ...by.map((group) => row[group] ?? '-'),
      row.leads,
    ]);
}
