/** The queries of the retention job, which erases leads and consents whose retention is over, for both databases. */
import {setTimeout as sleep} from 'node:timers/promises';
import {onlyForReceivers} from '../leads/deliveries.ts';
import type {ErasureStore, Retention} from '../leads/erasure.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {RowOf} from './columns.ts';
import type {Context} from './context.ts';
import {isThere, statement, type Statement} from './database.ts';
import {eraseStatements, forgetConsents, selectRows, type Erasing} from './erasure-queries.ts';
import {keyLifetime} from './new-lead.ts';
import {lockDigests} from './person-queries.ts';
import {keptLeads} from './privacy-request-queries.ts';
import {isErased, type ReadRow} from './rows.ts';
import {isOneOf} from './schema.ts';

/** The maximum number of rows that one slice reads, and of leads that it erases. */
const [rowsPerRead, sliceSize] = [500, 50];
/** The maximum number of leads that one transaction erases. It takes a few milliseconds, for which a new lead must wait on SQLite. */
const atOnce = 5;
/** The pause between two such transactions, in milliseconds, so that hardly any new lead has to wait. */
const pauseBetween = 20;

const isForReceivers = isOneOf('content', onlyForReceivers);
/** An undelivered event about a stop or an erasure does not keep the lead, because such events remain when the lead is erased. */
const isOpen = isThere(
  `deliveries WHERE deliveries.lead_id = leads.id AND settled_at IS NULL AND NOT ${isForReceivers}`,
);
const selectOpen = (ids: string) => `
  SELECT DISTINCT lead_id, destination, state FROM deliveries
  WHERE lead_id IN ${ids} AND settled_at IS NULL AND NOT ${isForReceivers}`;
/** Dropped deliveries cannot be claimed. One with a lease may be under way, so it is left to a later run. */
const dropOpen = `
  UPDATE deliveries SET state = 'dropped', settled_at = CAST($1 AS BIGINT)
  WHERE lead_id = $2 AND settled_at IS NULL AND leased_until <= $1 AND NOT ${isForReceivers}`;
/** A duplicate has the answer of its original, so the original is kept until its last duplicate is erased. */
const hasDuplicate = isThere(
  'leads AS later WHERE later.duplicate_of = leads.id AND later.erased_at IS NULL',
);
const selectOld = `
  SELECT id, partner, created_at, erased_at, ${isOpen} AS is_open, ${hasDuplicate} AS has_duplicate
  FROM leads
  WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`;
type OldRow = Pick<RowOf<'leads'>, 'id' | 'partner' | 'created_at' | 'erased_at'> & {
  is_open: number;
  has_duplicate: number;
};
const selectKept = `
  SELECT id, partner, created_at FROM sealed JOIN leads ON id = lead_id
  WHERE part = 'consent' AND lead_id > $1 ORDER BY lead_id LIMIT $2`;
type KeptRow = Pick<OldRow, 'id' | 'partner' | 'created_at'>;

type Slice = Awaited<ReturnType<ErasureStore['applyRetention']>>;

/** Erases those leads of the next rows whose retention is over. */
async function eraseExpiredLeads(
  context: Context,
  {now, keepConsent}: Pick<Erasing, 'now' | 'keepConsent'>,
  {shortest, keptFor, grace}: Omit<Retention, 'keepConsent'> & {shortest: number},
  after: string,
): Promise<Slice> {
  const {read, jsonList} = context;
  const rows = await read<OldRow>(statement(selectOld, after, firstIdAt(now - shortest), rowsPerRead));
  const byLaw = await keptLeads(context, now);
  const overFor = ({partner, created_at}: OldRow) => now - created_at - (keptFor(partner) ?? Infinity);
  const due = rows.filter((row) => {
    const isLeft = row.erased_at === null || row.is_open === 1;
    const isKept = row.has_duplicate === 1 || byLaw.has(row.id);
    return isLeft && !isKept && overFor(row) >= (row.is_open === 0 ? 0 : grace);
  });
  const taken = due.slice(0, sliceSize);
  const persons = taken.length > 0 ? await context.persons.make().catch(() => undefined) : undefined;
  let leads = 0;
  const unreadable: string[] = [];
  const gone = new Set<string>();
  for (let index = 0; index < taken.length; index += atOnce) {
    if (index > 0) await sleep(pauseBetween);
    // A legal hold or a duplicate may have been added since.
    const keptNow = await keptLeads(context, now);
    const next = taken.slice(index, index + atOnce).filter(({id}) => !keptNow.has(id));
    const ids = JSON.stringify(next.map(({id}) => id));
    // Drops their deliveries before the leads are read and erased, so that nothing of them is sent after that.
    const late = next.filter(({is_open}) => is_open === 1);
    if (late.length > 0) await context.write(...late.map(({id}) => statement(dropOpen, now, id)));
    const stillDue = `leads.id IN ${jsonList('$1')} AND ${isOpen} = 0 AND ${hasDuplicate} = 0`;
    const whole = await read<ReadRow>(statement(selectRows(stillDue), ids));
    const statements: Statement[] = [];
    for (const row of whole) {
      gone.add(row.id);
      const lead = context.opener.open(row);
      // An operator must decide, because its consent could not be kept.
      if (lead instanceof LeadUnreadable) unreadable.push(row.id);
      else if (!isErased(lead))
        statements.push(...eraseStatements(context, row, lead, {now, keepConsent, index: persons}));
    }
    if (statements.length > 0) leads += await changedRows(context, statements);
  }
  const isWhole = taken.length === due.length;
  const last = isWhole ? rows[rowsPerRead - 1] : taken.at(-1);
  const next = last ? ({of: 'leads', id: last.id} as const) : ({of: 'consents', id: ''} as const);
  for (const id of unreadable) gone.delete(id);
  const kept = rows
    .slice(0, last && rows.indexOf(last) + 1)
    .filter((row) => row.erased_at === null && overFor(row) >= 0 && !gone.has(row.id));
  const waiting = kept.filter(({is_open}) => is_open === 1).map(({id}) => id);
  const select = statement(selectOpen(jsonList('$1')), JSON.stringify(waiting));
  const open = Map.groupBy(waiting.length > 0 ? await read(select) : [], ({lead_id}) => lead_id);
  const overdue = kept.flatMap((row) => {
    const hold = byLaw.get(row.id);
    if (hold) return [{destination: '-', reason: 'lawsuit', erasedAt: hold.until}];
    const why = (open.get(row.id) ?? []).map(({destination, state}) => [String(destination), String(state)]);
    if (unreadable.includes(row.id)) why.push(['-', 'unreadable']);
    // A duplicate is stored, and so erased, up to a day after its original. Only beyond that is the original overdue.
    if (row.has_duplicate === 1 && overFor(row) >= keyLifetime) why.push(['-', 'duplicate']);
    const erasedAt = now - overFor(row) + grace;
    return why.map(([destination = '', reason = '']) => ({destination, reason, erasedAt}));
  });
  return {leads, consents: 0, unreadable, overdue, next};
}

/** Deletes those kept consents of the next rows whose time is over. */
async function eraseExpiredConsents(
  context: Context,
  {now, keepConsent}: Pick<Erasing, 'now' | 'keepConsent'>,
  after: string,
): Promise<Slice> {
  const rows = await context.read<KeptRow>(statement(selectKept, after, rowsPerRead));
  const byLaw = await keptLeads(context, now);
  const ended = rows.filter(
    ({id, partner, created_at}) => !byLaw.has(id) && !keepConsent({partner, givenAt: created_at}, now),
  );
  const taken = ended.slice(0, sliceSize);
  const statements = await forgetConsents(
    context,
    taken.map(({id}) => id),
  );
  const consents = statements.length > 0 ? await changedRows(context, statements) : 0;
  const last = taken.length === ended.length ? rows[rowsPerRead - 1] : taken.at(-1);
  return {leads: 0, consents, unreadable: [], overdue: [], next: last && {of: 'consents', id: last.id}};
}

/**
 * Runs the statements in one transaction, and counts those that return rows: the changes. Leads that another process has just
 * erased do not count.
 */
async function changedRows(context: Context, statements: readonly Statement[]): Promise<number> {
  const [, ...results] = await context.write(lockDigests(context), ...statements);
  return results.filter((rows) => rows.length > 0).length;
}

export const retentionQueries = (context: Context): Pick<ErasureStore, 'applyRetention'> => ({
  applyRetention(now, {shortest, keptFor, grace, keepConsent}, after = {of: 'leads', id: ''}) {
    const erasing = {now, keepConsent};
    if (after.of === 'leads' && shortest !== undefined)
      return eraseExpiredLeads(context, erasing, {shortest, keptFor, grace}, after.id);
    return eraseExpiredConsents(context, erasing, after.of === 'consents' ? after.id : '');
  },
});
