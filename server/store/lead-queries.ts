/**
 * The queries with which operators read leads, for both databases. Lists find their leads, and counts are made, in the
 * index `leads_overview` alone, which is much smaller than the table, and in the order of time.
 */
import type {
  LeadCount,
  LeadFilter,
  LeadGroup,
  LeadPage,
  LeadReader,
  ListedLead,
} from '../leads/lead-filter.ts';
import {createdAtOf, firstIdAt} from '../leads/lead-ids.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import {list, statement, type Statement} from './database.ts';
import {isErased, joinPersonal, readColumns, type ReadRow} from './rows.ts';
import type {RowOf, Value} from './columns.ts';
import {answerOf, type Context} from './unreadable-leads.ts';

type Order = 'ASC' | 'DESC';

/** Statements that run at once, on databases that can run several. */
const parallelReads = 8;

/** Collects conditions and their parameters, numbered from $1 on. */
function createConditions() {
  const values: Value[] = [];
  const parts: string[] = [];
  const parameter = (value: Value) => `$${values.push(value)}`;
  return {
    values,
    add: (sql: (parameter: string) => string, value: Value) => void parts.push(sql(parameter(value))),
    addPlain: (sql: string) => void parts.push(sql),
    sql: () => (parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : ''),
    parameter,
  };
}

/** Where the conditions of a filter find their rows, and the column with the id of the lead. */
type Source = {tables: string; id: string};

/**
 * Leads of a person, and leads with a value of a hidden field, are read from the rows of that digest or value, which are in
 * the order of time. SQLite reads the tables of a CROSS JOIN in their order, and needs to look up each lead in the index alone.
 */
function sourceOf({context = {}, endOfId, digest}: LeadFilter, {onlyIndex}: Context): Source {
  const chosen =
    digest === undefined ? Object.keys(context).length > 0 && 'context_values' : 'person_digests';
  return chosen
    ? {tables: `${chosen} AS chosen CROSS JOIN leads${onlyIndex('leads_overview')}`, id: 'chosen.lead_id'}
    : {
        tables: `leads${onlyIndex(endOfId === undefined ? 'leads_overview' : 'leads_reference')}`,
        id: 'id',
      };
}

function conditionsOf(filter: LeadFilter, id: string) {
  const {partner, status, campaign, context, endOfId, digest, since, until} = filter;
  const conditions = createConditions();
  const {add, addPlain, parameter} = conditions;
  if (digest !== undefined) add(($) => `leads.id = chosen.lead_id AND chosen.digest = ${$}`, digest);
  for (const [index, [name, value]] of Object.entries(context ?? {}).entries()) {
    const isValue = (table: string) =>
      `${table}.name = ${parameter(name)} AND ${table}.value = ${parameter(value)}`;
    addPlain(
      index === 0 && digest === undefined
        ? `leads.id = chosen.lead_id AND ${isValue('chosen')}`
        : `EXISTS (SELECT 1 FROM context_values AS other WHERE ${isValue('other')} AND other.lead_id = ${id})`,
    );
  }
  if (partner === null) addPlain('partner IS NULL');
  else if (partner !== undefined) add(($) => `partner = ${$}`, partner);
  if (status !== undefined) add(($) => `status = ${$}`, status);
  if (campaign !== undefined) add(($) => `utm_campaign = ${$}`, campaign);
  if (endOfId !== undefined) add(($) => `substr(${id}, 27) = ${$}`, endOfId);
  if (since !== undefined) add(($) => `${id} >= ${$}`, firstIdAt(since));
  if (until !== undefined) add(($) => `${id} < ${$}`, firstIdAt(until));
  return conditions;
}

const groupColumns = ['partner', 'status', 'utm_campaign'] as const;
type GroupColumn = (typeof groupColumns)[number];
const groupOf = {partner: 'partner', status: 'state', utm_campaign: 'campaign'} as const satisfies Record<
  GroupColumn,
  LeadGroup
>;
/** A column by which leads are not counted is null. */
type Group = {[Name in GroupColumn]: RowOf<'leads'>[Name] | null} & {leads: number; newest: string};

/** Milliseconds. From midnight on, this is within the next day, also when the clocks change. */
const moreThanADay = 26 * 3_600_000;

/** SQL for the ids of a page. It reads nothing but an index. */
function pageOf(context: Context, filter: LeadFilter, {limit, after}: LeadPage, order: Order) {
  const {tables, id} = sourceOf(filter, context);
  const conditions = conditionsOf(filter, id);
  if (after !== undefined) conditions.add(($) => `${id} ${order === 'ASC' ? '>' : '<'} ${$}`, after);
  const text = `
    SELECT ${id} AS id FROM ${tables} ${conditions.sql()}
    ORDER BY ${id} ${order} LIMIT ${conditions.parameter(limit)}`;
  return {text, values: conditions.values};
}

async function readFull(context: Context, ids: Statement, order: Order): Promise<ListedLead[]> {
  const text = `
    SELECT ${readColumns} FROM (${ids.text}) AS page JOIN leads ON leads.id = page.id ${joinPersonal}
    ORDER BY page.id ${order}`;
  const rows = (await context.read({text, values: ids.values})) as ReadRow[];
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
  const found = (await read(statement(text, JSON.stringify([...new Set(ids)])))) as ReadRow[];
  return new Map(found.map((row) => [row.id, row]));
}

function toListed({opener: {open}}: Context, row: ReadRow, original: ReadRow | undefined): ListedLead {
  const lead = open(row);
  if (lead instanceof LeadUnreadable) return {id: row.id, unreadable: lead.reason};
  return isErased(lead) ? lead : {...lead, answer: answerOf(lead, original && open(original))};
}

const readIds = async ({read}: Context, text: string, id: string) =>
  (await read(statement(text, id))).map((row) => String(row['id']));

/** The beginnings of the days in which there may be leads, and the end of the last one. */
async function daysOf(
  {read}: Context,
  {since, until}: LeadFilter,
  startOfDay: (time: number) => number,
): Promise<number[]> {
  // In one SELECT, SQLite would read the whole index for the two.
  const ends = 'SELECT (SELECT MIN(id) FROM leads) AS first, (SELECT MAX(id) FROM leads) AS last';
  const [row] = await read(statement(ends));
  if (!row || row['first'] === null) return [];
  const first = Math.max(createdAtOf(String(row['first'])), since ?? 0);
  const end = Math.min(createdAtOf(String(row['last'])) + 1, until ?? Infinity);
  const days: number[] = [];
  for (let day = startOfDay(first); day < end; day = startOfDay(day + moreThanADay)) days.push(day);
  return [...days, end];
}

/** Counts the leads of a filter by some columns. */
async function countGroups(
  context: Context,
  filter: LeadFilter,
  columns: readonly GroupColumn[],
): Promise<Group[]> {
  const {tables, id} = sourceOf(filter, context);
  const conditions = conditionsOf(filter, id);
  const text = `
    SELECT ${list([...columns, 'COUNT(*) AS leads', `MAX(${id}) AS newest`])}
    FROM ${tables} ${conditions.sql()}
    ${columns.length > 0 ? `GROUP BY ${list(columns)}` : ''}`;
  const rows = (await context.read({text, values: conditions.values})) as (Partial<Group> &
    Pick<Group, 'leads' | 'newest'>)[];
  return rows.map((row) => ({partner: null, status: null, utm_campaign: null, ...row}));
}

async function countLeadsBy(
  context: Context,
  filter: LeadFilter,
  groups: readonly LeadGroup[],
  startOfDay: (time: number) => number,
): Promise<LeadCount[]> {
  const columns = groupColumns.filter((name) => groups.includes(groupOf[name]));
  const days = await daysOf(context, filter, startOfDay);
  const counts: LeadCount[] = [];
  // Each day is counted by itself, so that no read is long, and because a database groups few rows much faster.
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
    for (const {utm_campaign: campaign, ...count} of (await Promise.all(counted)).flat())
      if (count.leads > 0) counts.push({...count, campaign});
  }
  return groups.includes('day') ? counts : addUp(counts);
}

/** Adds up the counts of several days. */
function addUp(counts: readonly LeadCount[]): LeadCount[] {
  const totals = new Map<string, LeadCount>();
  for (const count of counts) {
    const key = JSON.stringify([count.partner, count.status, count.campaign]);
    const total = totals.get(key);
    if (total) {
      total.leads += count.leads;
      if (count.newest > total.newest) total.newest = count.newest;
    } else totals.set(key, {...count, day: null});
  }
  return [...totals.values()];
}

export const leadReader = (context: Context): Omit<LeadReader, 'findRecords' | 'unreadableLeads'> => ({
  listLeads: (filter, page) => readFull(context, pageOf(context, filter, page, 'DESC'), 'DESC'),

  readLeads: (filter, page) => readFull(context, pageOf(context, filter, page, 'ASC'), 'ASC'),

  async countLeads(filter) {
    const [all] = await countGroups(context, filter, []);
    return all?.leads ?? 0;
  },

  countLeadsBy: (filter, groups, startOfDay) => countLeadsBy(context, filter, groups, startOfDay),

  async consentWords(hashes) {
    const text = `SELECT text_hash, words FROM consent_words WHERE text_hash IN ${context.jsonList('$1')}`;
    const rows = (await context.read(statement(text, JSON.stringify(hashes)))) as RowOf<'consent_words'>[];
    return new Map(rows.map(({text_hash, words}) => [text_hash, words]));
  },

  async readLead(id) {
    const [lead] = await readFull(context, statement('SELECT id FROM leads WHERE id = $1', id), 'ASC');
    if (!lead) return undefined;
    const duplicates = await readIds(context, 'SELECT id FROM leads WHERE duplicate_of = $1 ORDER BY id', id);
    const supersededBy = await readIds(context, 'SELECT id FROM leads WHERE supersedes = $1 ORDER BY id', id);
    return {lead, duplicates, supersededBy};
  },
});
