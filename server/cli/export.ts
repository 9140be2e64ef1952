/** Writes leads to a file or to standard output, as CSV or as JSON Lines, page by page. */
import {once} from 'node:events';
import {createWriteStream, existsSync, openSync, renameSync, rmSync} from 'node:fs';
import {extname} from 'node:path';
import {SingleBar} from 'cli-progress';
import {stringify} from 'csv-stringify/sync';
import {amountParts, totalAmount} from '../../contract/amounts.ts';
import {attributionKeys} from '../../contract/embed.ts';
import {toEventData} from '../destinations/webhook/event.ts';
import {leadEventSchema} from '../leads/lead-event.ts';
import type {FullLead, LeadFilter} from '../leads/lead-filter.ts';
import {reasonOf, type BesideStore} from '../leads/lead-store.ts';
import {counted, fail, write} from './output.ts';

export const formats = ['csv', 'jsonl'] as const;
export type Format = (typeof formats)[number];

/** Leads of one query. */
const pageLeads = 200;

const {lead: leadShape, consent: consentShape} = leadEventSchema.shape.data.shape;
const leadFields = Object.keys(leadShape.shape);
const consentFields = Object.keys(consentShape.unwrap().shape);

/** The columns of a CSV, and where their values stand in a lead. */
const columns: readonly (readonly [name: string, ...path: string[]])[] = [
  ...['id', 'reference', 'created_at', 'partner', 'cid'].map((name) => [name, name] as const),
  ...leadFields.map((name) => [name, 'lead', name] as const),
  ['status', 'answer', 'status'],
  ...[...amountParts, totalAmount].map((name) => [name, 'answer', 'prequalification', name] as const),
  ['policy_version', 'answer', 'policy_version'],
  ...consentFields.map((name) => [`consent_${name}`, 'consent', name] as const),
  ...attributionKeys.map((name) => [name, 'attribution', name] as const),
  ...['suspect', 'duplicate_of', 'supersedes'].map((name) => [name, name] as const),
];

/** A lead in the words of events, which do not have the `cid`. */
export const toExport = (lead: FullLead) => ({...toEventData(lead, lead.answer), cid: lead.lead.cid});
type Exported = ReturnType<typeof toExport>;

const valueAt = (data: Exported, path: readonly string[]) => {
  let value: unknown = data;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value;
};

/**
 * A spreadsheet takes a cell for a formula that begins with one of these signs, some programs also after spaces, quotes
 * or control characters. An apostrophe before it makes it a text, as OWASP advises:
 * https://owasp.org/www-community/attacks/CSV_Injection. `escape_formulas` of csv-stringify looks at the first
 * character alone.
 */
const formula = /^(?:[\s\p{C}'"]*[=+\-@＝＋－＠]|[\t\r\n])/u;
export const neutralize = (text: string) => (formula.test(text) ? `'${text}` : text);

/** RFC 4180 ends lines as Windows does. */
const csvOptions = {record_delimiter: 'windows', cast: {string: neutralize, boolean: String}} as const;

const toCsv = (leads: readonly Exported[]) =>
  stringify(
    leads.map((lead) => columns.map(([, ...path]) => valueAt(lead, path))),
    csvOptions,
  );
const toJsonLines = (leads: readonly Exported[]) => leads.map((lead) => `${JSON.stringify(lead)}\n`).join('');

type Target = {file: string | undefined; format: Format | undefined; excel: boolean};

const formatsByEnding: Readonly<Record<string, Format>> = {
  '': 'csv',
  '.csv': 'csv',
  '.json': 'jsonl',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** Reads the leads in pages, so that a million of them need no more memory than a thousand. */
export async function exportLeads(store: BesideStore, filter: LeadFilter, {file, format, excel}: Target) {
  const written = format ?? formatsByEnding[extname(file ?? '').toLowerCase()];
  if (!written) return fail(`What is to be written to ${file}? Say --format csv or --format jsonl.`);
  const isCsv = written === 'csv';
  if (file !== undefined && existsSync(file)) return fail(`${file} exists already.`);
  let out;
  try {
    out = file === undefined ? {write, close: () => Promise.resolve()} : openFile(file);
  } catch (error) {
    return fail(`${file} cannot be written: ${reasonOf(error)}`);
  }
  const bar =
    process.stderr.isTTY && file !== undefined ? progress(await store.countLeads(filter)) : undefined;
  let count = 0;
  try {
    if (isCsv)
      await out.write(`${excel ? '\uFEFF' : ''}${stringify([columns.map(([name]) => name)], csvOptions)}`);
    for (let after: string | undefined; ;) {
      const page = await store.readLeads(filter, {limit: pageLeads, after});
      const leads = page.map(toExport);
      await out.write(isCsv ? toCsv(leads) : toJsonLines(leads));
      count += page.length;
      bar?.update(count);
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
  console.error(`${counted(count, 'lead')}${file === undefined ? '' : ` in ${file}`}`);
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

function progress(total: number): SingleBar {
  const bar = new SingleBar({format: '{bar} {percentage} %, {value} of {total} leads, {eta_formatted} left'});
  bar.start(total, 0);
  return bar;
}
