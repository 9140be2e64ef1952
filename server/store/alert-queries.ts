/** The queries by which one of several processes tells operators by e-mail what needs one, for both databases. */
import type {Alert, AlertPort} from '../leads/ports.ts';
import {statement, type Database} from './database.ts';

export const alertQueries = ({read, write, oneByOne, jsonList}: Database): AlertPort => ({
  async claimAlerts(needing, now, {after, lease}, urgent = []) {
    const note = `
      INSERT INTO alerts (destination, seen_at, told, due_at)
      SELECT value, CAST($1 AS BIGINT), 0, CASE WHEN value IN ${jsonList('$4')} THEN CAST($1 AS BIGINT) ELSE CAST($2 AS BIGINT) END
      FROM ${jsonList('$3')} AS listed
      WHERE 1 = 1 ON CONFLICT (destination) DO UPDATE SET seen_at = excluded.seen_at`;
    // What is over is due at once. Once a process has claimed that, it is due again when the lease ends.
    const claim = `
      UPDATE alerts SET due_at = $1, told = CASE WHEN seen_at <= $3 THEN 2 ELSE told END
      WHERE (seen_at = $2 AND due_at <= $2) OR (seen_at <= $3 AND (due_at <= $2 OR told = 1))
      RETURNING destination, told`;
    const results = await write(
      statement(oneByOne('alerts')),
      statement(note, now, now + after, JSON.stringify(needing), JSON.stringify(urgent)),
      statement('DELETE FROM alerts WHERE told = 0 AND seen_at <= $1', now - after),
      statement(claim, now + lease, now, now - after),
    );
    return results.at(-1) as Alert[];
  },

  async settleAlert(destination, told, dueAt, failure) {
    const text = 'UPDATE alerts SET told = $1, due_at = $2, last_error = $3 WHERE destination = $4';
    await write(statement(text, told, dueAt, failure, destination));
  },

  async alertFailures() {
    const rows = await read(statement('SELECT DISTINCT last_error FROM alerts WHERE last_error IS NOT NULL'));
    return rows.map(({last_error}) => String(last_error));
  },
});
