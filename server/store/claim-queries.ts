/**
 * The queries that find and claim deliveries that are due, for both databases.
 *
 * Before a process works on a delivery, it takes a lease. A lease is identified by the time at which it ends, which is
 * different for each lease of a delivery. Only the process with the lease may postpone the delivery or mark it as
 * refused; the same query from another process changes nothing. But any process may report that the destination has the
 * lead, however late, and the first report counts. A report ends the lease of its own process, and no other
 * (settlement-queries.ts).
 *
 * If a lease ends without a report, its process has died or lost the database, and may have sent the lead. So no commit
 * is needed right before a lead is sent: the lease itself records that it may be sent. `isUnderWay` reads that.
 */
import {
  onlyForReceivers,
  type Claim,
  type Delivered,
  type DeliveryContent,
  type DeliveryState,
  type DueDelivery,
  type UnusedLease,
} from '../leads/deliveries.ts';
import type {LeadReader} from '../leads/lead-filter.ts';
import {newestOf, type OutcomeEntry, type OutcomeReader} from '../leads/outcomes.ts';
import type {OutboxPort} from '../leads/ports.ts';
import {createBatcher} from './batcher.ts';
import type {Context} from './context.ts';
import {isThere, statement, type Database, type Statement} from './database.ts';
import {isErased} from './rows.ts';
import {isNotForReceivers} from './erasure-queries.ts';
import {isOneOf} from './schema.ts';
import {endUnsent, toRecipients} from './settlement-queries.ts';

/** A row that the statement which claims deliveries returns. */
type ClaimedRow = Omit<DueDelivery, 'lead' | 'destination' | 'recipients' | 'leaseEnd'> & {
  lead: string;
  state: DeliveryState;
  recipients: string | null;
};

/** Milliseconds until a lead that cannot be read is tried again. An operator may have to restore a data key. */
const unreadableWait = 900_000;

/**
 * SQL that is 1 while a process may be sending the lead or an event of it, and 0 otherwise. Every lease that has not ended
 * counts, whichever process has it. The event that tells of an erasure, or of a revoked consent, must wait for 0, because
 * nobody may get the lead after it.
 */
const isUnderWay = isThere(`deliveries AS sent
    WHERE sent.lead_id = deliveries.lead_id AND ${isNotForReceivers('sent')} AND sent.leased_until > $3`);

/**
 * The SQL of `claimDue`. `lost` is 1 if a lease of the delivery ended without a report and no remote id is stored, so
 * that it is unknown whether the destination has the lead. After $1 such attempts, the delivery is held.
 */
const claimSql = (skipLocked: string, [index, more]: readonly [index: string, more: string] = ['', '']) => `
  WITH due AS MATERIALIZED (
    SELECT due_id, due_content, lost,
      CASE WHEN NOT ${isOneOf('due_content', onlyForReceivers)} AND lost = 1 AND sends + 1 >= CAST($1 AS BIGINT) THEN 'held' ELSE 'waiting' END AS state_now FROM (
      SELECT lead_id AS due_id, content AS due_content, ambiguous_counted AS sends,
        CASE WHEN leased_until > 0 AND leads.id IS NOT NULL AND remote_id IS NULL THEN 1 ELSE 0 END AS lost
      FROM deliveries${index} LEFT JOIN leads ON leads.id = lead_id
      WHERE destination = $2 AND state = 'waiting' AND next_attempt_at <= $3
        ${more}
        AND CASE WHEN ${isNotForReceivers('deliveries')} THEN 0 ELSE ${isUnderWay} END = 0
      ORDER BY next_attempt_at LIMIT $4 ${skipLocked}) AS found)
  UPDATE deliveries SET
    state = state_now,
    next_attempt_at = CAST($5 AS BIGINT),
    leased_until = CASE state_now WHEN 'held' THEN 0 ELSE CAST($6 AS BIGINT) END,
    attempts = attempts + lost,
    ambiguous = ambiguous + lost,
    ambiguous_counted = ambiguous_counted + lost,
    last_error = CASE lost WHEN 1 THEN 'The process that claimed this delivery ended, and may have sent the lead' ELSE last_error END,
    reason = CASE lost WHEN 1 THEN NULL ELSE reason END
  FROM due WHERE lead_id = due_id AND content = due_content AND destination = $2
  RETURNING lead_id AS lead, content, state, attempts, ambiguous_counted AS "ambiguousCounted",
    remote_id AS "remoteId", happened_at AS "happenedAt", failing_since AS "failingSince", recipients, address`;

/** A loose index scan: looks up the next destination in the index each time, instead of reading all waiting deliveries. */
const selectDestinations = `
  WITH RECURSIVE found(destination) AS (
    SELECT MIN(destination) FROM deliveries WHERE state = 'waiting'
    UNION ALL
    SELECT (SELECT MIN(destination) FROM deliveries WHERE state = 'waiting' AND destination > found.destination)
    FROM found WHERE destination IS NOT NULL)
  SELECT destination FROM found WHERE destination IS NOT NULL`;

/** The statements that end leases which this process took and did not use. */
function endUnused(
  destination: string,
  now: number,
  unused: readonly UnusedLease[],
  jsonList: Database['jsonList'],
): Statement[] {
  const set = `
    UPDATE deliveries SET leased_until = 0, next_attempt_at = $1
    WHERE destination = $2 AND state = 'waiting' AND leased_until > 0`;
  const times = `(SELECT CAST(value AS BIGINT) FROM ${jsonList('$4')} AS listed)`;
  const ofLeads = unused.flatMap((lease) => ('lead' in lease ? [lease] : []));
  const ofClaims = unused.flatMap((lease) => ('dueAgain' in lease ? [lease] : []));
  const statements: Statement[] = [];
  if (ofLeads.length > 0) {
    const text = `${set} AND lead_id IN ${jsonList('$3')} AND leased_until IN ${times}`;
    const leads = JSON.stringify(ofLeads.map(({lead}) => lead));
    const ends = JSON.stringify(ofLeads.map(({leaseEnd}) => String(leaseEnd)));
    statements.push(statement(text, now, destination, leads, ends));
  }
  for (const {leaseEnd, dueAgain} of ofClaims) {
    const text = `${set} AND next_attempt_at = $3 AND leased_until = $4`;
    statements.push(statement(text, now, destination, dueAgain, leaseEnd));
  }
  return statements;
}

/** The index with only the events of stops and erasures, and SQL that is true for these events. */
const amongText = ({onlyIndex}: Pick<Database, 'onlyIndex'>) =>
  [
    onlyIndex('deliveries_stops'),
    `AND settled_at IS NULL AND ${isOneOf('content', onlyForReceivers)}`,
  ] as const;

type Found = ReturnType<Awaited<ReturnType<LeadReader['findRecords']>>['get']>;

/**
 * Decides what becomes of a claimed delivery. Dropped: the lead was erased or its consent revoked. Held: the lead is held because
 * of its number, whoever made it due; its confirmation only if the mailbox said stop, too (`isHeldWith`). An unreadable lead is
 * retried, except for events that need only the ids. Outcomes of calls are also told after a stop.
 * @param outcomes of the lead, up to the one that the delivery is about
 */
function whatItTakes(
  content: DeliveryContent,
  record: NonNullable<Found>,
  outcomes: readonly OutcomeEntry[],
): Delivered | 'dropped' | 'held' | 'unreadable' {
  if (content === 'revoked') {
    // In a damaged row, the number may be missing.
    const contact = 'lead' in record && record.lead.phone ? record.lead : undefined;
    return record.revoked ? {lead: {...record, revoked: record.revoked}, content, contact} : 'dropped';
  }
  if ('unreadable' in record) return 'unreadable';
  if (isErased(record)) return content === 'erased' ? {lead: record, content} : 'dropped';
  if (content === 'outcome') return {lead: record, content, outcome: newestOf(outcomes)};
  if (content === 'erased' || record.revoked) return 'dropped';
  const {isSuppressed, mailboxStoppedAt} = record;
  const isHeld = isSuppressed && (content !== 'confirmation' || mailboxStoppedAt !== undefined);
  return isHeld ? 'held' : {lead: record, content};
}

const hasAmong = ([index, more]: ReturnType<typeof amongText>) => `
  SELECT 1 AS found FROM deliveries${index}
  WHERE destination = $1 AND state = 'waiting' AND next_attempt_at <= $2 ${more} LIMIT 1`;

type Claiming = Context & Pick<LeadReader, 'findRecords'> & OutcomeReader;

async function claimDue(
  {read, write, jsonList, findRecords, outcomesOf, skipLocked, ...words}: Claiming,
  destination: string,
  {now, leaseEnd, dueAgain = leaseEnd, limit, maxSends, unused = [], onlyForReceivers: isGone = false}: Claim,
): ReturnType<OutboxPort['claimDue']> {
  // Reads first whether anything is due: on SQLite, a claim without result would keep others from writing.
  const among = isGone ? amongText(words) : undefined;
  if (among && (await read(statement(hasAmong(among), destination, now))).length === 0)
    return {due: [], held: [], unreadable: []};
  const results = await write(
    ...endUnused(destination, now, unused, jsonList),
    statement(claimSql(skipLocked, among), maxSends, destination, now, limit, dueAgain, leaseEnd),
  );
  const rows = (results.at(-1) ?? []) as ClaimedRow[];
  const claimed = rows.filter(({state}) => state !== 'held').map(({lead}) => lead);
  const records = await findRecords([...new Set(claimed)]);
  const outcomes = await outcomesOf(rows.filter(({content}) => content === 'outcome').map(({lead}) => lead));
  const due: DueDelivery[] = [];
  const [held, unreadable]: [string[], string[]] = [[], []];
  for (const {lead: id, state, recipients, ...delivery} of rows) {
    const {content, happenedAt} = delivery;
    const record = records.get(id);
    const until = (outcomes.get(id) ?? []).filter(({at}) => at <= happenedAt);
    const taken = record && whatItTakes(content, record, until);
    if (state === 'held') held.push(id);
    else if (typeof taken === 'object')
      due.push({...delivery, ...taken, destination, recipients: toRecipients(recipients), leaseEnd});
    else if (!record) {
      // An operator deleted the lead by hand, so its delivery is deleted here.
      const text = `
        DELETE FROM deliveries
        WHERE lead_id = $1 AND destination = $2 AND content = $3 AND leased_until = $4`;
      await write(statement(text, id, destination, content, leaseEnd));
    } else if (taken === 'unreadable' && 'unreadable' in record) {
      unreadable.push(id);
      const text = `
        UPDATE deliveries SET next_attempt_at = $1, leased_until = 0, last_error = $2, reason = NULL
        WHERE lead_id = $3 AND destination = $4 AND content = $5 AND leased_until = $6`;
      await write(
        statement(text, now + unreadableWait, record.unreadable, id, destination, content, leaseEnd),
      );
    } else {
      const outcome = taken === 'held' ? ['held', null, 'suppressed', null] : ['dropped', null, null, now];
      await write(statement(endUnsent, ...outcome, id, destination, content, leaseEnd));
    }
  }
  return {due, held, unreadable};
}

/** Calls for several destinations at the same time share one query. */
function createDueBatcher({read, jsonList}: Context) {
  const text = `
    SELECT value FROM ${jsonList('$1')} AS listed
    WHERE ${isThere("deliveries WHERE destination = listed.value AND state = 'waiting' AND next_attempt_at <= $2")} = 1`;
  return createBatcher<string, boolean>(async (destinations) => {
    const rows = await read(statement(text, JSON.stringify(destinations), Date.now()));
    const due = new Set(rows.map(({value}) => value));
    return destinations.map((destination) => ({result: due.has(destination)}));
  });
}

export function claimQueries(
  context: Claiming,
): Pick<OutboxPort, 'hasDue' | 'claimDue' | 'correctedLead' | 'waitingDestinations' | 'recallDeliveries'> {
  const {read, write, jsonList, findRecords} = context;
  return {
    hasDue: createDueBatcher(context).add,

    claimDue: (destination, wanted) => claimDue(context, destination, wanted),

    async correctedLead(id) {
      const record = (await findRecords([id])).get(id);
      // In a damaged row, the number may be missing.
      return record && 'lead' in record && (record.lead.phone as unknown) ? record : undefined;
    },

    async waitingDestinations() {
      const rows = await read(statement(selectDestinations));
      return rows.map(({destination}) => String(destination));
    },

    async recallDeliveries(destination, {now, latest, latestOfStops, endedLeases}) {
      // Each bound needs a parameter of its own. The first one finds the rows by the index.
      const late = (bound: string, ofStops: string) =>
        `state = 'waiting' AND next_attempt_at > ${bound} AND (${isNotForReceivers('deliveries')} OR next_attempt_at > ${ofStops})`;
      const text = `
        UPDATE deliveries SET next_attempt_at = $1 WHERE destination = $2 AND ${late('$3', '$4')}
          AND (leased_until = 0 OR leased_until IN (SELECT CAST(value AS BIGINT) FROM ${jsonList('$5')} AS listed))`;
      const ended = JSON.stringify(endedLeases.map(String));
      await write(statement(text, now, destination, latest, latestOfStops, ended));
      const leases = `
        SELECT DISTINCT leased_until FROM deliveries
        WHERE destination = $1 AND ${late('$2', '$3')} AND leased_until > 0 LIMIT 1000`;
      const rows = await read(statement(leases, destination, latest, latestOfStops));
      return rows.map(({leased_until}) => Number(leased_until));
    },
  };
}
