/**
 * The queries with which operators change deliveries, for both databases. A server may be working on the same rows. So no query
 * changes a delivery that is in progress, and all transactions are short: a long one would block the server.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {hasEnded, type DeliveryFilter, type DeliveryKey, type Settled} from '../leads/deliveries.ts';
import type {DeliveryDesk, DeliveryReader} from '../leads/ports.ts';
import {isThere, statement, type Database, type Statement} from './database.ts';
import {conditionOf, type Condition} from './delivery-queries.ts';
import {isNotForReceivers, mayHaveArrived} from './erasure-queries.ts';
import {endBreak} from './pause-queries.ts';
import {mayBeSent} from './revocation-queries.ts';
import {announce} from './settlement-queries.ts';

/** The maximum number of deliveries that one transaction changes. Such a transaction takes a few milliseconds. */
const batchSize = 500;
/** The pause between two such transactions, in milliseconds, in which the server can write. */
const pauseBetween = 5;

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

/** The placeholder after those of the condition. */
const next = ({values}: Condition) => `$${values.length + 1}`;

/** The statements that make a batch due. The last one returns a row for each changed delivery. */
function makeDue(now: number, {where}: Batch): Statement[] {
  // If a refused delivery gives its lead the answer, the lead becomes pending again.
  const revive = `
    UPDATE leads SET status = 'pending' WHERE status = 'refused' AND id IN (
      SELECT lead_id FROM deliveries WHERE gives_answer = 1 AND state = 'refused' AND leased_until = 0
        AND ${where.sql})`;
  // A delivery with a lease is in progress, or its process has died. Making it due could send it twice. An ended one may keep the
  // lease of a dead process, if another process reported it as delivered. A waiting delivery keeps the time since which it fails,
  // unless its destination is paused. A held or given-up one starts again, because nothing was tried meanwhile.
  const isPaused = isThere('paused_destinations WHERE destination = deliveries.destination');
  const set = `
    UPDATE deliveries SET state = 'waiting', next_attempt_at = ${next(where)}, leased_until = 0,
      failing_since = CASE WHEN state = 'waiting' AND ${isPaused} = 0 THEN failing_since END,
      settled_at = NULL, recipients = CASE WHEN settled_at IS NULL THEN recipients END
    WHERE (leased_until = 0 OR (settled_at IS NOT NULL AND leased_until <= ${next(where)})) AND ${where.sql}
    RETURNING destination`;
  return [statement(revive, ...where.values), statement(set, ...where.values, now)];
}

/** The statements that drop a batch. The first one returns a row for each changed delivery. */
function drop(now: number, batch: Batch): Statement[] {
  const {where, from, to} = batch;
  // Changes the deliveries before their leads, which locks their rows, so that no process can claim them.
  const endText = `
    UPDATE deliveries SET state = 'dropped', leased_until = 0, settled_at = ${next(where)}
    WHERE leased_until <= ${next(where)} AND ${where.sql} RETURNING destination`;
  const refuse = `
    UPDATE leads SET status = 'refused' WHERE status = 'pending' AND id IN (
      SELECT lead_id FROM deliveries WHERE gives_answer = 1 AND state = 'dropped' AND ${within(1)})`;
  return [
    statement(endText, ...where.values, now),
    statement(refuse, ...boundsOf(batch)),
    ...announce(now, from.lead, to.lead, 'refused'),
  ];
}

/** The statement that makes the deliveries of a batch due that were held because of their address. */
function release(now: number, {where}: Batch): Statement {
  const text = `
    UPDATE deliveries SET state = 'waiting', next_attempt_at = ${next(where)}
    WHERE state = 'held' AND reason = 'elsewhere' AND ${where.sql} RETURNING destination`;
  return statement(text, ...where.values, now);
}

/** SQL that is 1 if a dead process may have sent the delivery. */
const wasLost = 'CASE WHEN leased_until > 0 AND remote_id IS NULL THEN 1 ELSE 0 END';
/** The statement that gives a batch another address, where nobody has anything yet. From then on, only attempts at it are counted. */
function readdress(address: string, {where}: Batch): Statement {
  const text = `
    UPDATE deliveries SET address = ${next(where)}, attempts = 0, failing_since = NULL, leased_until = 0,
      recipients = NULL, ambiguous = ambiguous + ${wasLost}, ambiguous_counted = ambiguous_counted + ${wasLost},
      former_addresses = CASE WHEN ${mayHaveArrived('deliveries')}
        THEN COALESCE(former_addresses || ' ', '') || address ELSE former_addresses END
    WHERE ${where.sql} RETURNING destination`;
  return statement(text, ...where.values, address);
}

/**
 * Changes the deliveries of a filter in batches. Returns their number, and the names of their destinations.
 * @param extra further SQL conditions for the deliveries
 */
async function changeAll(
  {read, write}: Database,
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
    const keys = await read<DeliveryKey>(statement(text, ...values));
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

const takenAs = (now: number, lead: string, destination: string, remoteId: string) => [
  statement(
    `UPDATE deliveries SET state = 'waiting', next_attempt_at = $1, leased_until = 0, remote_id = $2
      WHERE lead_id = $3 AND destination = $4 AND content = 'lead' AND leased_until <= $1 AND remote_id IS NULL
        AND settled_at IS NULL AND ${mayBeSent}
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

async function settleAs(
  {read, write}: Database,
  now: number,
  {lead, destination: named}: {lead: string; destination?: string | undefined},
  remoteId: string,
): Promise<Settled> {
  const waiting = `
    SELECT destination, leased_until, remote_id, suppressed_at FROM deliveries JOIN leads ON id = lead_id
    WHERE lead_id = $1 AND content = 'lead' AND settled_at IS NULL ORDER BY destination`;
  const rows = (await read(statement(waiting, lead))).filter(
    ({destination}) => named === undefined || destination === named,
  );
  const [row] = rows;
  if (!row) return 'absent';
  if (rows.length > 1) return 'several';
  if (row['suppressed_at'] !== null) return 'stopped';
  const [changed = []] = await write(...takenAs(now, lead, String(row['destination']), remoteId));
  if (changed.length > 0) return 'settled';
  // Without a remote id, only a lease can have prevented the change, even if it has ended since.
  return Number(row['leased_until']) > now || row['remote_id'] === null ? 'under-way' : 'taken-already';
}

/** For each command, the filter of the deliveries that it may change, and further SQL conditions. */
const orders: Readonly<
  Record<'retry' | 'drop', (filter: DeliveryFilter) => [DeliveryFilter, extra: string]>
> = {
  retry(filter) {
    const {lead, state} = filter;
    const withoutHeld = state === undefined && lead === undefined ? " AND state <> 'held'" : '';
    // An ended confirmation may have reached the visitor, who must not get it twice.
    const extra = hasEnded(state) ? " AND content NOT IN ('lead', 'confirmation')" : withoutHeld;
    return [filter, `${extra} AND ${mayBeSent}`];
  },
  drop: (filter) => [{...filter, stops: filter.stops ?? false}, ' AND settled_at IS NULL'],
};

export function operatorQueries(database: Database): Omit<DeliveryDesk, keyof DeliveryReader> {
  const {write} = database;
  return {
    async retryDeliveries(now, filter) {
      const {count, destinations} = await changeAll(database, ...orders.retry(filter), (batch) =>
        makeDue(now, batch),
      );
      // Makes the deliveries due before the circuit breakers close, so that each process then finds them.
      if (destinations.size > 0) await write(...[...destinations].map((name) => endBreak(name, now)));
      return count;
    },

    async resumeDestination(now, destination) {
      await changeAll(database, {destination, state: 'waiting'}, ` AND ${mayBeSent}`, (batch) =>
        makeDue(now, batch),
      );
      const text = 'DELETE FROM paused_destinations WHERE destination = $1 RETURNING destination';
      const [rows = []] = await write(statement(text, destination), endBreak(destination, now));
      return rows.length > 0;
    },

    async acceptAddress(now, destination, address) {
      // Skips deliveries in progress, which may arrive at the earlier address.
      const extra = ` AND leased_until <= ${now} AND ${isNotForReceivers('deliveries')}`;
      const {count} = await changeAll(database, {destination, elsewhere: address}, extra, (batch) => [
        readdress(address, batch),
      ]);
      // Also releases deliveries that a process has just held. Those that are held for another reason stay held.
      await changeAll(database, {destination, state: 'held'}, '', (batch) => [release(now, batch)]);
      return count;
    },

    async dropDeliveries(now, filter) {
      const {count} = await changeAll(database, ...orders.drop(filter), (batch) => drop(now, batch));
      return count;
    },

    async countSelected(order, given) {
      const [filter, extra] = orders[order](given);
      const {sql, values} = conditionOf(filter);
      const text = `SELECT COUNT(*) AS many FROM deliveries WHERE ${sql}${extra}`;
      const [row] = await database.read(statement(text, ...values));
      return Number(row?.['many']);
    },

    settleAs: (now, delivery, remoteId) => settleAs(database, now, delivery, remoteId),
  };
}
