/** All that a store does besides taking leads in, written once for both databases. */
import {statement, type Database} from './database.ts';
import {operatorQueries} from './outbox-operator.ts';
import {outboxQueries} from './outbox-queries.ts';
import {answerColumns, isThere, keyLifetime, toStoredLead, type LeadRow} from './rows.ts';
import type {LeadStore} from './lead-store.ts';

const selectLead = `
  SELECT id, created_at, cid, partner, lead_type, lead, upstream_id, duplicate_of, ${answerColumns.join(', ')}
  FROM leads WHERE id = $1`;

export function leadQueries(database: Database): Omit<LeadStore, 'accept' | 'damage' | 'close'> {
  const {read, readOne, write} = database;

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
    ...outboxQueries(database, find),
    ...operatorQueries(database),

    async findByKey(owner, digest) {
      const text = `SELECT fingerprint, lead_id FROM idempotency_keys
        WHERE owner = $1 AND digest = $2 AND created_at > $3 AND ${isThere('lead_id')}`;
      const [row] = await read(statement(text, owner, digest, Date.now() - keyLifetime));
      return row && {fingerprint: String(row['fingerprint']), leadId: String(row['lead_id'])};
    },

    async findSameLead(partner, digest) {
      const text = `SELECT lead_id FROM same_leads
        WHERE partner = $1 AND digest = $2 AND created_at > $3 AND ${isThere('lead_id')}`;
      const [row] = await read(statement(text, partner, digest, Date.now() - keyLifetime));
      return row && String(row['lead_id']);
    },

    async probe(now, bytes) {
      const text = `
        INSERT INTO heartbeat (id, written_at, filler) VALUES (1, $1, $2)
        ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at, filler = excluded.filler`;
      // Other digits each time: SQLite does not write a page whose bytes stay the same.
      const filler = String(now)
        .padStart(16, '0')
        .repeat(Math.ceil(bytes / 16));
      await write(statement(text, now, filler));
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
  };
}
