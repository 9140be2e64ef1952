/**
 * The queries with which operators change deliveries, for both databases. The server may work on the same rows at the same
 * time, so no query changes a delivery that is in progress, and all transactions are short: a long one would block the
 * server.
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

/** How many deliveries one transaction changes, at most. Such a transaction takes a few milliseconds. */
const batchSize = 500;
/** Milliseconds between two such transactions, in which the server can write. */
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
  // One that waits goes on failing, but nothing was tried while it was held, given up or paused.
  const isPaused = isThere('paused_destinations WHERE destination = deliveries.destination');
  const set = `
    UPDATE deliveries SET state = 'waiting', next_attempt_at = ${next(where)}, leased_until = 0,
      failing_since = CASE WHEN state = 'waiting' AND ${isPaused} = 0 THEN failing_since END,
      settled_at = NULL, recipients = CASE WHEN settled_at IS NULL THEN recipients END
    WHERE (leased_until = 0 OR (settled_at IS NOT NULL AND leased_until <= ${next(where)})) AND ${where.sql}
    RETURNING destination`;
  return [statement(revive, ...where.values), statement(set, ...where.values, now)];
}

/** The statements that drop a batch. The first one returns a row for each delivery that was changed. */
function drop(now: number, batch: Batch): Statement[] {
  const {where, from, to} = batch;
  // The deliveries are changed before their leads, because this locks their rows, so that no process can claim them.
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

/** The statement that makes those of a batch due that were held because of their address. */
function release(now: number, {where}: Batch): Statement {
  const text = `
    UPDATE deliveries SET state = 'waiting', next_attempt_at = ${next(where)}
    WHERE state = 'held' AND reason = 'elsewhere' AND ${where.sql} RETURNING destination`;
  return statement(text, ...where.values, now);
}

/** SQL that is 1 if a process that has died may have sent the delivery. */
const wasLost = 'CASE WHEN leased_until > 0 AND remote_id IS NULL THEN 1 ELSE 0 END';
/** The statement that lets a batch go to an address. From then on, attempts at that address alone are counted. */
function readdress(address: string, {where}: Batch): Statement {
  const text = `
    UPDATE deliveries SET address = ${next(where)}, attempts = 0, failing_since = NULL, leased_until = 0,
      ambiguous = ambiguous + ${wasLost}, ambiguous_counted = ambiguous_counted + ${wasLost},
      former_addresses = CASE WHEN ${mayHaveArrived('deliveries')}
        THEN COALESCE(former_addresses || ' ', '') || address ELSE former_addresses END
    WHERE ${where.sql} RETURNING destination`;
  return statement(text, ...where.values, address);
}

/**
 * Changes the deliveries of a filter in batches. Returns their number, and the names of their destinations.
 * @param extra SQL that the deliveries must meet besides the filter
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
  // Without an id of the destination, only a lease can have prevented the change, even if it has ended since.
  return Number(row['leased_until']) > now || row['remote_id'] === null ? 'under-way' : 'taken-already';
}

/** The deliveries of a filter that an order of an operator is about, with SQL that they must meet besides. */
const orders: Readonly<
  Record<'retry' | 'drop', (filter: DeliveryFilter) => [DeliveryFilter, extra: string]>
> = {
  retry(filter) {
    const {lead, state} = filter;
    const withoutHeld = state === undefined && lead === undefined ? " AND state <> 'held'" : '';
    // A confirmation that has ended may have reached the visitor, who must not get it twice.
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
      // The deliveries are due before the breaks end, so that each process finds them then.
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
      // What is in progress may arrive at the address of before.
      const extra = ` AND leased_until <= ${now} AND ${isNotForReceivers('deliveries')}`;
      const {count} = await changeAll(database, {destination, elsewhere: address}, extra, (batch) => [
        readdress(address, batch),
      ]);
      // A process may have held one only now. What is held for another reason stays so.
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
