/** Notes who looks at personal data, or changes it, before anything of it is shown or changed; and lists the notes. */
import {randomUUIDv7} from 'node:crypto';
import {z} from 'zod';
import type {AuditEntry, AuditStore} from '../leads/audit.ts';
import type {DeliveryFilter} from '../leads/deliveries.ts';
import type {LeadFilter} from '../leads/lead-filter.ts';
import {reasonOf} from '../leads/store-errors.ts';
import {count, isoTime, Refusal, time, type Admin} from './admin.ts';

/** Who does something, and the words of the command, such as `leads show`. */
export type Actor = {actor: string; action: string};

/** Ids of a row, at most. */
const maxIds = 50;

/** What a filter has besides is noted without its value, because that may be personal. */
const notedValues = ['partner', 'status', 'state', 'destination', 'failing', 'scope', 'erasure', 'all'];
/** The ids of the row say what these select. */
const notNoted = ['lead', 'endOfId'];

const inWords = (filter: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filter)
      .filter(([name, value]) => value !== undefined && value !== false && !notNoted.includes(name))
      .map(([name, value]: [string, unknown]) => {
        if (name === 'since' || name === 'until') return [name, isoTime(Number(value))];
        return [name, notedValues.includes(name) ? (value ?? '-') : true];
      }),
  );

/** @returns what notes all looks of a command in one row: each call adds to what the row says */
export function noting(store: Pick<AuditStore, 'noteLook'>, by: Actor): Admin['look'] {
  let row: AuditEntry = {id: randomUUIDv7(), at: Date.now(), ...by, filter: {}, leads: 0, ids: []};
  let stored = '';
  return async (filter, ids, leads = ids.length) => {
    const all = [...new Set([...row.ids, ...ids])];
    row = {
      ...row,
      filter: {...row.filter, ...inWords(filter)},
      leads: Math.max(row.leads, leads, all.length),
      ids: all.slice(0, maxIds),
    };
    const text = JSON.stringify(row);
    if (text === stored) return;
    await store.noteLook(row).catch((error: unknown) => {
      throw new Refusal(
        `It cannot be noted in the store who looks at personal data or changes it, so the command ends here: ${reasonOf(error)}. A command needs the right to SELECT, INSERT and UPDATE in the table audit.`,
      );
    });
    stored = text;
  };
}

/**
 * Notes a list that comes page by page.
 * @param page the first one
 * @param size of a full page
 * @param limit of the list
 */
export async function lookAtList(
  {store, look}: Admin,
  filter: LeadFilter,
  page: readonly {id: string}[],
  size: number,
  limit = Infinity,
): Promise<void> {
  const isAll = page.length < size || page.length >= limit;
  const leads = isAll ? page.length : Math.min(limit, await store.countLeads(filter));
  const ids = page.map(({id}) => id);
  await look(filter, ids, leads);
}

/** Notes a change of deliveries: first who changes which, then how many there were. */
export async function noteChange(
  {look}: Pick<Admin, 'look'>,
  filter: DeliveryFilter,
  change: () => Promise<number>,
): Promise<number> {
  const {lead} = filter;
  await look(filter, lead === undefined ? [] : [lead]);
  const deliveries = await change();
  if (lead === undefined) await look({}, [], deliveries);
  return deliveries;
}

/** Without personal data. `leads`: how many there were; of a change of deliveries without a lead, how many of these */
export const auditRow = z.object({
  at: time.nullable(),
  actor: z.string(),
  action: z.string(),
  filter: z.record(z.string(), z.unknown()),
  leads: count,
  ids: z.array(z.string()),
});
export type AuditRow = z.infer<typeof auditRow>;

/** Rows of one query. */
const pageRows = 1_000;

/** The newest first, page by page. @param who a part of the name, in any capitals */
export async function* listAudit(
  {store}: Pick<Admin, 'store'>,
  {who = '', ...period}: Pick<LeadFilter, 'since' | 'until'> & {who?: string | undefined},
  limit: number,
): AsyncGenerator<AuditRow[], void, undefined> {
  let left = limit;
  for (let after: string | undefined; left > 0;) {
    const page = await store.auditEntries(period, {limit: pageRows, after});
    const rows = page
      .filter(({actor}) => actor.toLowerCase().includes(who.toLowerCase()))
      .slice(0, left)
      .map(({id: _, at, ids, ...entry}) => ({at: isoTime(at), ...entry, ids: [...ids]}));
    yield rows;
    left -= rows.length;
    after = page.at(-1)?.id;
    if (page.length < pageRows) break;
  }
}
