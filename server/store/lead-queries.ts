/**
 * The queries with which operators read leads, for both databases. Lists and counts only search the index `leads_overview`, which
 * is much smaller than the table and sorted by time.
 */
import type {
  LeadCount,
  LeadFilter,
  LeadGroup,
  LeadOutline,
  LeadPage,
  LeadReader,
  ListedLead,
} from '../leads/lead-filter.ts';
import {createdAtOf, firstIdAt} from '../leads/lead-ids.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {Context} from './context.ts';
import {isThere, list, statement, type Statement} from './database.ts';
import {isErased, joinPersonal, readColumns, type ReadRow} from './rows.ts';
import type {RowOf, Value} from './columns.ts';
import type {Outcome} from '../leads/outcomes.ts';
import {startOfDay} from '../versions/request-counts.ts';
import {answerOf} from './unreadable-leads.ts';
import {newestOutcome} from './outcome-queries.ts';

type Order = 'ASC' | 'DESC';

/** How many statements run in parallel, where the database can. */
const parallelReads = 8;

/** Collects conditions, and their parameters, numbered from $1 on. */
function createConditions() {
  const values: Value[] = [];
  const parts: string[] = [];
  return {
    values,
    add: (sql: string) => void parts.push(sql),
    sql: () => (parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : ''),
    parameter: (value: Value) => `$${values.push(value)}`,
  };
}

/** `id`: only this lead. `ids`: only these. */
type Filter = LeadFilter & {id?: string | undefined; ids?: readonly string[] | undefined};
/** The tables that a filter searches, and the column with the id of the lead. */
type Source = {
  chosen?: 'person_digests' | 'deliveries' | 'context_values' | 'outcomes';
  tables: string;
  id: string;
};

/**
 * A search by person, open delivery, hidden field or outcome starts from the table of those, whose rows are sorted by time. SQLite reads the tables of a CROSS JOIN in the given order, and then looks up each lead in the index alone.
 */
function sourceOf(
  {context = {}, endOfId, digest, open, outcome = 'none', actor}: LeadFilter,
  {onlyIndex}: Context,
): Source {
  const joined = (chosen: NonNullable<Source['chosen']>): Source => ({
    chosen,
    tables: `${chosen} AS chosen CROSS JOIN leads${onlyIndex('leads_overview')}`,
    id: 'chosen.lead_id',
  });
  if (digest !== undefined) return joined('person_digests');
  if (open !== undefined && endOfId === undefined)
    return {chosen: 'deliveries', tables: 'deliveries AS chosen', id: 'chosen.lead_id'};
  if (Object.keys(context).length > 0) return joined('context_values');
  if (endOfId === undefined && (outcome !== 'none' || actor !== undefined)) return joined('outcomes');
  return {
    tables: `leads${onlyIndex(endOfId === undefined ? 'leads_overview' : 'leads_reference')}`,
    id: 'id',
  };
}

/** Repeats the condition of the index with these deliveries, so that it is used. The index is sorted by time. */
const isOpen = (table: string, open: NonNullable<LeadFilter['open']>) =>
  `${table}.settled_at IS NULL${open === 'held' ? ` AND ${table}.state <> 'waiting' AND ${table}.state = 'held'` : ''}`;

function conditionsOf(filter: Filter, {chosen, id}: Source, {onlyIndex, jsonList}: Context) {
  const {partner, status, campaign, context, endOfId, open, digest, outcome, actor, since, until} = filter;
  const conditions = createConditions();
  const {add, parameter} = conditions;
  if (chosen && chosen !== 'deliveries') add('leads.id = chosen.lead_id');
  if (digest !== undefined) add(`chosen.digest = ${parameter(digest)}`);
  if (open !== undefined)
    add(
      chosen === 'deliveries'
        ? isOpen('chosen', open)
        : `EXISTS (SELECT 1 FROM deliveries AS other WHERE other.lead_id = ${id} AND ${isOpen('other', open)})`,
    );
  for (const [index, [name, value]] of Object.entries(context ?? {}).entries()) {
    const isValue = (table: string) =>
      `${table}.name = ${parameter(name)} AND ${table}.value = ${parameter(value)}`;
    add(
      index === 0 && chosen === 'context_values'
        ? isValue('chosen')
        : `EXISTS (SELECT 1 FROM context_values AS other WHERE ${isValue('other')} AND other.lead_id = ${id})`,
    );
  }
  const lead = chosen ? id : 'leads.id';
  if (chosen === 'outcomes') add(`chosen.id = ${newestOutcome('id', lead)}`);
  const saidOf = (column: 'outcome' | 'actor') =>
    chosen === 'outcomes' ? `chosen.${column}` : newestOutcome(column, lead);
  if (outcome === 'none') add(`${newestOutcome('id', lead)} IS NULL`);
  else if (outcome !== undefined) add(`${saidOf('outcome')} = ${parameter(outcome)}`);
  if (actor !== undefined) add(`${saidOf('actor')} = ${parameter(actor)}`);
  const ofLead: string[] = [];
  if (partner === null) ofLead.push('partner IS NULL');
  else if (partner !== undefined) ofLead.push(`partner = ${parameter(partner)}`);
  if (status !== undefined) ofLead.push(`status = ${parameter(status)}`);
  if (campaign !== undefined) ofLead.push(`utm_campaign = ${parameter(campaign)}`);
  // A subquery, because for a join, PostgreSQL might read all leads from the newest on until it finds some with open deliveries.
  const ofOpen = `leads${onlyIndex('leads_overview')} WHERE ${['leads.id = chosen.lead_id', ...ofLead].join(' AND ')}`;
  if (chosen !== 'deliveries') ofLead.forEach(add);
  else if (ofLead.length > 0) add(`${isThere(ofOpen)} = 1`);
  if (filter.id !== undefined) add(`${id} = ${parameter(filter.id)}`);
  if (filter.ids) add(`${id} IN ${jsonList(parameter(JSON.stringify(filter.ids)))}`);
  if (endOfId !== undefined) add(`substr(${id}, 27) = ${parameter(endOfId)}`);
  if (since !== undefined) add(`${id} >= ${parameter(firstIdAt(since))}`);
  if (until !== undefined) add(`${id} < ${parameter(firstIdAt(until))}`);
  return conditions;
}

const groupColumns = ['partner', 'status', 'utm_campaign', 'newest_outcome'] as const;
type GroupColumn = (typeof groupColumns)[number];
const groupOf = {
  partner: 'partner',
  status: 'state',
  utm_campaign: 'campaign',
  newest_outcome: 'outcome',
} as const satisfies Record<GroupColumn, LeadGroup>;
/** The count of a group of leads. Columns that do not group are null. */
type Group = {[Name in Exclude<GroupColumn, 'newest_outcome'>]: RowOf<'leads'>[Name] | null} & {
  newest_outcome: Outcome | null;
  leads: number;
  newest: string;
};

/** Milliseconds that lead from one midnight into the next day, even when the clocks change. */
const moreThanADay = 26 * 3_600_000;

/** Needed because a lead may have several open deliveries. */
const distinct = ({chosen}: Source) => (chosen === 'deliveries' ? 'DISTINCT ' : '');

/** SQL for the ids of a page. It only reads an index. */
function pageOf(context: Context, filter: Filter, {limit, after}: LeadPage, order: Order) {
  const source = sourceOf(filter, context);
  const {tables, id} = source;
  const conditions = conditionsOf(filter, source, context);
  if (after !== undefined)
    conditions.add(`${id} ${order === 'ASC' ? '>' : '<'} ${conditions.parameter(after)}`);
  const text = `
    SELECT ${distinct(source)}${id} AS id FROM ${tables} ${conditions.sql()}
    ORDER BY ${id} ${order} LIMIT ${conditions.parameter(limit)}`;
  return {text, values: conditions.values};
}

async function readFull(context: Context, ids: Statement, order: Order): Promise<ListedLead[]> {
  const text = `
    SELECT ${readColumns} FROM (${ids.text}) AS page JOIN leads ON leads.id = page.id ${joinPersonal}
    ORDER BY page.id ${order}`;
  const rows = await context.read<ReadRow>({text, values: ids.values});
  const originals = await originalsOf(context, rows);
  return rows.map((row) =>
    toListed(context, row, row.duplicate_of === null ? undefined : originals.get(row.duplicate_of)),
  );
}

async function originalsOf(
  {read, jsonList}: Context,
  rows: readonly ReadRow[],
): Promise<ReadonlyMap<string, ReadRow>> {
  const ids = rows.flatMap(({duplicate_of}) => duplicate_of ?? []);
  if (ids.length === 0) return new Map();
  const text = `
    SELECT ${readColumns} FROM ${jsonList('$1')} AS listed JOIN leads ON leads.id = listed.value ${joinPersonal}`;
  const found = await read<ReadRow>(statement(text, JSON.stringify([...new Set(ids)])));
  return new Map(found.map((row) => [row.id, row]));
}

function toListed({opener: {open}}: Context, row: ReadRow, original: ReadRow | undefined): ListedLead {
  const lead = open(row);
  if (lead instanceof LeadUnreadable) return {id: row.id, unreadable: lead.reason};
  return isErased(lead) ? lead : {...lead, answer: answerOf(lead, original && open(original))};
}

const readIds = async ({read}: Context, column: 'duplicate_of' | 'supersedes', id: string) =>
  (await read<{id: string}>(statement(`SELECT id FROM leads WHERE ${column} = $1 ORDER BY id`, id))).map(
    (row) => row.id,
  );

/** The start of each day that may have leads, and then the end of the last day. */
async function daysOf(
  {read}: Context,
  {since, until}: LeadFilter,
  startOfDay: (time: number) => number,
): Promise<number[]> {
  // Two subqueries: with MIN and MAX in one SELECT, SQLite would read the whole index.
  const ends = 'SELECT (SELECT MIN(id) FROM leads) AS first, (SELECT MAX(id) FROM leads) AS last';
  const [row] = await read(statement(ends));
  if (!row || row['first'] === null) return [];
  const first = Math.max(createdAtOf(String(row['first'])), since ?? 0);
  const lastEnd = Math.min(createdAtOf(String(row['last'])) + 1, until ?? Infinity);
  const days: number[] = [];
  for (let day = startOfDay(first); day < lastEnd; day = startOfDay(day + moreThanADay)) days.push(day);
  return [...days, lastEnd];
}

const selected = (column: GroupColumn) =>
  column === 'newest_outcome' ? `${newestOutcome('outcome', 'leads.id')} AS newest_outcome` : column;

/** Counts the leads of a filter by some columns. */
async function countGroups(
  context: Context,
  filter: Filter,
  columns: readonly GroupColumn[],
): Promise<Group[]> {
  const source = sourceOf(filter, context);
  const {chosen, tables, id} = source;
  const conditions = conditionsOf(filter, source, context);
  const rowsFound = `FROM ${tables} ${conditions.sql()}`;
  const found =
    chosen === 'deliveries'
      ? `FROM (SELECT DISTINCT ${id} AS id ${rowsFound}) AS page JOIN leads ON leads.id = page.id`
      : rowsFound;
  const text = `
    SELECT ${list([...columns.map(selected), 'COUNT(*) AS leads', 'MAX(leads.id) AS newest'])} ${found}
    ${columns.length > 0 ? `GROUP BY ${list(columns)}` : ''}`;
  type Counted = Partial<Group> & Pick<Group, 'leads' | 'newest'>;
  const rows = await context.read<Counted>({text, values: conditions.values});
  return rows.map((row) => ({partner: null, status: null, utm_campaign: null, newest_outcome: null, ...row}));
}

async function countLeadsBy(
  context: Context,
  filter: Filter,
  groups: readonly LeadGroup[],
  startOfDay: (time: number) => number,
): Promise<LeadCount[]> {
  const columns = groupColumns.filter((name) => groups.includes(groupOf[name]));
  const days = await daysOf(context, filter, startOfDay);
  const counts: LeadCount[] = [];
  // Counts each day separately, so that no read is long, and because databases group few rows much faster.
  for (let index = 0; index < days.length - 1; index += parallelReads) {
    const some = days.slice(index, Math.min(index + parallelReads, days.length - 1));
    const counted = some.map(async (day, place) => {
      const since = Math.max(day, filter.since ?? 0);
      const until = days[index + place + 1];
      return (await countGroups(context, {...filter, since, until}, columns)).map((group) => ({
        ...group,
        day,
      }));
    });
    for (const {utm_campaign: campaign, newest_outcome: outcome, ...count} of (
      await Promise.all(counted)
    ).flat())
      if (count.leads > 0) counts.push({...count, campaign, outcome});
  }
  return groups.includes('day') ? counts : addUp(counts.map((count) => ({...count, day: null})));
}

/** Adds up the counts of the same groups. */
export function addUp(counts: readonly LeadCount[]): LeadCount[] {
  const totals = new Map<string, LeadCount>();
  for (const {leads, newest, ...group} of counts) {
    const key = JSON.stringify(group);
    const total = totals.get(key);
    if (total) {
      total.leads += leads;
      if (newest > total.newest) total.newest = newest;
    } else totals.set(key, {...group, leads, newest});
  }
  return [...totals.values()];
}

function listOutlines(context: Context, filter: Filter, page: LeadPage): Promise<LeadOutline[]> {
  const ids = pageOf(context, filter, page, 'DESC');
  const text = `
    SELECT leads.id, created_at AS "createdAt", partner, status, utm_campaign AS campaign, erased_at AS "erasedAt",
      revoked_at AS "revokedAt", suppressed_at AS "suppressedAt", supersedes
    FROM (${ids.text}) AS page JOIN leads ON leads.id = page.id ORDER BY page.id DESC`;
  return context.read({text, values: ids.values});
}

/** No query knows the answers of a filter: `withAnswers` adds them. */
export type LeadQueries = Omit<LeadReader, 'findRecords' | 'unreadableLeads' | 'countLeadsBy'> & {
  countLeadsBy(filter: Filter, ...how: CountingBy): Promise<LeadCount[]>;
};
type CountingBy = Parameters<LeadReader['countLeadsBy']> extends [unknown, ...infer Rest] ? Rest : never;

export const leadReader = (context: Context): LeadQueries => ({
  listLeads: (filter, page) => readFull(context, pageOf(context, filter, page, 'DESC'), 'DESC'),

  readLeads: (filter, page) => readFull(context, pageOf(context, filter, page, 'ASC'), 'ASC'),

  listOutlines: (filter, page) => listOutlines(context, filter, page),

  async countLeads(filter) {
    // The newest outcome is looked up lead by lead, which takes seconds for a million leads: too long for one read.
    const isLong = filter.outcome !== undefined || filter.actor !== undefined;
    const [all] = isLong
      ? await countLeadsBy(context, filter, [], startOfDay)
      : await countGroups(context, filter, []);
    return all?.leads ?? 0;
  },

  countLeadsBy: (filter, groups, startOfDay) => countLeadsBy(context, filter, groups, startOfDay),

  async consentWords(hashes) {
    const text = `
      SELECT value, words FROM ${context.jsonList('$1')} AS listed
      JOIN consent_words ON text_hash >= value AND text_hash < value || 'g'`;
    const rows = await context.read<{value: string; words: string}>(statement(text, JSON.stringify(hashes)));
    return new Map(rows.map(({value, words}) => [value, words]));
  },

  async corrections(ids) {
    const text = `
      SELECT supersedes, MAX(id) AS id FROM leads
      WHERE supersedes IN ${context.jsonList('$1')} AND supersedes IS NOT NULL GROUP BY supersedes`;
    const rows = await context.read(statement(text, JSON.stringify(ids)));
    return new Map(rows.map((row) => [String(row['supersedes']), String(row['id'])]));
  },

  async readLead(id) {
    const [lead] = await readFull(context, statement('SELECT id FROM leads WHERE id = $1', id), 'ASC');
    if (!lead) return undefined;
    const duplicates = await readIds(context, 'duplicate_of', id);
    return {lead, duplicates, supersededBy: await readIds(context, 'supersedes', id)};
  },
});
