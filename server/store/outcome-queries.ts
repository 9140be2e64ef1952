/** The queries of what became of leads, for both databases. */
import {type OutcomeEntry, type OutcomeStore} from '../leads/outcomes.ts';
import type {Context} from './context.ts';
import {statement, type Statement} from './database.ts';
import {boundColumns, DecryptionError, outcomePart, type Bound, type EncryptedText} from './encryption.ts';
import {lockDeliveries} from './erasure-queries.ts';

/** SQL for a column of the newest outcome of a lead that nobody has taken back. NULL without one. @param lead SQL for its id */
export const newestOutcome = (column: 'id' | 'outcome' | 'actor', lead: string) => `
  (SELECT ${column} FROM outcomes AS said WHERE said.lead_id = ${lead} AND said.outcome IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM outcomes AS undo WHERE undo.lead_id = said.lead_id AND undo.undoes = said.id)
    ORDER BY said.at DESC LIMIT 1)`;

const selectOutcomes = (leads: string) => `
  SELECT outcomes.lead_id AS lead, outcomes.id AS entry, at, actor, outcome, undoes, data_key, blob, ${boundColumns}
  FROM outcomes JOIN leads ON leads.id = outcomes.lead_id
  LEFT JOIN sealed ON sealed.lead_id = outcomes.lead_id AND part = 'outcome ' || outcomes.id
  WHERE outcomes.lead_id IN ${leads} ORDER BY outcomes.lead_id, at`;
type OutcomeRow = Pick<OutcomeEntry, 'lead' | 'at' | 'actor' | 'outcome' | 'undoes'> &
  Bound & {entry: string} & (EncryptedText | {data_key: null; blob: null});

/** SQL that is true for entries of which destinations are told: outcomes, and taking one back. They are not told of mere notes. */
const isTold = `(outcomes.outcome IS NOT NULL OR EXISTS (SELECT 1 FROM outcomes AS undone
    WHERE undone.lead_id = outcomes.lead_id AND undone.id = outcomes.undoes AND undone.outcome IS NOT NULL))`;
const selectBound = `SELECT ${boundColumns} FROM leads WHERE id = $1 AND erased_at IS NULL`;
/** Stores amount and note. Runs before `insertOutcome`, so that a repeat does not change those of an outcome that is stored. */
const insertText = `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT id, $1, CAST($2 AS BIGINT), $3 FROM leads WHERE id = $4 AND erased_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM outcomes WHERE lead_id = leads.id AND outcomes.id = $5)
  ON CONFLICT (lead_id, part) DO NOTHING`;
const insertOutcome = `
  INSERT INTO outcomes (lead_id, id, at, actor, outcome, undoes)
  SELECT leads.id, $1, CASE WHEN CAST($2 AS BIGINT) > newest THEN CAST($2 AS BIGINT) ELSE newest + 1 END, $3, $4, $5
  FROM leads, (SELECT COALESCE(MAX(at), 0) AS newest FROM outcomes WHERE lead_id = $6) AS earlier
  WHERE leads.id = $6 AND erased_at IS NULL ON CONFLICT (lead_id, id) DO NOTHING`;
/** Stores the delivery of the outcome, in place of an earlier outcome's that has ended. If it has not, `tellNext` does so later. */
const tellText = `
  INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous, ambiguous_counted,
    next_attempt_at, leased_until, happened_at, address)
  SELECT lead_id, $1, 'outcome', 0, 'waiting', 0, 0, 0, at, 0, at, $2 FROM outcomes
  WHERE lead_id = $3 AND id = $4 AND ${isTold} AND EXISTS (SELECT 1 FROM deliveries AS had WHERE had.lead_id = outcomes.lead_id
    AND had.destination = $1 AND had.content = 'created' AND had.state NOT IN ('held', 'dropped'))
  ON CONFLICT (lead_id, destination, content) DO UPDATE SET state = 'waiting', settled_at = NULL, leased_until = 0,
    attempts = 0, ambiguous = 0, ambiguous_counted = 0, failing_since = NULL, last_error = NULL, reason = NULL,
    next_attempt_at = excluded.next_attempt_at, happened_at = excluded.happened_at, address = excluded.address
  WHERE deliveries.settled_at IS NOT NULL AND deliveries.happened_at < excluded.happened_at`;

/** After a destination has taken an outcome: makes the next one of the lead due, so that it gets each of them, in their order. */
const nextText = `
  UPDATE deliveries SET state = 'waiting', settled_at = NULL, attempts = 0, next_attempt_at = $1,
    happened_at = (SELECT MIN(at) FROM outcomes WHERE outcomes.lead_id = deliveries.lead_id AND at > happened_at AND ${isTold})
  WHERE lead_id = $2 AND destination = $3 AND content = 'outcome' AND state = 'delivered'
    AND EXISTS (SELECT 1 FROM outcomes WHERE outcomes.lead_id = deliveries.lead_id AND at > happened_at AND ${isTold})`;
export const tellNext = (now: number, lead: string, destination: string): Statement =>
  statement(nextText, now, lead, destination);

export const outcomeQueries = (context: Context): OutcomeStore => ({
  async outcomesOf(leads) {
    const {read, jsonList, encryptor, opener} = context;
    if (leads.length === 0) return new Map();
    const rows = await read<OutcomeRow>(statement(selectOutcomes(jsonList('$1')), JSON.stringify(leads)));
    const open = ({lead, entry: id, at, actor, outcome, undoes, ...row}: OutcomeRow): OutcomeEntry => {
      const entry = {lead, id, at, actor, outcome, undoes, amount: null, note: null};
      if (row.data_key === null) return entry;
      try {
        return {...entry, ...(JSON.parse(encryptor.of(row).decrypt(row, outcomePart(id))) as object)};
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error;
        opener.note(lead);
        return entry;
      }
    };
    return Map.groupBy(rows.map(open), ({lead}) => lead);
  },

  async addOutcome({lead, id, at, actor, outcome, undoes, amount, note}, tells) {
    const {readOne, write, forUpdate, encryptor} = context;
    const bound = await readOne<Bound>(statement(selectBound, lead));
    if (!bound) return;
    const sealed = [amount, note].some((each) => each !== null)
      ? encryptor.of(bound).encrypt(JSON.stringify({amount, note}), outcomePart(id))
      : undefined;
    await write(
      // Locks in the order of an erasure, to avoid deadlocks. Another entry waits for the lock, so that it gets a later time.
      lockDeliveries(context, lead),
      statement(`SELECT id FROM leads WHERE id = $1 ${forUpdate('leads')}`, lead),
      ...(sealed ? [statement(insertText, outcomePart(id), sealed.data_key, sealed.blob, lead, id)] : []),
      statement(insertOutcome, id, at, actor, outcome, undoes, lead),
      ...(undoes === null
        ? []
        : [statement('DELETE FROM sealed WHERE lead_id = $1 AND part = $2', lead, outcomePart(undoes))]),
      ...tells.map(({destination, address}) => statement(tellText, destination, address, lead, id)),
    );
  },
});
