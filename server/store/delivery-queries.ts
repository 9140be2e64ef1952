/**
 * The queries that claim, postpone and end deliveries, for both databases.
 *
 * Before a process works on a delivery, it takes a lease. A lease is identified by the time at which it ends, which is
 * different for each lease of a delivery. Only the process with the lease may postpone the delivery or mark it as
 * refused; the same query from another process changes nothing. But any process may report that the destination has the
 * lead, however late, and the first report counts.
 *
 * If a lease ends without a report, its process has died or lost the database, and may have sent the lead. So no commit
 * is needed right before a lead is sent: the lease itself records that it may be sent.
 */
import {answerColumns, toAnswerRow} from './rows.ts';
import {list, statement, type Database} from './database.ts';
import type {DueDelivery, Settlement} from '../leads/deliveries.ts';
import type {LeadStore} from '../leads/lead-store.ts';
import type {FinalAnswer} from '../leads/stored-lead.ts';

type DeliveryQueries = Pick<
  LeadStore,
  'recordRemoteId' | 'settle' | 'claimDue' | 'postpone' | 'countWaiting'
>;

const assignments = list(answerColumns.map((column, index) => `${column} = $${index + 1}`));
const [idParameter, destinationParameter] = [`$${answerColumns.length + 1}`, `$${answerColumns.length + 2}`];
/** SQL that stores the answer of a lead, if its delivery is now in `state` and gives the answer. */
const answerLead = (state: Settlement['state'], condition: string) => `
  UPDATE leads SET ${assignments} WHERE id = ${idParameter} AND ${condition}
    AND EXISTS (SELECT 1 FROM deliveries
      WHERE lead_id = leads.id AND destination = ${destinationParameter} AND gives_answer = 1 AND state = '${state}')`;
const answerDone = answerLead('delivered', "status <> 'done'");
const answerRefused = answerLead('refused', "status = 'pending'");

const endDelivered = `
  UPDATE deliveries SET state = 'delivered', attempts = attempts + 1, leased_until = 0, last_error = NULL,
    settled_at = $1
  WHERE lead_id = $2 AND destination = $3 AND state <> 'delivered'`;
const endRefused = `
  UPDATE deliveries SET state = 'refused', attempts = attempts + 1, leased_until = 0, last_error = $1
  WHERE lead_id = $2 AND destination = $3 AND leased_until = $4 AND settled_at IS NULL`;

/**
 * The SQL of `claimDue`. `lost` is 1 if a lease of the delivery ended without a report and no remote id is stored, so
 * that it is unknown whether the destination has the lead. Such a delivery gets the state that `onAmbiguous` asks for.
 */
const claim = (skipLocked: string) => `
  WITH due AS MATERIALIZED (
    SELECT due_id, lost, CASE lost WHEN 1 THEN $1 ELSE 'waiting' END AS state_now FROM (
      SELECT lead_id AS due_id,
        CASE WHEN leased_until > 0 AND leads.id IS NOT NULL AND remote_id IS NULL THEN 1 ELSE 0 END AS lost
      FROM deliveries LEFT JOIN leads ON leads.id = lead_id
      WHERE destination = $2 AND state = 'waiting' AND next_attempt_at <= $3
      ORDER BY next_attempt_at LIMIT $4 ${skipLocked}) AS found)
  UPDATE deliveries SET
    state = state_now,
    next_attempt_at = CAST($5 AS BIGINT),
    leased_until = CASE state_now WHEN 'held' THEN 0 ELSE CAST($6 AS BIGINT) END,
    attempts = attempts + lost,
    ambiguous = ambiguous + lost,
    ambiguous_counted = ambiguous_counted + lost,
    last_error = CASE lost WHEN 1 THEN 'The process that claimed this delivery ended, and may have sent the lead' ELSE last_error END
  FROM due WHERE lead_id = due_id AND destination = $7
  RETURNING lead_id, state, attempts, ambiguous_counted, remote_id`;

export function deliveryQueries(
  {read, write, skipLocked}: Database,
  find: LeadStore['find'],
): DeliveryQueries {
  const claimText = claim(skipLocked);
  return {
    async recordRemoteId({lead, destination}, remoteId) {
      const text =
        'UPDATE deliveries SET remote_id = $1 WHERE lead_id = $2 AND destination = $3 AND remote_id IS NULL';
      await write(statement(text, remoteId, lead, destination));
    },

    async settle({lead, destination}, leaseEnd, settlement) {
      const answerWith = (text: string, answer: FinalAnswer) => {
        const row = toAnswerRow(answer);
        return statement(text, ...answerColumns.map((column) => row[column]), lead, destination);
      };
      if (settlement.state === 'refused') {
        const end = statement(endRefused, settlement.reason, lead, destination, leaseEnd);
        await write(end, answerWith(answerRefused, {status: 'refused'}));
      } else {
        const {answer} = settlement;
        const end = statement(endDelivered, Date.now(), lead, destination);
        await write(end, ...(answer ? [answerWith(answerDone, answer)] : []));
      }
    },

    async claimDue(destination, now, leaseEnd, limit, onAmbiguous) {
      const stateOfLost = onAmbiguous === 'hold' ? 'held' : 'waiting';
      const [rows = []] = await write(
        statement(claimText, stateOfLost, destination, now, limit, leaseEnd, leaseEnd, destination),
      );
      const held: string[] = [];
      const due: DueDelivery[] = [];
      for (const {lead_id, state, attempts, ambiguous_counted, remote_id} of rows) {
        const id = String(lead_id);
        if (state === 'held') {
          held.push(id);
          continue;
        }
        const lead = await find(id);
        if (lead) {
          const remoteId = remote_id === null ? null : String(remote_id);
          const [tried, ambiguousCounted] = [Number(attempts), Number(ambiguous_counted)];
          due.push({lead, destination, remoteId, attempts: tried, ambiguousCounted, leaseEnd});
        } else {
          // An operator deleted the lead by hand, so its delivery is deleted here.
          const text = 'DELETE FROM deliveries WHERE lead_id = $1 AND destination = $2 AND leased_until = $3';
          await write(statement(text, id, destination, leaseEnd));
        }
      }
      return {due, held};
    },

    async postpone({lead, destination}, leaseEnd, {until, error, tried, ambiguous, isCounted, state}) {
      const text = `
        UPDATE deliveries SET next_attempt_at = $1, leased_until = 0, last_error = $2,
          attempts = attempts + $3, ambiguous = ambiguous + $4, ambiguous_counted = ambiguous_counted + $5, state = $6
        WHERE lead_id = $7 AND destination = $8 AND leased_until = $9 AND settled_at IS NULL`;
      const counts = [tried, ambiguous, isCounted].map(Number);
      await write(statement(text, until, error, ...counts, state, lead, destination, leaseEnd));
    },

    async countWaiting() {
      const text = `
        SELECT destination, COUNT(*) AS leads FROM deliveries WHERE state = 'waiting' GROUP BY destination`;
      const rows = await read(statement(text));
      return rows.map(({destination, leads}) => ({destination: String(destination), leads: Number(leads)}));
    },
  };
}
