/** All that a store does besides taking leads in, written once for both databases. */
import {answerColumns, keyLifetime, toAnswerRow, toStoredLead, type LeadRow, type Value} from './rows.ts';
import type {LeadStore, OutboxRow} from './lead-store.ts';

/** Parameters are `$1`, `$2` and so on, each once and in this order, in both databases. */
export type Statement = {text: string; values: readonly Value[]};
export type Row = Record<string, Value>;

export type Database = {
  read: (statement: Statement) => Promise<Row[]>;
  readOne: (statement: Statement) => Promise<Row | undefined>;
  /** In one transaction; resolves after its commit with the rows of the last statement. */
  write: (...statements: Statement[]) => Promise<Row[]>;
  /** How a row that another process works on is passed over; empty where there is one process. */
  skipLocked: string;
};

const statement = (text: string, ...values: Value[]): Statement => ({text, values});

const selectLead = `
  SELECT id, created_at, cid, partner, lead_type, lead, upstream_id, duplicate_of, ${answerColumns.join(', ')}
  FROM leads WHERE id = $1`;

const updateAnswer = `
  UPDATE leads SET ${answerColumns.map((column, index) => `${column} = $${index + 1}`).join(', ')}
  WHERE id = $${answerColumns.length + 1}`;

export function leadQueries({
  read,
  readOne,
  write,
  skipLocked,
}: Database): Omit<LeadStore, 'accept' | 'close'> {
  const findRow = async (id: string) => {
    const row = await readOne(statement(selectLead, id));
    return row as (LeadRow & {duplicate_of: string | null}) | undefined;
  };

  const find = async (id: string) => {
    const row = await findRow(id);
    if (!row) return undefined;
    if (row.duplicate_of === null) return toStoredLead(row);
    // A duplicate has no answer of its own: it shows that of the lead that is delivered.
    const original = await findRow(row.duplicate_of);
    const stored = toStoredLead(row);
    return original ? {...stored, answer: toStoredLead(original).answer} : stored;
  };

  return {
    find,

    async findByKey(owner, digest) {
      const text =
        'SELECT fingerprint, lead_id FROM idempotency_keys WHERE owner = $1 AND digest = $2 AND created_at > $3';
      const [row] = await read(statement(text, owner, digest, Date.now() - keyLifetime));
      return row && {fingerprint: String(row['fingerprint']), leadId: String(row['lead_id'])};
    },

    async findSameLead(partner, digest) {
      const text = 'SELECT lead_id FROM same_leads WHERE partner = $1 AND digest = $2 AND created_at > $3';
      const [row] = await read(statement(text, partner, digest, Date.now() - keyLifetime));
      return row && String(row['lead_id']);
    },

    async recordUpstreamId(id, upstreamId) {
      await write(statement('UPDATE leads SET upstream_id = $1 WHERE id = $2', upstreamId, id));
    },

    async recordAnswer(id, answer) {
      const row = toAnswerRow(answer);
      const settle =
        answer.status === 'refused'
          ? "UPDATE outbox SET state = 'refused' WHERE lead_id = $1"
          : 'DELETE FROM outbox WHERE lead_id = $1';
      const values = answerColumns.map((column) => row[column]);
      await write(statement(updateAnswer, ...values, id), statement(settle, id));
    },

    async claimDue(now, leaseEnd, limit) {
      const rows = await write(
        statement(
          `UPDATE outbox SET next_attempt_at = $1, attempts = attempts + 1, last_error = NULL
           WHERE lead_id IN (
             SELECT lead_id FROM outbox WHERE state = 'waiting' AND next_attempt_at <= $2
             ORDER BY next_attempt_at LIMIT $3 ${skipLocked})
           RETURNING lead_id, upstream, attempts`,
          leaseEnd,
          now,
          limit,
        ),
      );
      const leads = await Promise.all(rows.map((row) => find(String(row['lead_id']))));
      return rows.map((row, index) => ({
        lead: leads[index]!,
        upstream: String(row['upstream']),
        attempts: Number(row['attempts']),
        leaseEnd,
      }));
    },

    async postpone(id, until, {error, ambiguous, state}) {
      const text = `
        UPDATE outbox SET next_attempt_at = $1, last_error = $2, ambiguous = ambiguous + $3, state = $4
        WHERE lead_id = $5`;
      await write(statement(text, until, error, ambiguous ? 1 : 0, state, id));
    },

    async forgetExpired(now) {
      const forget = (table: string, key: string, column: string, before: number) =>
        write(
          statement(
            `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} <= $1 LIMIT 1000)
             RETURNING 1 AS gone`,
            before,
          ),
        );
      const keys = await forget('idempotency_keys', 'owner, digest', 'created_at', now - keyLifetime);
      const leads = await forget('same_leads', 'partner, digest', 'created_at', now - keyLifetime);
      const proofs = await forget('spent_proofs', 'nonce', 'expires_at', now);
      return keys.length + leads.length + proofs.length;
    },

    async listOutbox(limit) {
      const text = `
        SELECT lead_id AS lead, upstream, state, attempts, ambiguous,
          next_attempt_at AS "nextAttemptAt", last_error AS "lastError"
        FROM outbox ORDER BY lead_id LIMIT $1`;
      return (await read(statement(text, limit))) as OutboxRow[];
    },

    async retryOutbox(now, id) {
      // What has no error yet is under way: due now, it would be sent twice.
      const set = `UPDATE outbox SET state = 'waiting', next_attempt_at = $1
        WHERE (state <> 'waiting' OR last_error IS NOT NULL)`;
      // A refused lead is pending again while it is tried.
      const revive = "UPDATE leads SET status = 'pending' WHERE status = 'refused' AND id";
      const rows = await (id === undefined
        ? write(
            statement(`${revive} IN (SELECT lead_id FROM outbox WHERE state = 'refused')`),
            statement(`${set} RETURNING lead_id`, now),
          )
        : write(
            statement(`${revive} = $1`, id),
            statement(`${set} AND lead_id = $2 RETURNING lead_id`, now, id),
          ));
      return rows.length;
    },
  };
}
