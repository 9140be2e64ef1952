/**
 * The queries of the `outbox` command, for both databases. The outbox is all deliveries that are waiting, held or
 * refused, which are the rows without `settled_at`. The server may work on the same rows at the same time, so no query
 * changes a delivery that is in progress, and all queries are short: a long read would keep SQLite from reusing its
 * log, so that the file grows, and a long write would block the server.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {statement, type Database} from './database.ts';
import type {DeliveryKey, OutboxCount, OutboxFilter, OutboxRow} from '../leads/deliveries.ts';
import type {LeadStore} from '../leads/lead-store.ts';

type OperatorQueries = Pick<LeadStore, 'listOutbox' | 'countOutbox' | 'retryOutbox' | 'settleOutbox'>;

/** How many deliveries one transaction makes due, at most. Such a transaction takes a few milliseconds. */
const batchSize = 500;
/** Milliseconds between two such transactions, in which the server can write. */
const pauseBetween = 5;

type Condition = {sql: string; values: string[]};

/**
 * The SQL condition that selects the rows of a filter.
 * @param first the number of the first `$` parameter in the condition
 */
function conditionOf({state, destination, after}: OutboxFilter, first = 1): Condition {
  const values: string[] = [];
  const parameter = (value: string) => `$${first - 1 + values.push(value)}`;
  const parts = [
    'settled_at IS NULL',
    state === undefined ? '' : `${stateIs(state)} AND state = ${parameter(state)}`,
    destination === undefined ? '' : `destination = ${parameter(destination)}`,
    after === undefined
      ? ''
      : `(lead_id, destination) > (${parameter(after.lead)}, ${parameter(after.destination)})`,
  ];
  return {sql: parts.filter(Boolean).join(' AND '), values};
}

/**
 * For held and refused deliveries, this repeats the condition of the index `deliveries_stopped`, so that it is used.
 */
const stateIs = (state: OutboxRow['state']) => (state === 'waiting' ? '1 = 1' : "state <> 'waiting'");

/** The deliveries that one transaction makes due: those that meet `condition`, from the key `from` to the key `to`. */
type Batch = {condition: string; destination: string | undefined; from: DeliveryKey; to: DeliveryKey};

export function operatorQueries({read, write}: Database): OperatorQueries {
  async function makeDue(now: number, {condition, destination, from, to}: Batch) {
    const bounds = [from.lead, from.destination, to.lead, to.destination];
    const within = (first: number) =>
      `(lead_id, destination) >= ($${first}, $${first + 1}) AND (lead_id, destination) <= ($${first + 2}, $${first + 3})`;
    const filterOfLeads = conditionOf({destination}, 5);
    const filterOfDeliveries = conditionOf({destination}, 6);
    // When a refused delivery is tried again, and it gives the answer, its lead becomes pending again.
    const revive = `
      UPDATE leads SET status = 'pending' WHERE status = 'refused' AND id IN (
        SELECT lead_id FROM deliveries WHERE gives_answer = 1 AND state = 'refused' AND ${condition}
          AND ${within(1)} AND ${filterOfLeads.sql})`;
    // A delivery with a lease is in progress, or its process has died. If such a delivery were made due, the lead could
    // be sent twice.
    const set = `
      UPDATE deliveries SET state = 'waiting', next_attempt_at = $1
      WHERE leased_until = 0 AND ${condition} AND ${within(2)} AND ${filterOfDeliveries.sql} RETURNING lead_id`;
    const [, rows = []] = await write(
      statement(revive, ...bounds, ...filterOfLeads.values),
      statement(set, now, ...bounds, ...filterOfDeliveries.values),
    );
    return rows.length;
  }

  const openOf = async (lead: string): Promise<string[]> => {
    const text =
      'SELECT destination FROM deliveries WHERE lead_id = $1 AND settled_at IS NULL ORDER BY destination';
    return (await read(statement(text, lead))).map(({destination}) => String(destination));
  };

  return {
    async listOutbox(limit, filter = {}) {
      const {sql, values} = conditionOf(filter);
      const text = `
        SELECT lead_id AS lead, destination, state, attempts, ambiguous,
          next_attempt_at AS "nextAttemptAt", leased_until AS "leasedUntil", last_error AS "lastError"
        FROM deliveries WHERE ${sql} ORDER BY lead_id, destination LIMIT $${values.length + 1}`;
      return (await read(statement(text, ...values, limit))) as OutboxRow[];
    },

    async countOutbox() {
      const text = `
        SELECT destination, state, COUNT(*) AS leads, MIN(lead_id) AS oldest
        FROM deliveries WHERE settled_at IS NULL GROUP BY destination, state ORDER BY destination, state`;
      return (await read(statement(text))) as OutboxCount[];
    },

    async retryOutbox(now, which, destination) {
      if (typeof which === 'object') {
        const destinations = await openOf(which.id);
        const [first, last] = [destinations[0], destinations.at(-1)];
        if (first === undefined || last === undefined) return 0;
        const [from, to] = [
          {lead: which.id, destination: first},
          {lead: which.id, destination: last},
        ];
        return makeDue(now, {condition: '1 = 1', destination, from, to});
      }
      const condition = which === 'held' ? "state <> 'waiting' AND state = 'held'" : "state <> 'held'";
      let count = 0;
      let after: DeliveryKey | undefined;
      for (;;) {
        const {sql, values} = conditionOf({destination, after});
        const text = `
          SELECT lead_id, destination FROM deliveries WHERE leased_until = 0 AND ${condition} AND ${sql}
          ORDER BY lead_id, destination LIMIT ${batchSize}`;
        const keys = (await read(statement(text, ...values))).map((row) => ({
          lead: String(row['lead_id']),
          destination: String(row['destination']),
        }));
        const [from, to] = [keys[0], keys.at(-1)];
        if (!from || !to) return count;
        count += await makeDue(now, {condition, destination, from, to});
        after = to;
        await sleep(pauseBetween);
      }
    },

    async settleOutbox(now, {lead, destination: named}, outcome) {
      const [destination, another] = named === undefined ? await openOf(lead) : [named];
      if (destination === undefined) return 'absent';
      if (another !== undefined) return 'several';
      const key = {lead, destination};
      const statements = outcome === 'never-send' ? drop(now, key) : takenAs(now, key, outcome.remoteId);
      const [changed = []] = await write(...statements);
      if (changed.length > 0) return 'settled';
      const text = `
        SELECT leased_until, remote_id FROM deliveries JOIN leads ON id = lead_id
        WHERE lead_id = $1 AND destination = $2 AND settled_at IS NULL`;
      const [row] = await read(statement(text, lead, destination));
      if (!row) return 'absent';
      // Without an id of the destination, only a lease can have prevented the change, even if it has ended since.
      return Number(row['leased_until']) > now || row['remote_id'] === null ? 'under-way' : 'taken-already';
    },
  };
}

// The two functions below change the delivery before the lead, because this locks the row of the delivery, so that no
// other process can claim it.

const drop = (now: number, {lead, destination}: DeliveryKey) => [
  statement(
    `UPDATE deliveries SET state = 'dropped', leased_until = 0, settled_at = $1
      WHERE lead_id = $2 AND destination = $3 AND leased_until <= $4 AND settled_at IS NULL RETURNING lead_id`,
    now,
    lead,
    destination,
    now,
  ),
  statement(
    `UPDATE leads SET status = 'refused' WHERE id = $1 AND status = 'pending' AND EXISTS (
      SELECT 1 FROM deliveries
      WHERE lead_id = leads.id AND destination = $2 AND gives_answer = 1 AND state = 'dropped')`,
    lead,
    destination,
  ),
];

const takenAs = (now: number, {lead, destination}: DeliveryKey, remoteId: string) => [
  statement(
    `UPDATE deliveries SET state = 'waiting', next_attempt_at = $1, leased_until = 0, remote_id = $2
      WHERE lead_id = $3 AND destination = $4 AND leased_until <= $5 AND remote_id IS NULL AND settled_at IS NULL
        AND EXISTS (SELECT 1 FROM leads WHERE id = lead_id)
      RETURNING lead_id`,
    now,
    remoteId,
    lead,
    destination,
    now,
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
