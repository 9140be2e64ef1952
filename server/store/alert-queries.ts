/** The queries behind alerts by e-mail, for both databases. Of several processes, one claims each e-mail and sends it. */
import type {Alert, AlertPort} from '../leads/ports.ts';
import {statement, type Database} from './database.ts';

/** Until the first e-mail, the title is updated, because more leads may be concerned by then. */
const note = `
  INSERT INTO troubles (name, title, began_at, seen_at, told, due_at) VALUES ($1, $2, $3, $3, 0, $4)
  ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at,
    title = CASE troubles.told WHEN 0 THEN excluded.title ELSE troubles.title END`;
/** A trouble that is over is due at once. A process that claims it takes a lease, after which it is due again. */
const claim = `
  UPDATE troubles SET due_at = $1, told = CASE WHEN seen_at <= $3 THEN 2 ELSE told END
  WHERE (seen_at = $2 AND due_at <= $2) OR (seen_at <= $3 AND (due_at <= $2 OR told = 1))
  RETURNING name, title, began_at AS "beganAt", seen_at AS "seenAt", told`;

export const alertQueries = ({read, write, oneByOne}: Database): AlertPort => ({
  async claimAlerts(troubles, now, {after, lease}) {
    const results = await write(
      statement(oneByOne('alerts')),
      ...troubles.map(({name, title, isUrgent}) =>
        statement(note, name, title, now, isUrgent ? now : now + after),
      ),
      statement('DELETE FROM troubles WHERE told = 0 AND seen_at <= $1', now - after),
      statement(claim, now + lease, now, now - after),
    );
    return results.at(-1) as Alert[];
  },

  async settleAlert({name, told}, dueAt, failure) {
    const text = 'UPDATE troubles SET told = $1, due_at = $2, last_error = $3 WHERE name = $4';
    await write(statement(text, told, dueAt, failure, name));
  },

  async endAlert(name) {
    await write(statement('DELETE FROM troubles WHERE name = $1', name));
  },

  async alertFailures() {
    const text = 'SELECT DISTINCT last_error FROM troubles WHERE last_error IS NOT NULL';
    return (await read(statement(text))).map(({last_error}) => String(last_error));
  },
});
