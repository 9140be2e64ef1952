/** Writes leads as CSV or as JSON Lines, page by page, so that memory does not grow with the number of leads. */
import {amountNames} from '../../contract/amounts.ts';
import {attributionKeys} from '../../contract/embed.ts';
import {formQuestionNames} from '../../contract/questions.ts';
import type {Partner} from '../config/partners.ts';
import {leadEventSchema} from '../leads/lead-event.ts';
import type {FullLead, LeadFilter, LeadPage, ListedLead, UnreadableLead} from '../leads/lead-filter.ts';
import {isErased} from '../store/rows.ts';
import {pagesOf, type Job, type Reading} from './admin.ts';
import {noteListAccess} from './audit.ts';
import {detailsOf, type LeadDetails} from './lead-details.ts';
import {salesColumns, salesRows} from './sales-columns.ts';
import {toJson, visible} from './visible.ts';

export const exportFormats = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

const {lead: leadShape, consent: consentShape} = leadEventSchema.shape.data.shape;
const leadFields = Object.keys(leadShape.shape);
/** Only the first nine fields: programs may know a column by its number. `export --consents` has the later fields. */
const consentFields = Object.keys(consentShape.unwrap().shape).slice(0, 9);

/** A column of a CSV file, and the path to its value in a lead. */
type Column = readonly [name: string, ...path: string[]];

/** The columns that every CSV has. */
const usualColumns: readonly Column[] = [
  ...['id', 'reference', 'created_at', 'partner', 'cid'].map((name) => [name, name] as const),
  ...leadFields
    .filter((name) => name !== 'answers' && !formQuestionNames.some((each) => each === name))
    .map((name) => [name, 'lead', name] as const),
  ['status', 'answer', 'status'],
  ...amountNames.map((name) => [name, 'answer', 'prequalification', name] as const),
  ['policy_version', 'answer', 'policy_version'],
  ...consentFields.map((name) => [`consent_${name}`, 'consent', name] as const),
  ...attributionKeys.map((name) => [name, 'attribution', name] as const),
  ...['suspect', 'duplicate_of', 'supersedes'].map((name) => [name, name] as const),
];

/**
 * The usual columns, and those for the optional fields, questions and hidden fields of the selected partners. They cannot depend
 * on the leads, because a CSV file begins with them.
 */
function columnsFor(selected: readonly Partner[]): readonly Column[] {
  const listed = selected.flatMap(({contextFields}) => contextFields.map(({name}) => name));
  return [
    ...usualColumns,
    ...formQuestionNames
      .filter((name) => selected.some(({ask}) => ask.includes(name)))
      .map((name) => [name, 'lead', name] as const),
    ...[...new Set(selected.flatMap(({questions}) => questions.map(({name}) => name)))].map(
      (name) => [`answer_${name}`, 'answers', name] as const,
    ),
    ...[...new Set(listed)].map((name) => [`context_${name}`, 'context', name] as const),
  ];
}

const valueAt = (lead: object, path: readonly string[]) => {
  let value: unknown = lead;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value;
};

/**
 * A spreadsheet reads a cell as a formula if it begins with one of these signs; some programs skip spaces, quotes or control
 * characters before it. An apostrophe in front makes the cell a text, as OWASP advises:
 * https://owasp.org/www-community/attacks/CSV_Injection. Such a sign after a comma, semicolon, tab or line break within the text
 * gets one, too: a program that splits there, without regard to quotes, would begin a cell with it. `escape_formulas` of
 * csv-stringify looks at the first character alone.
 */
const formula =
  /^(?=[\s\p{C}'"]*[=+\-@＝＋－＠]|[\t\r\n])|(?<=[,;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{C}'"])*[=+\-@＝＋－＠])/gu;
/** PHP's `fgetcsv` reads a quote after a backslash as part of the text, and so misses the end of the cell. */
const beforeQuote = /\\(?="|$)/g;
export const neutralize = (text: string) => text.replace(formula, "'").replace(beforeQuote, '\\ ');

/** Matches most texts: those without any character that `toCell` would change. This check saves most of the time of a cell. */
const plain = /^\w[\w .:@/-]*$/;

/** The text of a cell. Line breaks in it are `\n`, as Excel writes them, while the rows end with `\r\n`. */
export const toCell = (text: string) => (plain.test(text) ? text : neutralize(visible(text)));

/** RFC 4180 ends rows with `\r\n`. Without the second option, csv-stringify would not quote texts that contain `\n`. */
const csvOptions = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  cast: {string: toCell, boolean: String},
} as const;

/** @param quoted whether to quote all texts */
export async function csvWriter(quoted = false): Promise<(rows: unknown[][]) => string> {
  // Nothing else needs this library, and it takes time to load.
  const {stringify} = await import('csv-stringify/sync');
  return (rows) => stringify(rows, {...csvOptions, quoted_string: quoted});
}

const toJsonLines = (leads: readonly LeadDetails[]) => leads.map((lead) => `${toJson(lead)}\n`).join('');

/**
 * - `excel`: whether the CSV file begins with a byte order mark, by which Excel recognises UTF-8
 * - `forSales`: whether the CSV file has only the columns that a salesperson reads
 * - `zone`: the time zone for salespeople. Without it, that of this machine
 * - `only`: the leads to write, if the caller has read them already
 */
export type Exportable = {
  format: ExportFormat;
  excel?: boolean;
  forSales?: boolean;
  zone?: string;
  only?: readonly ListedLead[] | undefined;
};

/** A part of the export, or a lead that could not be read. `looked`: the number of leads read so far */
export type Exporting = ({text: string} | {unreadable: UnreadableLead}) & {looked: number};

/**
 * - `leads`: the number of exported leads
 * - `erased`, `unreadable`: how many leads are missing for this reason
 * - `unlisted`: names of values that leads have and the CSV file leaves out, because programs rely on its present columns
 */
export type Exported = {leads: number; erased: number; unreadable: number; unlisted: string[]};

export async function* exportLeads(
  admin: Reading,
  filter: LeadFilter,
  {format, excel = false, forSales = false, zone, only}: Exportable,
): Job<Exporting, Exported> {
  const {store, config} = admin;
  const atStart = only ? filter : await noteListAccess(admin, filter);
  const toCsv = await csvWriter(forSales);
  const isCsv = format === 'csv';
  const {partner} = filter;
  const selected = config.partners.filter(({key}) => partner === undefined || key === partner);
  const sheet = salesColumns(selected);
  const columns = columnsFor(selected);
  const paths = columns.map(([, ...path]) => path);
  const hasColumn = (room: string, name: string) =>
    paths.some((path) => path[0] === room && path[1] === name);
  const unlisted = new Set<string>();
  const done = {leads: 0, erased: 0, unreadable: 0};
  const looked = () => done.leads + done.erased + done.unreadable;
  const head = (forSales ? sheet : columns).map(([name]) => name);
  if (isCsv) yield {text: `${excel || forSales ? '\uFEFF' : ''}${toCsv([head])}`, looked: 0};
  // Salespeople call the newest leads first.
  const read = (page: LeadPage) => store[forSales ? 'listLeads' : 'readLeads'](atStart, page);
  for await (const page of only ? [only] : pagesOf(read, {size: 200})) {
    const leads: LeadDetails[] = [];
    const full: FullLead[] = [];
    for (const lead of page) {
      const details = isErased(lead) ? undefined : detailsOf(lead);
      if (!details) done.erased += 1;
      else if ('unreadable' in details) {
        done.unreadable += 1;
        yield {unreadable: details, looked: looked()};
      } else {
        leads.push(details);
        if ('lead' in lead) full.push(lead);
      }
    }
    done.leads += leads.length;
    const rowOf = (lead: LeadDetails) => {
      const own = (lead.lead.answers ?? []).map(({name, value}) => [name, value] as const);
      const named = {...lead, answers: Object.fromEntries(own)};
      return paths.map((path) => valueAt(named, path));
    };
    const toRows = async () => (forSales ? salesRows(admin, sheet, full, zone) : leads.map(rowOf));
    yield {text: isCsv ? toCsv(await toRows()) : toJsonLines(leads), looked: looked()};
    for (const {lead, context = {}, opt_out_signal} of isCsv && !forSales ? leads : []) {
      for (const name of Object.keys(context)) if (!hasColumn('context', name)) unlisted.add(name);
      if (opt_out_signal) unlisted.add('opt_out_signal');
      for (const {name} of lead.answers ?? []) if (!hasColumn('answers', name)) unlisted.add(name);
      for (const name of formQuestionNames) if (lead[name] && !hasColumn('lead', name)) unlisted.add(name);
    }
  }
  return {...done, unlisted: [...unlisted]};
}
