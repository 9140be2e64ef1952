/** Writes leads as CSV or as JSON Lines, page by page, so that a million of them need no more memory than a thousand. */
import {parsePhoneNumberFromString} from 'libphonenumber-js/min';
import {amountNames, totalAmount} from '../../contract/amounts.ts';
import {attributionKeys} from '../../contract/embed.ts';
import {formOnlyFields, formOnlyNames} from '../../contract/extra-fields.ts';
import {extension} from '../../contract/phone.ts';
import {lookUp} from '../../form/words/look-up.ts';
import type {Config} from '../config/config.ts';
import {leadEventSchema} from '../leads/lead-event.ts';
import type {LeadFilter, ListedLead, UnreadableLead} from '../leads/lead-filter.ts';
import {isErased} from '../store/rows.ts';
import type {Admin, Job} from './admin.ts';
import {lookAtList} from './audit.ts';
import {amountsForPeople, detailsOf, type LeadDetails} from './lead-details.ts';
import {toJson, visible} from './visible.ts';
import {localTime} from './words.ts';

export const exportFormats = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Leads of one query. */
const pageLeads = 200;

const {lead: leadShape, consent: consentShape} = leadEventSchema.shape.data.shape;
const leadFields = Object.keys(leadShape.shape);
/** Without the fields that came later: programs may know a column by its number. `export --consents` has them. */
const consentFields = Object.keys(consentShape.unwrap().shape).slice(0, 9);

/** A column of a CSV, and where its values stand in a lead. */
type Column = readonly [name: string, ...path: string[]];

/** The columns that every CSV has. */
const usualColumns: readonly Column[] = [
  ...['id', 'reference', 'created_at', 'partner', 'cid'].map((name) => [name, name] as const),
  ...leadFields
    .filter((name) => !formOnlyNames.some((each) => each === name))
    .map((name) => [name, 'lead', name] as const),
  ['status', 'answer', 'status'],
  ...amountNames.map((name) => [name, 'answer', 'prequalification', name] as const),
  ['policy_version', 'answer', 'policy_version'],
  ...consentFields.map((name) => [`consent_${name}`, 'consent', name] as const),
  ...attributionKeys.map((name) => [name, 'attribution', name] as const),
  ...['suspect', 'duplicate_of', 'supersedes'].map((name) => [name, name] as const),
];

/**
 * Besides the usual columns, those of what the partners ask for and of the hidden fields that they list. A CSV begins with
 * its columns, so they cannot depend on the leads.
 */
function columnsFor({partners}: Config, {partner}: LeadFilter): readonly Column[] {
  const selected = partners.filter(({key}) => partner === undefined || key === partner);
  const listed = selected.flatMap(({contextFields}) => contextFields.map(({name}) => name));
  return [
    ...usualColumns,
    ...formOnlyNames
      .filter((name) => selected.some(({ask}) => ask.includes(name)))
      .map((name) => [name, 'lead', name] as const),
    ...[...new Set(listed)].map((name) => [`context_${name}`, 'context', name] as const),
  ];
}

/**
 * What a salesperson reads in a spreadsheet: the time is one for it, in the time zone of this machine, and the total a number,
 * as the form showed it.
 */
const salesColumns: Readonly<Record<string, (lead: LeadDetails, config: Config) => unknown>> = {
  Received: ({created_at}) => localTime(Date.parse(created_at)).slice(0, 16),
  Name: ({lead}) => `${lead.first_name} ${lead.last_name}`,
  Phone: ({lead}) => phoneCell(lead.phone, lead.phone_e164),
  Email: ({lead}) => lead.email,
  'When to call': ({lead: {call_time}}) => lookUp(formOnlyFields.call_time.inMails, call_time) ?? call_time,
  Total: (lead, config) =>
    amountsForPeople(lead, config)?.[totalAmount] ?? lead.answer?.status.replace('done', ''),
  'Credit score': ({lead}) => lead.credit_score,
  Partner: ({partner}) => partner,
  Campaign: ({attribution}) => attribution.utm_campaign,
  Reference: ({reference}) => reference,
};

/**
 * Such as `(415) 555-0132` or `(+52) 55 1234 5678`. A spreadsheet would take a number that begins with a plus for a
 * formula, or for a number without it.
 */
function phoneCell(typed: string, e164: string): string {
  const number = parsePhoneNumberFromString(e164);
  const shown = e164.startsWith('+1') ? number?.formatNational() : number?.formatInternational();
  const further = /\d+(?=\D*$)/.exec(extension.exec(typed)?.[0] ?? '');
  return `${(shown ?? e164).replace(/^\+\d+/, '($&)')}${further ? ` ext. ${further[0]}` : ''}`;
}

export const valueAt = (lead: object, path: readonly string[]) => {
  let value: unknown = lead;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value;
};

/**
 * A spreadsheet takes a cell for a formula that begins with one of these signs, some programs also after spaces, quotes
 * or control characters. An apostrophe before it makes it a text, as OWASP advises:
 * https://owasp.org/www-community/attacks/CSV_Injection. There is also one after each comma, semicolon, tab and line break
 * within the text that such a sign follows, because a program that is told to split there begins a cell there, and
 * looks for no quotes. `escape_formulas` of csv-stringify looks at the first character alone.
 */
const formula =
  /^(?=[\s\p{C}'"]*[=+\-@＝＋－＠]|[\t\r\n])|(?<=[,;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{C}'"])*[=+\-@＝＋－＠])/gu;
/** PHP's `fgetcsv` takes a quote after a backslash for a part of the text, and so misses the end of the cell. */
const beforeQuote = /\\(?="|$)/g;
export const neutralize = (text: string) => text.replace(formula, "'").replace(beforeQuote, '\\ ');

/** Most texts. All that could change such a text is missing in it, and looking for that takes most of the time of a cell. */
const plain = /^\w[\w .:@/-]*$/;

/** The text of a cell. Line breaks in it are `\n`, as Excel writes them, while the rows end with `\r\n`. */
export const toCell = (text: string) => (plain.test(text) ? text : neutralize(visible(text)));

/** RFC 4180 ends lines as Windows does. With that option alone, csv-stringify would not quote line breaks in texts. */
const csvOptions = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  cast: {string: toCell, boolean: String},
} as const;

/** @param quoted whether all texts have quotes */
export async function csvWriter(quoted = false): Promise<(rows: unknown[][]) => string> {
  // Nothing else needs this library, and it takes time to load.
  const {stringify} = await import('csv-stringify/sync');
  return (rows) => stringify(rows, {...csvOptions, quoted_string: quoted});
}

const toJsonLines = (leads: readonly LeadDetails[]) => leads.map((lead) => `${toJson(lead)}\n`).join('');

/**
 * - `excel`: whether a CSV begins with a byte order mark, by which Excel reads it as UTF-8
 * - `forSales`: whether a CSV has what a salesperson reads alone
 * - `only`: the leads to write, if they are known already
 */
export type Exportable = {
  format: ExportFormat;
  excel?: boolean;
  forSales?: boolean;
  only?: readonly ListedLead[] | undefined;
};

/** A part of the export, or a lead that it lacks. `looked`: leads that were read until now */
export type Exporting = ({text: string} | {unreadable: UnreadableLead}) & {looked: number};

/**
 * - `leads`: how many the export has
 * - `erased`, `unreadable`: how many it lacks for that reason
 * - `unlisted`: what leads have for which the CSV has no column, because programs know the columns that there are
 */
export type Exported = {leads: number; erased: number; unreadable: number; unlisted: string[]};

export async function* exportLeads(
  admin: Admin,
  filter: LeadFilter,
  {format, excel = false, forSales = false, only}: Exportable,
): Job<Exporting, Exported> {
  const {store, config} = admin;
  if (!only) await lookAtList(admin, filter);
  const toCsv = await csvWriter(forSales);
  const isCsv = format === 'csv';
  const columns = columnsFor(config, filter);
  const paths = columns.map(([, ...path]) => path);
  const hasColumn = (room: string, name: string) =>
    paths.some((path) => path[0] === room && path[1] === name);
  const unlisted = new Set<string>();
  const done = {leads: 0, erased: 0, unreadable: 0};
  const looked = () => done.leads + done.erased + done.unreadable;
  const head = forSales ? Object.keys(salesColumns) : columns.map(([name]) => name);
  if (isCsv) yield {text: `${excel || forSales ? '\uFEFF' : ''}${toCsv([head])}`, looked: 0};
  for (let after: string | undefined; ;) {
    const page = only ?? (await store.readLeads(filter, {limit: pageLeads, after}));
    const leads: LeadDetails[] = [];
    for (const lead of page) {
      const details = isErased(lead) ? undefined : detailsOf(lead);
      if (!details) done.erased += 1;
      else if ('unreadable' in details) {
        done.unreadable += 1;
        yield {unreadable: details, looked: looked()};
      } else leads.push(details);
    }
    done.leads += leads.length;
    const cellsOf = (lead: LeadDetails) =>
      forSales
        ? Object.values(salesColumns).map((valueOf) => valueOf(lead, config))
        : paths.map((path) => valueAt(lead, path));
    yield {text: isCsv ? toCsv(leads.map(cellsOf)) : toJsonLines(leads), looked: looked()};
    for (const {lead, context = {}, opt_out_signal} of isCsv && !forSales ? leads : []) {
      for (const name of Object.keys(context)) if (!hasColumn('context', name)) unlisted.add(name);
      if (opt_out_signal) unlisted.add('opt_out_signal');
      for (const name of formOnlyNames) if (lead[name] && !hasColumn('lead', name)) unlisted.add(name);
    }
    after = page.at(-1)?.id;
    if (only || page.length < pageLeads) return {...done, unlisted: [...unlisted]};
  }
}
