/**
 * The queries with which operators read leads, for both databases. Lists and counts read only the index
 * `leads_overview`, which is much smaller than the table, and in the order of time.
 */
import type {
  FullLead,
  LeadCount,
  LeadFilter,
  LeadGroup,
  LeadPage,
  LeadReader,
  LeadSummary,
  UnreadableLead,
} from '../leads/lead-filter.ts';
import type {Context} from '../../contract/embed.ts';
import {createdAtOf, firstIdAt} from '../leads/lead-ids.ts';
import type {Consent} from '../leads/stored-lead.ts';
import type {Codec} from './codec.ts';
import {list, statement, type Database, type Statement} from './database.ts';
import {answerColumns, storedColumns, toStoredLead, type StoredRow} from './rows.ts';
import type {RowOf, Value} from './columns.ts';

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
 * Leads with a value of a hidden field are read from the rows of that value, which are in the order of time. SQLite reads
 * the tables of a CROSS JOIN in their order, and needs to look up each lead in the index alone.
 */
const sourceOf = ({context = {}, endOfId}: LeadFilter, {onlyIndex}: Database): Source =>
  Object.keys(context).length > 0
    ? {
        tables: `context_values AS chosen CROSS JOIN leads${onlyIndex('leads_overview')}`,
        id: 'chosen.lead_id',
      }
    : {
        tables: `leads${onlyIndex(endOfId === undefined ? 'leads_overview' : 'leads_reference')}`,
        id: 'id',
      };

function conditionsOf({partner, status, campaign, context, endOfId, since, until}: LeadFilter, id: string) {
  const conditions = createConditions();
  const {add, addPlain, parameter} = conditions;
  for (const [index, [name, value]] of Object.entries(context ?? {}).entries()) {
    const isValue = (table: string) =>
      `${table}.name = ${parameter(name)} AND ${table}.value = ${parameter(value)}`;
    addPlain(
      index === 0
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

/** A duplicate has no answer of its own, but that of the original. An operator may have deleted the original. */
const effective = (column: string) =>
  `CASE WHEN original.id IS NULL THEN leads.${column} ELSE original.${column} END AS ${column}`;
const withOriginal = 'LEFT JOIN leads AS original ON original.id = leads.duplicate_of';

const summaryColumns = [
  ...['id', 'created_at', 'partner', 'lead_type', 'utm_campaign', 'duplicate_of'].map(
    (column) => `leads.${column}`,
  ),
  effective('status'),
  effective('total_qualified_amount'),
];
type SummaryRow = Pick<
  RowOf<'leads'>,
  | 'id'
  | 'created_at'
  | 'partner'
  | 'lead_type'
  | 'utm_campaign'
  | 'duplicate_of'
  | 'status'
  | 'total_qualified_amount'
>;

const isAnswerColumn = (column: string) => answerColumns.some((name) => name === column);
const fullColumns = [
  ...storedColumns.map((column) => (isAnswerColumn(column) ? effective(column) : `leads.${column}`)),
  'leads.attribution',
  'leads.context',
  'leads.suspect',
  'leads.supersedes',
  'consent',
];
type FullRow = StoredRow &
  Pick<RowOf<'leads'>, 'attribution' | 'context' | 'suspect' | 'supersedes'> & {consent: string | null};

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

export function leadReader(database: Database, codec: Codec): LeadReader {
  const {read} = database;

  /** SQL for the ids of a page. It reads nothing but an index. */
  function pageOf(filter: LeadFilter, {limit, after}: LeadPage, order: 'ASC' | 'DESC') {
    const {tables, id} = sourceOf(filter, database);
    const conditions = conditionsOf(filter, id);
    if (after !== undefined) conditions.add(($) => `${id} ${order === 'ASC' ? '>' : '<'} ${$}`, after);
    const text = `
      SELECT ${id} AS id FROM ${tables} ${conditions.sql()}
      ORDER BY ${id} ${order} LIMIT ${conditions.parameter(limit)}`;
    return {text, values: conditions.values};
  }

  const readFull = async (ids: Statement): Promise<(FullLead | UnreadableLead)[]> => {
    const text = `
      SELECT ${list(fullColumns)}
      FROM (${ids.text}) AS page JOIN leads ON leads.id = page.id ${withOriginal}
      LEFT JOIN consents ON consents.lead_id = page.id
      ORDER BY page.id`;
    const rows = (await read({text, values: ids.values})) as FullRow[];
    return rows.map((row) => toFullLead(row, codec));
  };

  const readIds = async (text: string, id: string) =>
    (await read(statement(text, id))).map((row) => String(row['id']));

  /** The beginnings of the days in which there may be leads, and the end of the last one. */
  async function daysOf({since, until}: LeadFilter, startOfDay: (time: number) => number): Promise<number[]> {
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
  async function countGroups(filter: LeadFilter, columns: readonly GroupColumn[]): Promise<Group[]> {
    const {tables, id} = sourceOf(filter, database);
    const conditions = conditionsOf(filter, id);
    const text = `
      SELECT ${list([...columns, 'COUNT(*) AS leads', `MAX(${id}) AS newest`])}
      FROM ${tables} ${conditions.sql()}
      ${columns.length > 0 ? `GROUP BY ${list(columns)}` : ''}`;
    const rows = (await read({text, values: conditions.values})) as (Partial<Group> &
      Pick<Group, 'leads' | 'newest'>)[];
    return rows.map((row) => ({partner: null, status: null, utm_campaign: null, ...row}));
  }

  return {
    async listLeads(filter, page) {
      const {text, values} = pageOf(filter, page, 'DESC');
      const rows = await read({
        text: `
          SELECT ${list(summaryColumns)} FROM (${text}) AS page JOIN leads ON leads.id = page.id ${withOriginal}
          ORDER BY page.id DESC`,
        values,
      });
      return (rows as SummaryRow[]).map(toSummary);
    },

    readLeads: (filter, page) => readFull(pageOf(filter, page, 'ASC')),

    async countLeads(filter) {
      const [all] = await countGroups(filter, []);
      return all?.leads ?? 0;
    },

    async countLeadsBy(filter, groups, startOfDay) {
      const columns = groupColumns.filter((name) => groups.includes(groupOf[name]));
      const days = await daysOf(filter, startOfDay);
      const counts: LeadCount[] = [];
      // Each day is counted by itself, so that no read is long, and because a database groups few rows much faster.
      for (let index = 0; index < days.length - 1; index += parallelReads) {
        const some = days.slice(index, Math.min(index + parallelReads, days.length - 1));
        const counted = some.map(async (day, place) => {
          const since = Math.max(day, filter.since ?? 0);
          const until = days[index + place + 1];
          return (await countGroups({...filter, since, until}, columns)).map((group) => ({...group, day}));
        });
        for (const {utm_campaign: campaign, ...count} of (await Promise.all(counted)).flat())
          if (count.leads > 0) counts.push({...count, campaign});
      }
      return groups.includes('day') ? counts : addUp(counts);
    },

    async readLead(id) {
      const [lead] = await readFull(statement('SELECT id FROM leads WHERE id = $1', id));
      if (!lead) return undefined;
      const duplicates = await readIds('SELECT id FROM leads WHERE duplicate_of = $1 ORDER BY id', id);
      const supersededBy = await readIds('SELECT id FROM leads WHERE supersedes = $1 ORDER BY id', id);
      return {lead, duplicates, supersededBy};
    },
  };
}

function toSummary(row: SummaryRow): LeadSummary {
  return {
    id: row.id,
    createdAt: row.created_at,
    partner: row.partner,
    leadType: row.lead_type as LeadSummary['leadType'],
    status: row.status,
    total: row.total_qualified_amount,
    campaign: row.utm_campaign,
    duplicateOf: row.duplicate_of,
  };
}

function toFullLead(row: FullRow, codec: Codec): FullLead | UnreadableLead {
  try {
    return {
      ...toStoredLead(row, codec),
      consent: row.consent === null ? null : (codec.decode(row.consent, row.id) as Consent),
      attribution: row.attribution === null ? null : codec.decode(row.attribution, row.id),
      context: row.context === null ? null : (codec.decode(row.context, row.id) as Context),
      suspect: row.suspect,
      supersedes: row.supersedes,
      duplicateOf: row.duplicate_of,
    };
  } catch {
    // The error is not told, because it may quote personal data.
    return {id: row.id, unreadable: 'what the database holds of it cannot be decoded'};
  }
}

/** The counts of several days as counts of all of them. */
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
