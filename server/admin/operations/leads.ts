/** Finding, counting and showing leads. */
import {z} from 'zod';
import {cutTo} from '../../../contract/fields.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {leadGroups, type LeadGroup} from '../../leads/lead-filter.ts';
import {outcomeWords} from '../../leads/outcomes.ts';
import {
  countLeads,
  leadCountRow,
  leadRow,
  listLeads,
  toLeadRows,
  type LeadCountRow,
  type LeadRow,
} from '../leads.ts';
import {isName, searchNames} from '../name-search.ts';
import {counted, localTime} from '../words.ts';
import {erase} from './erasing.ts';
import * as field from './fields.ts';
import {reads, type Columns, type Group} from './operation.ts';
import {person} from './person-file.ts';
import {isPerson, notesOf, personFields, searchPerson} from './person.ts';
import {show} from './show-lead.ts';
import {note} from './outcomes.ts';
import {privacyRequests} from './privacy-requests.ts';
import {filterOf, selection, unknownNames, wrongTimes} from './selection.ts';

/** The maximum width of a partner's name in a list, in columns of the terminal. */
const partnerColumns = 12;

const list = reads({
  words: 'leads list',
  what: 'list leads, the newest first, without names, numbers and addresses',
  past: 'saw {it} in a list',
  fields: {
    ...selection,
    ...personFields,
    name: {
      ...field.option(
        'words',
        'only leads of people whose names begin so, or whose numbers end in these four digits',
      ),
      schema: z.string().refine(isName, 'It must have letters or digits.').optional(),
      asks: 'The name',
    },
    limit: field.limit('leads'),
  },
  wrong: ({name, ...input}) =>
    name !== undefined && isPerson(input)
      ? '--name cannot be used with --email or --phone'
      : wrongTimes(input),
  line: leadRow,
  counted: ['lead'],
  isCut: true,
  columns: [
    'reference',
    ['received', 'created_at'],
    ['partner', (row) => 'partner' in row && cutTo(row.partner ?? '-', partnerColumns)],
    ['state', (row) => ('unreadable' in row ? 'unreadable' : 'status' in row ? row.status : 'erased')],
    ['total', (row) => 'total' in row && totalOf(row)],
    ['note', noteOf],
  ],
  async *read(admin, {limit, email, phone, name, ...selected}, isForPrograms) {
    const filter = filterOf(admin, selected);
    const remarks = unknownNames(admin.config, selected);
    const rounding = isForPrograms ? undefined : admin.config.policy.display_rounding_increment;
    if (name !== undefined) {
      const {found, looked, lookedTo} = await searchNames(admin, filter, name, limit);
      yield await toLeadRows(admin, found, rounding);
      const back = lookedTo === undefined ? '' : `, back to ${localTime(lookedTo).slice(0, 16)}`;
      return {remarks: [...remarks, `Looked at ${counted(looked, 'lead')}${back}.`]};
    }
    if (!isPerson({email, phone})) {
      yield* listLeads(admin, filter, limit, rounding);
      return {remarks};
    }
    const found = yield* searchPerson(admin, filter, {email, phone}, limit);
    if (found.found.length > 0) yield await toLeadRows(admin, found.found, rounding);
    return {remarks: [...remarks, ...notesOf(admin, found)]};
  },
});

type Answered = Extract<LeadRow, {total: number | null}>;
const totalOf = ({lead_type, total}: Answered) =>
  lead_type === 'standard' ? lead_type : total === null ? '' : formatMoney(total, 'en-US');
function noteOf(row: LeadRow): string {
  if ('unreadable' in row) return row.unreadable;
  if ('erased_at' in row)
    return row.erased_at === null ? '' : localTime(Date.parse(row.erased_at)).slice(0, 16);
  const {duplicate_of, consent, campaign, outcome} = row;
  return [
    outcome && outcomeWords[outcome][0],
    duplicate_of && `as ${referenceOf(duplicate_of)}`,
    consent === 'missing' && 'no consent',
    campaign,
  ]
    .filter(Boolean)
    .join(', ');
}

const wrongGroups = `It must be a list of ${leadGroups.join(', ')}, without spaces.`;

const count = reads({
  words: 'leads count',
  what: 'count leads',
  fields: {
    ...selection,
    by: {
      schema: z
        .string()
        .transform((text) => text.split(',').map((name) => name.trim()) as LeadGroup[])
        .refine(
          (names) => new Set(names).size === names.length && names.every((name) => leadGroups.includes(name)),
          wrongGroups,
        )
        .optional(),
      what: `count them by ${leadGroups.join(', ')}, or several: partner,day`,
      value: 'groups',
    },
  },
  wrong: wrongTimes,
  line: leadCountRow,
  columns: ({by = []}): Columns<LeadCountRow> => [
    ...by.map((group) => [group, (row: LeadCountRow) => row[group] ?? '-'] as const),
    'leads',
  ],
  async *read(admin, {by = [], ...selected}, isForPrograms) {
    const rows = await countLeads(admin, filterOf(admin, selected), by);
    const remarks = unknownNames(admin.config, selected);
    // Prints only the number, so that shell scripts can use it.
    if (by.length === 0 && !isForPrograms) return {said: [String(rows[0]?.leads)], remarks};
    yield rows;
    return {remarks};
  },
});

export const leads: Group = {
  name: 'leads',
  what: 'find leads, show and count them, write them to a file, and erase them',
  help: `Examples:
  lead-prequal leads list --partner acme --since yesterday         the newest leads first
  lead-prequal leads show K7QM-2XHD                                everything about a lead
  lead-prequal leads count --partner acme --since yesterday --until today
                                                                   how many leads acme sent yesterday
  lead-prequal leads count --by partner,day --since 30d            how many each partner sent, day by day
  lead-prequal leads list --context brand=north                    leads whose pages said so
  lead-prequal leads list --answer revenue=over-50k                leads with this choice at a question of a partner's own
  lead-prequal leads list --email jane@example.com                 leads of a person
  lead-prequal leads note K7QM-2XHD --outcome funded --amount 150000
                                                                   what came of a call
  lead-prequal leads erase K7QM-2XHD                               erase what is personal of a lead
  lead-prequal leads export march.csv --since 2026-03-01 --until 2026-04-01

Exit status: 0 done, also with a list of no leads; 1 it failed, or there is no such lead; 2 the command line is wrong.`,
  rows: [list, show, count, person, note, erase, ...privacyRequests],
};
