/** `lead-prequal leads`: finds leads, shows and counts them, writes them to a file, and erases them. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {leadStatuses, type Context, type LeadStatus} from '../../contract/embed.ts';
import {endOfId, referenceOf} from '../../contract/reference.ts';
import {totalAmount} from '../../contract/amounts.ts';
import type {Config} from '../config/config.ts';
import {
  leadGroups,
  type LeadCount,
  type LeadFilter,
  type LeadGroup,
  type ListedLead,
} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {contextOption} from './context-option.ts';
import {readDeliveries, showDeliveries} from './deliveries.ts';
import {shownErased} from '../admin/erasing.ts';
import {eraseCommand} from './erase.ts';
import {isErased} from '../store/rows.ts';
import {exportLeads, formats, toExport, type Format} from './export.ts';
import {leadOf, unreadableText, type Person} from '../admin/leads.ts';
import {counted, isoTime, jsonOption, limitOption, localDay, localTime, orMore, type Run} from './output.ts';
import {findPerson, personOptions} from './person.ts';
import {midnight} from '../admin/words.ts';
import {sinceOption, untilOption} from './times.ts';
import {readingStore} from './with-store.ts';

/** The most leads of one query: a long read would keep SQLite from reusing its log, so that the file grows. */
const pageLeads = 1_000;

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

type Selection = {
  partner?: string;
  state?: LeadStatus;
  campaign?: string;
  context?: Context;
  reference?: string;
  since?: number;
  until?: number;
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
    .addOption(
      new Option('--reference <reference>', 'only leads with this reference, such as K7QM-2XHD').argParser(
        readReference,
      ),
    )
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
 * Says which of the names are not in the partners file, because they may be misspelt. This is no failure: leads that
 * were stored while the file had the name are found.
 */
function sayUnknown({say}: Run, {partners}: Config, {partner = withoutPartner, context = {}}: Selection) {
  if (partner !== withoutPartner && !partners.some(({key}) => key === partner))
    say(`The partners file has no partner ${partner}.`);
  const isFilter = (name: string) =>
    partners.some(({contextFields}) => contextFields.some((field) => field.filter && field.name === name));
  for (const name of Object.keys(context).filter((each) => !isFilter(each)))
    say(`No partner has ${name} as a filter: see context_fields in the partners file.`);
}

const filterOf = ({state, reference, partner, campaign, context, since, until}: Selection): LeadFilter => ({
  partner: partner === withoutPartner ? null : partner,
  status: state,
  campaign,
  context,
  endOfId: reference,
  since,
  until,
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

  personOptions(selecting(leads.command('list')))
    .description('list leads, the newest first, without personal data')
    .addOption(limitOption('leads'))
    .addOption(jsonOption())
    .action(({json, limit, ...selection}: Selection & Person & {limit: number; json?: boolean}) =>
      readingStore(run, ({store, config}) => {
        sayUnknown(run, config, selection);
        return list(run, store, filterOf(selection), selection, limit, json);
      }),
    );

  leads
    .command('show')
    .description('show everything that is stored about a lead, and its deliveries')
    .argument('<lead>', 'the id or the reference of the lead')
    .addOption(jsonOption())
    .action((named: string, {json}: {json?: boolean}) =>
      readingStore(run, async ({store, config}) =>
        show(run, store, config, await leadOf({store}, named), json),
      ),
    );

  selecting(leads.command('count'))
    .description('count leads')
    .option('--by <groups>', `count them by ${leadGroups.join(', ')}, or several: partner,day`, readGroups)
    .addOption(jsonOption())
    .action(({json, by = [], ...selection}: Selection & {by?: LeadGroup[]; json?: boolean}) =>
      readingStore(run, ({store, config}) => {
        sayUnknown(run, config, selection);
        return count(run, store, config, filterOf(selection), by, json);
      }),
    );

  selecting(leads.command('export'))
    .description('write leads with everything that is stored about them, the oldest first')
    .argument('[file]', 'the file to write, which must not exist yet; without it, standard output')
    .addOption(
      new Option('--format <format>', 'without it, what the name of the file says, or csv').choices(formats),
    )
    .option('--excel', 'begin a CSV with a byte order mark, by which Excel reads it as UTF-8')
    .addHelpText(
      'after',
      `
The file holds personal data, so only its owner can read it. In a CSV, a cell that a spreadsheet would take for a
formula begins with an apostrophe.`,
    )
    .action((file: string | undefined, options: Selection & {format?: Format; excel?: boolean}) => {
      const {format, excel = false, ...selection} = options;
      return readingStore(run, ({store, config}) => {
        sayUnknown(run, config, selection);
        return exportLeads(run, store, config, filterOf(selection), {file, format, excel});
      });
    });

  leads.addCommand(eraseCommand(run));

  return leads;
}

const listHead = ['reference', 'received', 'partner', 'type', 'state', 'total', 'campaign', ''];

/**
 * What a list shows of a lead. An erased lead has only ids and times, and an unreadable lead only its id and the
 * reason.
 */
function toListEntry(lead: ListedLead) {
  const {id} = lead;
  const reference = referenceOf(id);
  if ('unreadable' in lead)
    return {id, reference, created_at: isoTime(createdAtOf(id)), unreadable: lead.unreadable};
  const {createdAt, partner, duplicateOf: duplicate_of} = lead;
  const known = {id, reference, created_at: isoTime(createdAt), partner};
  if (isErased(lead)) return {...known, duplicate_of, erased_at: isoTime(lead.erasedAt)};
  const {answer, attribution} = lead;
  const amounts = answer.status === 'done' ? answer.amounts : null;
  return {
    ...known,
    lead_type: lead.lead.lead_type,
    status: answer.status,
    total: amounts?.[totalAmount] ?? null,
    campaign: attribution?.utm_campaign ?? null,
    duplicate_of,
  };
}

function listRow(lead: ListedLead) {
  const line = toListEntry(lead);
  if ('unreadable' in lead)
    return [
      line.reference,
      localTime(createdAtOf(lead.id)),
      '?',
      '',
      '',
      '',
      '',
      `unreadable: ${lead.unreadable}`,
    ];
  const begin = [line.reference, localTime(lead.createdAt), lead.partner ?? '-'];
  if (isErased(lead)) return [...begin, '', 'erased', '', '', localTime(lead.erasedAt)];
  const {lead_type = '', status = '', total, campaign} = line as Extract<typeof line, {status: unknown}>;
  const note = lead.duplicateOf === null ? '' : `same as ${referenceOf(lead.duplicateOf)}`;
  return [...begin, lead_type, status, total ?? '', campaign ?? '', note];
}

async function list(
  run: Run,
  store: BesideStore,
  filter: LeadFilter,
  {email, phone}: Person,
  limit: number,
  json = false,
) {
  const {print, printTable, say} = run;
  let left = limit;
  let widths: readonly number[] | undefined;
  async function printPage(page: readonly ListedLead[]) {
    if (json) for (const lead of page) await print(toListEntry(lead));
    else if (page.length > 0)
      widths = await printTable(listHead, page.map(listRow), widths, widths === undefined);
    left -= page.length;
  }
  if (email !== undefined || phone !== undefined) {
    const {found, isStopped} = await findPerson(run, store, filter, {email, phone}, limit);
    await printPage(found);
    if (isStopped) run.status = 1;
  } else {
    for (let after: string | undefined; left > 0;) {
      const size = Math.min(left, pageLeads);
      const page = await store.listLeads(filter, {limit: size, after});
      await printPage(page);
      after = page.at(-1)?.id;
      if (page.length < size) break;
    }
  }
  const {timeZone} = new Intl.DateTimeFormat().resolvedOptions();
  say(`${counted(limit - left, 'lead')}${orMore(left)}; times are those of ${timeZone}`);
}

async function show(run: Run, store: BesideStore, config: Config, id: string, json = false) {
  const {print, printFields, write, fail} = run;
  const found = await store.readLead(id);
  if (!found) return fail(`There is no lead ${id}.`);
  const {lead, duplicates, supersededBy} = found;
  if (isErased(lead)) {
    const shown = await shownErased({store, config}, lead);
    return json ? print(shown) : printFields([...flatten(shown)]);
  }
  const exported = toExport(lead);
  if ('unreadable' in exported) return fail(unreadableText(exported));
  const data = {...exported, duplicates, superseded_by: supersededBy};
  if (json) return print({...data, deliveries: await readDeliveries(run, {store, config}, id)});
  await printFields([...flatten(data)]);
  await write('\n');
  await showDeliveries(run, {store, config}, id);
}

/** The values of an object and of the objects in it, with names such as `lead.first_name`. What is missing is left out. */
function* flatten(value: object, prefix = ''): Generator<[string, string]> {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const name = `${prefix}${key}`;
    if (inner === null || inner === undefined || (Array.isArray(inner) && inner.length === 0)) continue;
    if (Array.isArray(inner)) yield [name, inner.join(', ')];
    else if (typeof inner === 'object') yield* flatten(inner, `${name}.`);
    else yield [name, typeof inner === 'string' ? inner : JSON.stringify(inner)];
  }
}

async function count(
  {print, printTable, write}: Run,
  store: BesideStore,
  {partners}: Config,
  filter: LeadFilter,
  by: readonly LeadGroup[],
  json = false,
) {
  if (by.length === 0) {
    const leads = await store.countLeads(filter);
    return json ? print({leads}) : write(`${leads}\n`);
  }
  const counts = await store.countLeadsBy(filter, by, midnight);
  if (by.length === 1 && by[0] === 'partner') {
    // A partner whose form has stopped working is the one to see here. It has no leads to count.
    for (const {key} of partners) {
      const isSelected = filter.partner === undefined || filter.partner === key;
      if (isSelected && !counts.some(({partner}) => partner === key))
        counts.push({partner: key, status: null, campaign: null, day: null, leads: 0, newest: ''});
    }
  }
  const cell: Record<LeadGroup, (row: LeadCount) => string | null> = {
    partner: ({partner}) => partner,
    day: ({day}) => (day === null ? null : localDay(day)),
    state: ({status}) => status,
    campaign: ({campaign}) => campaign,
  };
  const rows = counts
    .map((row) => ({keys: by.map((group) => cell[group](row)), leads: row.leads}))
    .toSorted((one, other) => (one.keys.join('\0') < other.keys.join('\0') ? -1 : 1));
  if (json) {
    for (const {keys, leads} of rows)
      await print({...Object.fromEntries(by.map((group, index) => [group, keys[index]])), leads});
  } else {
    const table = rows.map(({keys, leads}) => [...keys.map((key) => key ?? '-'), leads]);
    await printTable([...by, 'leads'], table);
  }
}
