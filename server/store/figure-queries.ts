/** The queries for statistics, for both databases. All of them read an index, in the order of time. */
import {dayLength} from '../config/timings.ts';
import {onlyForReceivers} from '../leads/deliveries.ts';
import type {FigureStore, LeadDay} from '../leads/figures.ts';
import {createdAtOf, firstIdAt} from '../leads/lead-ids.ts';
import {startOfDay} from '../versions/request-counts.ts';
import type {Context} from './context.ts';
import {statement} from './database.ts';
import {isOneOf} from './schema.ts';

/**
 * Milliseconds after the end of a day until its count is stored for good. A lead's id is made a little before its commit, so some
 * may still be missing before that.
 */
const closedAfter = 3_600_000;
/** How many days are counted in parallel, where the database can, and stored by one statement. */
const daysAtOnce = 8;
/** Milliseconds after which a delivery counts as late. */
const lateAfter = 60_000;

/**
 * A row of `lead_days` as one text, so that several rows fit into one parameter: numbers and id have fixed widths, and the
 * partner is the rest. A counted day always has a row for callers, even without leads, so that it is not counted again.
 */
const toText = ({day, leads, newest, partner}: LeadDay) =>
  [String(day).padStart(15, '0'), String(leads).padStart(15, '0'), newest.padEnd(36), partner ?? ''].join('');
// Without WHERE, SQLite would parse ON CONFLICT as the condition of a JOIN.
const storeText = (jsonList: Context['jsonList']) => `
  INSERT INTO lead_days (day, leads, newest, partner)
  SELECT CAST(substr(value, 1, 15) AS BIGINT), CAST(substr(value, 16, 15) AS BIGINT), substr(value, 31, 36),
    substr(value, 67)
  FROM ${jsonList('$1')} AS listed WHERE value <> '' ON CONFLICT (day, partner) DO NOTHING`;

type DayRow = Omit<LeadDay, 'partner'> & {partner: string};
const toDay = ({partner, ...row}: DayRow): LeadDay => ({...row, partner: partner || null});

function dayCounter(context: Context): FigureStore['leadDays'] {
  const {read, write, writeAside = write, jsonList, onlyIndex} = context;
  const countText = `
    SELECT partner, COUNT(*) AS leads, MAX(id) AS newest FROM leads${onlyIndex('leads_overview')}
    WHERE id >= $1 AND id < $2 GROUP BY partner`;

  async function countDay(day: number): Promise<LeadDay[]> {
    const rows = await read(statement(countText, firstIdAt(day), firstIdAt(day + dayLength)));
    return (rows as Omit<LeadDay, 'day'>[]).map((row) => ({day, ...row}));
  }

  /** Counts past days and stores the counts. A failure to store them is ignored: a database user may only have the right to read. */
  async function countClosed(days: readonly number[]): Promise<LeadDay[]> {
    const all: LeadDay[] = [];
    for (let index = 0; index < days.length; index += daysAtOnce) {
      const some = days.slice(index, index + daysAtOnce);
      const counted = (await Promise.all(some.map(countDay))).flat();
      const none = some
        .filter((day) => !counted.some((row) => row.day === day && row.partner === null))
        .map((day): LeadDay => ({day, partner: null, leads: 0, newest: ''}));
      // Sorted, so that two processes cannot deadlock.
      const rows = [...counted, ...none].map(toText).sort();
      await writeAside(statement(storeText(jsonList), JSON.stringify(rows))).catch(() => undefined);
      all.push(...counted);
    }
    return all;
  }

  return async (since, now) => {
    const [first] = await read(statement('SELECT MIN(id) AS id FROM leads'));
    if (!first || first['id'] === null) return [];
    const begin = startOfDay(Math.max(since, createdAtOf(String(first['id']))));
    const open = startOfDay(now - closedAfter);
    const text = 'SELECT day, partner, leads, newest FROM lead_days WHERE day >= $1 AND day < $2';
    const stored = await read<DayRow>(statement(text, begin, open));
    const known = new Set(stored.map(({day}) => day));
    const closed: number[] = [];
    for (let day = begin; day < open; day += dayLength) if (!known.has(day)) closed.push(day);
    const days = [...stored.map(toDay), ...(await countClosed(closed))];
    for (let day = Math.max(begin, open); day <= now; day += dayLength) days.push(...(await countDay(day)));
    return days.filter(({leads}) => leads > 0).sort((one, other) => one.day - other.day);
  };
}

/** SQL for deliveries that wait for an operator. Its conditions are those of the index `deliveries_stopped`. */
const stopped = (states: string) =>
  `FROM deliveries WHERE settled_at IS NULL AND state <> 'waiting' AND state ${states}`;
const stoppedText = `
  SELECT (SELECT COUNT(DISTINCT lead_id) ${stopped("= 'held'")}) AS held,
    (SELECT MIN(lead_id) ${stopped("= 'held'")}) AS "oldestHeld",
    (SELECT COUNT(DISTINCT lead_id) ${stopped("IN ('refused', 'failed')")}) AS stopped`;

const suspectsText = `
  SELECT COUNT(DISTINCT lead_id) AS leads, MIN(lead_id) AS oldest ${stopped("= 'held'")} AND reason = 'suspect'`;
const heldText = `
  SELECT destination, COUNT(*) AS deliveries ${stopped("= 'held'")} AND reason IN ('suspect', 'suppressed')
  GROUP BY destination`;

export function figureQueries(context: Context): FigureStore {
  const {read, readMany, readOne, jsonList, onlyIndex} = context;
  // The last condition tells PostgreSQL how few leads all spans have together. Its form keeps SQLite from using it to search the
  // index, which would read all leads from there on for each span.
  const spansText = `
    SELECT listed.value AS span, partner, COUNT(*) AS leads
    FROM ${jsonList('$1')} AS listed CROSS JOIN leads${onlyIndex('leads_overview')}
    WHERE id >= substr(listed.value, 1, 13) AND id < substr(listed.value, 14) AND NOT (id < $2 OR id >= $3)
    GROUP BY listed.value, partner`;
  return {
    leadDays: dayCounter(context),

    async countSpans(spans) {
      // Each span is one text, so that one parameter has all of them. Both ends have 13 characters.
      const texts = spans.map(({since, until}) => firstIdAt(since) + firstIdAt(until));
      const first = firstIdAt(Math.min(...spans.map(({since}) => since)));
      const lastId = firstIdAt(Math.max(...spans.map(({until}) => until)));
      const rows = await read(statement(spansText, JSON.stringify([...new Set(texts)]), first, lastId));
      const counts = Map.groupBy(
        rows as {span: string; partner: string | null; leads: number}[],
        ({span}) => span,
      );
      return texts.map((text) => (counts.get(text) ?? []).map(({partner, leads}) => ({partner, leads})));
    },

    openDeliveriesOf(leads) {
      const text = `
        SELECT lead_id AS lead, destination, content, state, reason FROM deliveries
        WHERE lead_id IN ${jsonList('$1')} AND settled_at IS NULL ORDER BY lead_id, destination, content`;
      return read(statement(text, JSON.stringify(leads)));
    },

    async countStopped() {
      const [row] = await read<Awaited<ReturnType<FigureStore['countStopped']>>>(statement(stoppedText));
      return row!;
    },

    async countHeld() {
      type Held = Awaited<ReturnType<FigureStore['countHeld']>>;
      const [suspects] = await read<Omit<Held, 'deliveries'>>(statement(suspectsText));
      return {...suspects!, deliveries: await read(statement(heldText))};
    },

    countUntaken(since, partners, cids) {
      const text = `
        SELECT partner, COUNT(*) AS leads, MAX(id) AS newest FROM (
          SELECT id, partner FROM leads
          WHERE id >= $1 AND duplicate_of IS NULL AND erased_at IS NULL AND suppressed_at IS NULL
            AND (partner IN ${jsonList('$2')} OR (partner IS NULL AND cid IN ${jsonList('$3')}))
            AND NOT EXISTS (SELECT 1 FROM deliveries WHERE lead_id = leads.id AND content <> 'confirmation')
            AND NOT EXISTS (SELECT 1 FROM open_routes WHERE lead_id = leads.id)
          ORDER BY id DESC LIMIT 1000) AS untaken
        GROUP BY partner`;
      return read(statement(text, firstIdAt(since), JSON.stringify(partners), JSON.stringify(cids)));
    },

    unheard() {
      const text = `
        SELECT destination, content, address, COUNT(*) AS leads, MIN(happened_at) AS since,
          MAX(next_attempt_at) AS "latestAttempt"
        FROM deliveries${onlyIndex('deliveries_stops')}
        WHERE settled_at IS NULL AND ${isOneOf('content', onlyForReceivers)}
        GROUP BY destination, content, address ORDER BY destination`;
      return readMany(statement(text));
    },

    deliveryCells(since, width) {
      const text = `
        SELECT destination, happened_at / CAST($2 AS BIGINT) AS cell, CASE WHEN settled_at IS NULL THEN 'open'
          WHEN settled_at - happened_at > ${lateAfter} THEN 'late' ELSE 'in-time' END AS kind, COUNT(*) AS deliveries
        FROM deliveries WHERE lead_id >= $1 AND (settled_at IS NULL OR state = 'delivered') GROUP BY 1, 2, 3`;
      return read(statement(text, firstIdAt(since), width));
    },

    async sliceEnd(before, leads) {
      const text = `
        SELECT id FROM leads${onlyIndex('leads_overview')} WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2`;
      const row = await readOne(statement(text, before ?? firstIdAt(Infinity), leads - 1));
      return row && createdAtOf(String(row['id']));
    },
  };
}
