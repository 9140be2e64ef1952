/**
 * What operators do with the outbox, written once for both databases. The server may work on the same rows in
 * another process, so nothing here touches a delivery that is under way, and all work is done in short pieces: a
 * long read would make the file of an embedded database grow, a long write would stop the server's.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {statement, type Database} from './database.ts';
import type {LeadStore, OutboxCount, OutboxFilter, OutboxRow} from './lead-store.ts';

type OperatorQueries = Pick<LeadStore, 'listOutbox' | 'countOutbox' | 'retryOutbox' | 'settleOutbox'>;

/** Deliveries that one transaction makes due: a few milliseconds of work. */
const rowsAtOnce = 500;
/** Milliseconds between two such transactions, in which the server can write. */
const pauseBetween = 5;

type Condition = {sql: string; values: string[]};

/** Parameters are numbered in the order of the text, `first` being the number of the first one. */
function conditionOf({state, upstream, after}: OutboxFilter, first = 1): Condition {
  const values: string[] = [];
  const parameter = (value: string) => `$${first - 1 + values.push(value)}`;
  const parts = [
    state === undefined ? '' : `${stateIs(state)} AND state = ${parameter(state)}`,
    upstream === undefined ? '' : `upstream = ${parameter(upstream)}`,
    after === undefined ? '' : `lead_id > ${parameter(after)}`,
  ];
  return {sql: parts.filter(Boolean).join(' AND ') || '1 = 1', values};
}

/** With these words a database sees that its index over what is held or refused has all the rows. */
const stateIs = (state: OutboxRow['state']) => (state === 'waiting' ? '1 = 1' : "state <> 'waiting'");

export function operatorQueries({read, write}: Database): OperatorQueries {
  /** Makes deliveries due: those with `condition` from one lead to another, both included. */
  async function makeDue(
    now: number,
    {
      condition,
      upstream,
      from,
      to,
    }: {condition: string; upstream: string | undefined; from: string; to: string},
  ) {
    const refused = conditionOf({upstream}, 3);
    const free = conditionOf({upstream}, 4);
    // A refused lead is pending again while it is tried.
    const revive = `
      UPDATE leads SET status = 'pending' WHERE status = 'refused' AND id IN (
        SELECT lead_id FROM outbox WHERE state = 'refused' AND ${condition}
          AND lead_id >= $1 AND lead_id <= $2 AND ${refused.sql})`;
    // What is leased is under way, or will be found to be lost: due now, it would be sent twice.
    const set = `
      UPDATE outbox SET state = 'waiting', next_attempt_at = $1
      WHERE leased_until = 0 AND ${condition}
        AND lead_id >= $2 AND lead_id <= $3 AND ${free.sql} RETURNING lead_id`;
    const rows = await write(
      statement(revive, from, to, ...refused.values),
      statement(set, now, from, to, ...free.values),
    );
    return rows.length;
  }

  return {
    async listOutbox(limit, filter = {}) {
      const {sql, values} = conditionOf(filter);
      const text = `
        SELECT lead_id AS lead, upstream, state, attempts, ambiguous,
          next_attempt_at AS "nextAttemptAt", leased_until AS "leasedUntil", last_error AS "lastError"
        FROM outbox WHERE ${sql} ORDER BY lead_id LIMIT $${values.length + 1}`;
      return (await read(statement(text, ...values, limit))) as OutboxRow[];
    },

    async countOutbox() {
      const text = `
        SELECT upstream, state, COUNT(*) AS leads, MIN(lead_id) AS oldest
        FROM outbox GROUP BY upstream, state ORDER BY upstream, state`;
      return (await read(statement(text))) as OutboxCount[];
    },

    async retryOutbox(now, which, upstream) {
      if (typeof which === 'object')
        return makeDue(now, {condition: '1 = 1', upstream, from: which.id, to: which.id});
      const condition = which === 'held' ? "state <> 'waiting' AND state = 'held'" : "state <> 'held'";
      let [count, after] = [0, ''];
      for (;;) {
        const {sql, values} = conditionOf({upstream, after});
        const text = `
          SELECT lead_id FROM outbox WHERE leased_until = 0 AND ${condition} AND ${sql}
          ORDER BY lead_id LIMIT ${rowsAtOnce}`;
        const ids = (await read(statement(text, ...values))).map((row) => String(row['lead_id']));
        const [first, last] = [ids[0], ids.at(-1)];
        if (first === undefined || last === undefined) return count;
        count += await makeDue(now, {condition, upstream, from: first, to: last});
        after = last;
        await sleep(pauseBetween);
      }
    },

    async settleOutbox(now, id, outcome) {
      const rows = await write(
        ...(outcome === 'never-send' ? neverSend(now, id) : takenAs(now, id, outcome)),
      );
      if (rows.length > 0) return 'settled';
      const text =
        'SELECT leased_until, upstream_id FROM outbox JOIN leads ON id = lead_id WHERE lead_id = $1';
      const [row] = await read(statement(text, id));
      if (!row) return 'absent';
      return Number(row['leased_until']) > now ? 'under-way' : 'taken-already';
    },
  };
}

/** The outbox first: from then on its row is locked, and no other process can take the delivery up. */
const neverSend = (now: number, id: string) => [
  statement(
    "UPDATE outbox SET state = 'refused', leased_until = 0 WHERE lead_id = $1 AND leased_until <= $2",
    id,
    now,
  ),
  statement(
    `UPDATE leads SET status = 'refused' WHERE id = $1 AND status = 'pending'
      AND EXISTS (SELECT 1 FROM outbox WHERE lead_id = leads.id AND state = 'refused')`,
    id,
  ),
  statement("DELETE FROM outbox WHERE lead_id = $1 AND state = 'refused' RETURNING lead_id", id),
];

const takenAs = (now: number, id: string, {upstreamId}: {upstreamId: string}) => [
  statement(
    `UPDATE outbox SET state = 'waiting', next_attempt_at = $1, leased_until = 0
      WHERE lead_id = $2 AND leased_until <= $3
        AND EXISTS (SELECT 1 FROM leads WHERE id = lead_id AND upstream_id IS NULL)`,
    now,
    id,
    now,
  ),
  statement(
    `UPDATE leads SET upstream_id = $1, status = 'pending'
      WHERE id = $2 AND upstream_id IS NULL AND status <> 'done'
        AND EXISTS (SELECT 1 FROM outbox WHERE lead_id = leads.id AND leased_until = 0) RETURNING id`,
    upstreamId,
    id,
  ),
];
