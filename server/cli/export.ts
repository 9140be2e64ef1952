/** Writes leads to a file or to standard output, as CSV or as JSON Lines, page by page. */
import {once} from 'node:events';
import {createWriteStream, lstatSync, openSync, renameSync, rmSync} from 'node:fs';
import {extname} from 'node:path';
import {amountNames} from '../../contract/amounts.ts';
import {attributionKeys} from '../../contract/embed.ts';
import type {AskedFieldName} from '../../contract/extra-fields.ts';
import {unreadableText} from '../admin/leads.ts';
import {toEventData} from '../destinations/webhook/event.ts';
import {leadEventSchema} from '../leads/lead-event.ts';
import type {FullLead, LeadFilter, UnreadableLead} from '../leads/lead-filter.ts';
import {reasonOf, type BesideStore} from '../leads/lead-store.ts';
import {isErased} from '../store/rows.ts';
import type {Config} from '../config/config.ts';
import {counted, leadsBar, toJson, visible, type Run} from './output.ts';

export const formats = ['csv', 'jsonl'] as const;
export type Format = (typeof formats)[number];

/** Leads of one query. */
const pageLeads = 200;

const {lead: leadShape, consent: consentShape} = leadEventSchema.shape.data.shape;
const leadFields = Object.keys(leadShape.shape);
/** Without the field that came later: programs may know a column by its number. `suspect` says the same of such a lead. */
const consentFields = Object.keys(consentShape.unwrap().shape).filter((name) => name !== 'script');

/** The field that only forms send, if the partner asks for it. */
const callTime = 'call_time' satisfies AskedFieldName;

/** A column of a CSV, and where its values stand in a lead. */
type Column = readonly [name: string, ...path: string[]];

/** The columns that every CSV has. */
const usualColumns: readonly Column[] = [
  ...['id', 'reference', 'created_at', 'partner', 'cid'].map((name) => [name, name] as const),
  ...leadFields.filter((name) => name !== callTime).map((name) => [name, 'lead', name] as const),
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
    ...(selected.some(({ask}) => ask.includes(callTime)) ? [[callTime, 'lead', callTime] as const] : []),
    ...[...new Set(listed)].map((name) => [`context_${name}`, 'context', name] as const),
  ];
}

export type Exported = ReturnType<typeof toEventData> & {cid: string};

/** A lead in the words of events, which do not have the `cid`. */
export function toExport(lead: FullLead | UnreadableLead): Exported | UnreadableLead {
  if ('unreadable' in lead) return lead;
  const {id} = lead;
  try {
    const data = {...toEventData(lead, lead.answer), cid: lead.lead.cid};
    const damaged = leadShape.safeParse(data.lead).error?.issues.find(({code}) => code === 'invalid_type');
    return damaged ? {id, unreadable: `its field ${damaged.path.join('.')} is missing or damaged`} : data;
  } catch {
    return {id, unreadable: 'it lacks a part that every lead has, or a time in it is no time'};
  }
}

/** The sentence that says which lead cannot be read, and why. */
const valueAt = (data: Exported, path: readonly string[]) => {
  let value: unknown = data;
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

const toJsonLines = (leads: readonly Exported[]) => leads.map((lead) => `${toJson(lead)}\n`).join('');

type Target = {file: string | undefined; format: Format | undefined; excel: boolean};

const formatsByEnding: Readonly<Record<string, Format>> = {
  '': 'csv',
  '.csv': 'csv',
  '.json': 'jsonl',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** Reads the leads in pages, so that a million of them need no more memory than a thousand. */
export async function exportLeads(
  {stderr, say, fail, writeUnchanged}: Run,
  store: BesideStore,
  config: Config,
  filter: LeadFilter,
  {file, format, excel}: Target,
) {
  const written = format ?? formatsByEnding[extname(file ?? '').toLowerCase()];
  if (!written) return fail(`What is to be written to ${file}? Say --format csv or --format jsonl.`);
  const isCsv = written === 'csv';
  // `leads list` does not need this library, and it takes time to load.
  const {stringify} = await import('csv-stringify/sync');
  const toCsv = (rows: unknown[][]) => stringify(rows, csvOptions);
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
    stderr.isTTY && file !== undefined ? await leadsBar(stderr, await store.countLeads(filter)) : undefined;
  const columns = columnsFor(config, filter);
  const paths = columns.map(([, ...path]) => path);
  const hasColumn = (room: string, name: string) =>
    paths.some((path) => path[0] === room && path[1] === name);
  /** What leads have that has no column in the CSV. */
  const unlisted = new Set<string>();
  let count = 0;
  let unreadable = 0;
  let erased = 0;
  try {
    if (isCsv) await out.write(`${excel ? '\uFEFF' : ''}${toCsv([columns.map(([name]) => name)])}`);
    for (let after: string | undefined; ;) {
      const page = await store.readLeads(filter, {limit: pageLeads, after});
      const leads: Exported[] = [];
      const left = page.flatMap((lead) => (isErased(lead) ? [] : [lead]));
      erased += page.length - left.length;
      for (const lead of left.map(toExport)) {
        if (!('unreadable' in lead)) leads.push(lead);
        else {
          // The bar and the lines would overwrite each other.
          bar?.stop();
          bar = undefined;
          unreadable += 1;
          fail(unreadableText(lead));
        }
      }
      await out.write(
        isCsv ? toCsv(leads.map((lead) => paths.map((path) => valueAt(lead, path)))) : toJsonLines(leads),
      );
      for (const {lead, context = {}} of isCsv ? leads : []) {
        for (const name of Object.keys(context)) if (!hasColumn('context', name)) unlisted.add(name);
        if (lead.call_time && !hasColumn('lead', callTime)) unlisted.add(callTime);
      }
      count += leads.length;
      bar?.update(count + unreadable + erased);
      after = page.at(-1)?.id;
      if (page.length < pageLeads) break;
    }
    await out.close();
  } catch (error) {
    if (file === undefined) throw error;
    rmSync(partial(file), {force: true});
    return fail(`${file} is not written: ${reasonOf(error)}`);
  } finally {
    bar?.stop();
  }
  say(
    `${file ?? 'What was written'} holds personal data in clear, for people to read: erasing a lead erases nothing of it.`,
  );
  say(`${counted(count, 'lead')}${file === undefined ? '' : ` in ${file}`}`);
  if (erased > 0) say(`${counted(erased, 'erased lead')} left out`);
  if (unlisted.size > 0)
    say(
      `The CSV lacks what no partner lists or asks for any more: ${[...unlisted].join(', ')}. --format jsonl has them.`,
    );
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
