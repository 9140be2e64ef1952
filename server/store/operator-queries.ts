/**
 * The queries of the `deliveries` command, for both databases. The server may work on the same rows at the same time,
 * so no query changes a delivery that is in progress, and all queries are short: a long read would keep SQLite from
 * reusing its log, so that the file grows, and a long write would block the server.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {boundColumns, replyPart, type Bound, type Sealer} from './sealing.ts';
import {statement, type Database, type Statement} from './database.ts';
import {announce, endBreak, toRecipients} from './delivery-queries.ts';
import {
  anotherAddress,
  hasEnded,
  type DeliveryFilter,
  type DeliveryKey,
  type DeliveryRow,
  type OutboxCount,
} from '../leads/deliveries.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import type {DeliveryDesk, OutboxPort} from '../leads/ports.ts';

type OperatorQueries = DeliveryDesk & Pick<OutboxPort, 'countOutbox'>;

/** How many deliveries one transaction changes, at most. Such a transaction takes a few milliseconds. */
const batchSize = 500;
/** How many deliveries one read of `lastDelivered` looks at, and how many such reads there are at most. */
const [deliveriesPerRead, maxReads] = [5_000, 20];
/** Milliseconds between two such transactions, in which the server can write. */
const pauseBetween = 5;

type ReplyRow = Pick<DeliveryKey, 'destination' | 'content'> &
  Bound & {
    /** In clear, unless it is sealed. */
    last_reply: string | null;
    data_key: number | null;
    blob: Uint8Array | null;
  };

type Condition = {sql: string; values: string[]};

/** The SQL condition that selects the rows of a filter. */
function conditionOf(filter: DeliveryFilter, after?: DeliveryKey): Condition {
  const {lead, destination, state, failing, elsewhere, since, until} = filter;
  const values: string[] = [];
  const parameter = (value: string) => `$${values.push(value)}`;
  const parts = [
    rowsIn(state),
    state === undefined ? '' : `state = ${parameter(state)}`,
    lead === undefined ? '' : `lead_id = ${parameter(lead)}`,
    destination === undefined ? '' : `destination = ${parameter(destination)}`,
    failing ? 'failing_since IS NOT NULL' : '',
    elsewhere === undefined ? '' : `address <> ${parameter(elsewhere)}`,
    since === undefined ? '' : `lead_id >= ${parameter(firstIdAt(since))}`,
    until === undefined ? '' : `lead_id < ${parameter(firstIdAt(until))}`,
    after === undefined
      ? ''
      : `(lead_id, destination, content) > (${parameter(after.lead)}, ${parameter(after.destination)}, ${parameter(after.content)})`,
  ];
  return {sql: parts.filter(Boolean).join(' AND '), values};
}

/** Repeats the condition of the index that has the rows of a state, so that the index is used. */
function rowsIn(state: DeliveryFilter['state']): string {
  if (hasEnded(state)) return 'settled_at IS NOT NULL';
  return state === undefined || state === 'waiting'
    ? 'settled_at IS NULL'
    : "settled_at IS NULL AND state <> 'waiting'";
}

/** The deliveries that one transaction changes: those of a filter, from the key `from` to the key `to`. */
type Batch = {where: Condition; from: DeliveryKey; to: DeliveryKey};

/** The condition that selects the deliveries between the keys of a batch. @param first the number of its first parameter */
const within = (first: number) => `
  (lead_id, destination, content) >= ($${first}, $${first + 1}, $${first + 2})
  AND (lead_id, destination, content) <= ($${first + 3}, $${first + 4}, $${first + 5})`;
const boundsOf = ({from, to}: Pick<Batch, 'from' | 'to'>) => [
  from.lead,
  from.destination,
  from.content,
  to.lead,
  to.destination,
  to.content,
];

/** The parameter that follows those of the condition. */
const next = ({values}: Condition) => `$${values.length + 1}`;

/** The statements that make a batch due. The last one returns a row for each delivery that was changed. */
function makeDue(now: number, {where}: Batch): Statement[] {
  // When a refused delivery is tried again, and it gives the answer, its lead becomes pending again.
  const revive = `
    UPDATE leads SET status = 'pending' WHERE status = 'refused' AND id IN (
      SELECT lead_id FROM deliveries WHERE gives_answer = 1 AND state = 'refused' AND leased_until = 0
        AND ${where.sql})`;
  // A delivery with a lease is in progress, or its process has died. If such a delivery were made due, it could be sent
  // twice. One that has ended keeps the lease of a process that died after another one reported it as delivered.
  const set = `
    UPDATE deliveries SET state = 'waiting', next_attempt_at = ${next(where)}, leased_until = 0, failing_since = NULL,
      settled_at = NULL, recipients = CASE WHEN settled_at IS NULL THEN recipients END
    WHERE (leased_until = 0 OR (settled_at IS NOT NULL AND leased_until <= ${next(where)})) AND ${where.sql}
    RETURNING destination`;
  return [statement(revive, ...where.values), statement(set, ...where.values, now)];
}

/** The statements that drop a batch. The first one returns a row for each delivery that was changed. */
function drop(now: number, batch: Batch): Statement[] {
  const {where, from, to} = batch;
  // The deliveries are changed before their leads, because this locks their rows, so that no process can claim them.
  const end = `
    UPDATE deliveries SET state = 'dropped', leased_until = 0, settled_at = ${next(where)}
    WHERE leased_until <= ${next(where)} AND ${where.sql} RETURNING destination`;
  const refuse = `
    UPDATE leads SET status = 'refused' WHERE status = 'pending' AND id IN (
      SELECT lead_id FROM deliveries WHERE gives_answer = 1 AND state = 'dropped' AND ${within(1)})`;
  return [
    statement(end, ...where.values, now),
    statement(refuse, ...boundsOf(batch)),
    announce(now, from.lead, to.lead, 'refused'),
  ];
}

/** The statement that makes those of a batch due that were held because of their address. */
function release(now: number, {where}: Batch): Statement {
  const text = `
    UPDATE deliveries SET state = 'waiting', next_attempt_at = ${next(where)}
    WHERE state = 'held' AND last_error = '${anotherAddress}' AND ${where.sql} RETURNING destination`;
  return statement(text, ...where.values, now);
}

/** The statement that lets a batch go to an address. */
function readdress(address: string, {where}: Batch): Statement {
  const text = `UPDATE deliveries SET address = ${next(where)} WHERE ${where.sql} RETURNING destination`;
  return statement(text, ...where.values, address);
}

export function operatorQueries({read, readMany, write}: Database, sealer: Sealer): OperatorQueries {
  function replyIn(row: ReplyRow) {
    const {last_reply, data_key, blob} = row;
    try {
      if (last_reply !== null) return (JSON.parse(last_reply) as {excerpt: string}).excerpt;
      return data_key === null || blob === null
        ? null
        : sealer.of(row).open({data_key, blob}, replyPart(row));
    } catch {
      return null;
    }
  }

  /**
   * Changes the deliveries of a filter in batches. Returns their number, and the names of their destinations.
   * @param extra SQL that the deliveries must meet besides the filter
   */
  async function changeAll(
    filter: DeliveryFilter,
    extra: string,
    change: (batch: Batch) => Statement[],
  ): Promise<{count: number; destinations: ReadonlySet<string>}> {
    let count = 0;
    const destinations = new Set<string>();
    let after: DeliveryKey | undefined;
    const filtered = conditionOf(filter);
    const sqlOfBatch = `${filtered.sql}${extra} AND ${within(filtered.values.length + 1)}`;
    for (;;) {
      const {sql, values} = conditionOf(filter, after);
      const text = `
        SELECT lead_id AS lead, destination, content FROM deliveries WHERE ${sql}${extra}
        ORDER BY lead_id, destination, content LIMIT ${batchSize}`;
      const keys = (await read(statement(text, ...values))) as DeliveryKey[];
      const [from, to] = [keys[0], keys.at(-1)];
      if (!from || !to) return {count, destinations};
      const where = {sql: sqlOfBatch, values: [...filtered.values, ...boundsOf({from, to})]};
      const results = await write(...change({where, from, to}));
      // Only one of the statements returns rows.
      const changed = results.flat();
      count += changed.length;
      for (const row of changed) destinations.add(String(row['destination']));
      if (keys.length < batchSize) return {count, destinations};
      after = to;
      await sleep(pauseBetween);
    }
  }

  return {
    async listDeliveries(limit, filter, after) {
      const {sql, values} = conditionOf(filter, after);
      const text = `
        SELECT lead_id AS lead, destination, content, state, attempts, ambiguous, happened_at AS "happenedAt",
          next_attempt_at AS "nextAttemptAt", leased_until AS "leasedUntil", failing_since AS "failingSince",
          last_error AS "lastError", remote_id AS "remoteId", settled_at AS "settledAt", recipients
        FROM deliveries WHERE ${sql} ORDER BY lead_id, destination, content LIMIT $${values.length + 1}`;
      type Row = Omit<DeliveryRow, 'recipients'> & {recipients: string | null};
      const rows = (await read(statement(text, ...values, limit))) as Row[];
      return rows.map(({recipients, ...row}) => ({...row, recipients: toRecipients(recipients)}));
    },

    async lastReplies(lead) {
      const text = `
        SELECT destination, content, last_reply, data_key, blob, ${boundColumns}
        FROM deliveries JOIN leads ON leads.id = deliveries.lead_id LEFT JOIN sealed ON sealed.lead_id = deliveries.lead_id
          AND part = 'reply ' || content || ' ' || destination
        WHERE deliveries.lead_id = $1 AND (last_reply IS NOT NULL OR part IS NOT NULL)
        ORDER BY destination, content`;
      const rows = (await read(statement(text, lead))) as ReplyRow[];
      return rows.map((row) => ({
        lead,
        destination: row.destination,
        content: row.content,
        reply: replyIn(row),
      }));
    },

    async countOutbox() {
      const count =
        'SELECT destination, state, COUNT(*) AS deliveries, MIN(lead_id) AS oldest FROM deliveries';
      // Each half reads an index in its order. With one condition for both, SQLite would sort all rows first.
      const text = `
        ${count} WHERE state = 'waiting' GROUP BY destination, state
        UNION ALL
        ${count} WHERE settled_at IS NULL AND state <> 'waiting' GROUP BY destination, state
        ORDER BY destination, state`;
      return (await readMany(statement(text))) as OutboxCount[];
    },

    async lastDelivered(destinations) {
      const last = new Map<string, number>();
      const text = `
        SELECT destination, MAX(CASE state WHEN 'delivered' THEN settled_at END) AS "deliveredAt",
          MIN(lead_id) AS first
        FROM (SELECT lead_id, destination, state, settled_at FROM deliveries
          WHERE lead_id <= $1 ORDER BY lead_id DESC LIMIT ${deliveriesPerRead}) AS looked
        GROUP BY destination`;
      let before = firstIdAt(Infinity);
      for (let reads = 0; reads < maxReads && destinations.some((name) => !last.has(name)); reads += 1) {
        const rows = (await readMany(statement(text, before))) as {
          destination: string;
          deliveredAt: number | null;
          first: string;
        }[];
        for (const {destination, deliveredAt} of rows)
          if (deliveredAt !== null && !last.has(destination)) last.set(destination, deliveredAt);
        const first = rows.map((row) => row.first).toSorted()[0];
        // All deliveries were looked at.
        if (first === undefined || first === before) break;
        before = first;
      }
      return destinations.flatMap((destination) => {
        const deliveredAt = last.get(destination);
        return deliveredAt === undefined ? [] : [{destination, deliveredAt}];
      });
    },

    async retryDeliveries(now, filter) {
      const {lead, state} = filter;
      const withoutHeld = state === undefined && lead === undefined ? " AND state <> 'held'" : '';
      // A confirmation that has ended may have reached the visitor, who must not get it twice.
      const extra = hasEnded(state) ? " AND content NOT IN ('lead', 'confirmation')" : withoutHeld;
      const {count, destinations} = await changeAll(filter, extra, (batch) => makeDue(now, batch));
      // The deliveries are due before the breaks end, so that each process finds them then.
      if (destinations.size > 0) await write(...[...destinations].map((name) => endBreak(name, now)));
      return count;
    },

    async resumeDestination(now, destination) {
      await changeAll({destination, state: 'waiting'}, '', (batch) => makeDue(now, batch));
      const text = 'DELETE FROM paused_destinations WHERE destination = $1 RETURNING destination';
      const [rows = []] = await write(statement(text, destination), endBreak(destination, now));
      return rows.length > 0;
    },

    async acceptAddress(now, destination, address) {
      const {count} = await changeAll({destination, elsewhere: address}, '', (batch) => [
        readdress(address, batch),
      ]);
      // A process may have held one only now. What is held for another reason stays so.
      await changeAll({destination, state: 'held'}, '', (batch) => [release(now, batch)]);
      return count;
    },

    async dropDeliveries(now, filter) {
      const {count} = await changeAll(filter, ' AND settled_at IS NULL', (batch) => drop(now, batch));
      return count;
    },

    async settleAs(now, {lead, destination: named}, remoteId) {
      const waiting = `
        SELECT destination, leased_until, remote_id FROM deliveries JOIN leads ON id = lead_id
        WHERE lead_id = $1 AND content = 'lead' AND settled_at IS NULL ORDER BY destination`;
      const rows = (await read(statement(waiting, lead))).filter(
        ({destination}) => named === undefined || destination === named,
      );
      const [row] = rows;
      if (!row) return 'absent';
      if (rows.length > 1) return 'several';
      const [changed = []] = await write(...takenAs(now, lead, String(row['destination']), remoteId));
      if (changed.length > 0) return 'settled';
      // Without an id of the destination, only a lease can have prevented the change, even if it has ended since.
      return Number(row['leased_until']) > now || row['remote_id'] === null ? 'under-way' : 'taken-already';
    },
  };
}

const takenAs = (now: number, lead: string, destination: string, remoteId: string) => [
  statement(
    `UPDATE deliveries SET state = 'waiting', next_attempt_at = $1, leased_until = 0, remote_id = $2
      WHERE lead_id = $3 AND destination = $4 AND content = 'lead' AND leased_until <= $1 AND remote_id IS NULL
        AND settled_at IS NULL
      RETURNING lead_id`,
    now,
    remoteId,
    lead,
    destination,
  ),
  statement(
    `UPDATE leads SET status = 'pending' WHERE id = $1 AND status = 'refused' AND EXISTS (
      SELECT 1 FROM deliveries
      WHERE lead_id = leads.id AND destination = $2 AND gives_answer = 1 AND remote_id = $3 AND state = 'waiting')`,
    lead,
    destination,
    remoteId,
  ),
];
