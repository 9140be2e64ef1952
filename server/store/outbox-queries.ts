/**
 * The outbox, written once for both databases: what is to be delivered, and who is at it.
 *
 * Who may write what: a lease is told by its end, which no two leases of a lead have in common. Only who holds
 * the lease may postpone the delivery or give it up; from others this changes nothing. That the upstream has
 * the lead counts from anyone, however late, because it is true: the first word of it stands.
 *
 * A lease that ran out was never settled: its process died or lost the database, and the lead may have been
 * sent. So the mark that a POST is about to be made costs no commit: it is the lease itself.
 */
import {answerColumns, toAnswerRow} from './rows.ts';
import {statement, type Database} from './database.ts';
import type {DueDelivery, LeadStore} from './lead-store.ts';

type OutboxQueries = Pick<
  LeadStore,
  'recordUpstreamId' | 'recordAnswer' | 'claimDue' | 'postpone' | 'countWaiting'
>;

const assignments = answerColumns.map((column, index) => `${column} = $${index + 1}`).join(', ');
const idParameter = `$${answerColumns.length + 1}`;
const updateDone = `UPDATE leads SET ${assignments} WHERE id = ${idParameter} AND status <> 'done'`;
const updateRefused = `
  UPDATE leads SET ${assignments} WHERE id = ${idParameter} AND status = 'pending'
    AND EXISTS (SELECT 1 FROM outbox WHERE lead_id = leads.id AND state = 'refused')`;

/** A lease that ran out while the upstream's id is not known: `lost`, counted, and held where that is wanted. */
const claim = (skipLocked: string) => `
  WITH due AS MATERIALIZED (
    SELECT due_id, lost, CASE lost WHEN 1 THEN $1 ELSE 'waiting' END AS state_now FROM (
      SELECT lead_id AS due_id,
        CASE WHEN leased_until > 0 AND leads.id IS NOT NULL AND upstream_id IS NULL THEN 1 ELSE 0 END AS lost
      FROM outbox LEFT JOIN leads ON leads.id = lead_id
      WHERE upstream = $2 AND state = 'waiting' AND next_attempt_at <= $3
      ORDER BY next_attempt_at LIMIT $4 ${skipLocked}) AS found)
  UPDATE outbox SET
    state = state_now,
    next_attempt_at = CAST($5 AS BIGINT),
    leased_until = CASE state_now WHEN 'held' THEN 0 ELSE CAST($6 AS BIGINT) END,
    attempts = attempts + lost,
    ambiguous = ambiguous + lost,
    last_error = CASE lost WHEN 1 THEN 'It may have been sent before its process ended' ELSE last_error END
  FROM due WHERE lead_id = due_id
  RETURNING lead_id, state, attempts, ambiguous`;

export function outboxQueries({read, write, skipLocked}: Database, find: LeadStore['find']): OutboxQueries {
  const claimText = claim(skipLocked);
  return {
    async recordUpstreamId(id, upstreamId) {
      const text = 'UPDATE leads SET upstream_id = $1 WHERE id = $2 AND upstream_id IS NULL';
      await write(statement(text, upstreamId, id));
    },

    async recordAnswer(id, answer, leaseEnd, reason = null) {
      const row = toAnswerRow(answer);
      const values = answerColumns.map((column) => row[column]);
      if (answer.status === 'done') {
        const end = 'DELETE FROM outbox WHERE lead_id = $1';
        await write(statement(end, id), statement(updateDone, ...values, id));
      } else {
        const giveUp = `
          UPDATE outbox SET state = 'refused', attempts = attempts + 1, leased_until = 0, last_error = $1
          WHERE lead_id = $2 AND leased_until = $3`;
        await write(statement(giveUp, reason, id, leaseEnd), statement(updateRefused, ...values, id));
      }
    },

    async claimDue(upstream, now, leaseEnd, limit, onAmbiguous) {
      const stateOfLost = onAmbiguous === 'hold' ? 'held' : 'waiting';
      const rows = await write(statement(claimText, stateOfLost, upstream, now, limit, leaseEnd, leaseEnd));
      const idsOf = (state: string) =>
        rows.filter((row) => row['state'] === state).map((row) => String(row['lead_id']));
      const due: DueDelivery[] = [];
      for (const {lead_id, state, attempts, ambiguous} of rows) {
        if (state !== 'waiting') continue;
        const id = String(lead_id);
        const lead = await find(id);
        if (lead) {
          due.push({lead, upstream, attempts: Number(attempts), ambiguous: Number(ambiguous), leaseEnd});
        } else {
          // An operator deleted the lead by hand. Nothing else deletes the delivery that it left behind.
          await write(statement('DELETE FROM outbox WHERE lead_id = $1 AND leased_until = $2', id, leaseEnd));
        }
      }
      return {due, held: idsOf('held')};
    },

    async postpone(id, leaseEnd, {until, error, tried, ambiguous, state}) {
      const text = `
        UPDATE outbox SET next_attempt_at = $1, leased_until = 0, last_error = $2,
          attempts = attempts + $3, ambiguous = ambiguous + $4, state = $5
        WHERE lead_id = $6 AND leased_until = $7`;
      await write(statement(text, until, error, Number(tried), Number(ambiguous), state, id, leaseEnd));
    },

    async countWaiting() {
      const text = `SELECT upstream, COUNT(*) AS leads FROM outbox WHERE state = 'waiting' GROUP BY upstream`;
      return (await read(statement(text))) as {upstream: string; leads: number}[];
    },
  };
}
