/** All queries of the store for both databases, except storing new leads. */
import {keyLifetime, selectKey, selectSameLead} from './new-lead.ts';
import type {Codec} from './codec.ts';
import {tables, type RowOf, type TableName} from './columns.ts';
import {list, statement, type Database} from './database.ts';
import {confirmationQueries, confirmationsKept} from './confirmation-queries.ts';
import {deliveryQueries} from './delivery-queries.ts';
import {leadReader} from './lead-queries.ts';
import {operatorQueries} from './operator-queries.ts';
import {processQueries} from './process-queries.ts';
import {versionQueries} from './version-queries.ts';
import {
  recordColumns,
  storedColumns,
  toLeadRecord,
  toRememberedText,
  toStoredLead,
  type RecordRow,
  type StoredRow,
} from './rows.ts';
import type {LeadStore} from '../leads/lead-store.ts';
import {requestsKept} from '../versions/request-counts.ts';

const selectLead = `SELECT ${list(storedColumns)} FROM leads WHERE id = $1`;

/** Milliseconds for which the report of a process is kept that was killed. */
const processesKept = 24 * 3_600_000;

/** How many rows one statement deletes, at most. */
const deleteBatch = 1_000;

export function leadQueries(
  database: Database,
  codec: Codec,
): Omit<LeadStore, 'accept' | 'damage' | 'close'> {
  const {read, readOne, write} = database;

  const findRow = async (id: string) => (await readOne(statement(selectLead, id))) as StoredRow | undefined;

  const find = async (id: string) => {
    const row = await findRow(id);
    if (!row) return undefined;
    const stored = toStoredLead(row, codec);
    if (row.duplicate_of === null) return stored;
    // A duplicate has no answer of its own. It gets the answer of the lead into which it was merged.
    const original = await findRow(row.duplicate_of);
    return original ? {...stored, answer: toStoredLead(original, codec).answer} : stored;
  };

  const selectRecords = `
    SELECT ${list(recordColumns)}, consent,
      CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE deliveries.lead_id = leads.id AND gives_answer = 1)
        THEN 1 ELSE 0 END AS is_answered_later
    FROM ${database.jsonList('$1')} AS listed JOIN leads ON leads.id = listed.value LEFT JOIN consents ON consents.lead_id = leads.id`;

  const findRecords: LeadStore['findRecords'] = async (ids) => {
    const rows = ids.length === 0 ? [] : await read(statement(selectRecords, JSON.stringify(ids)));
    return new Map((rows as RecordRow[]).map((row) => [row.id, readRecord(row)]));
  };

  /** One lead that cannot be read, for example because its key is missing, must not stop the others. */
  function readRecord(row: RecordRow) {
    try {
      return toLeadRecord(row, codec);
    } catch {
      return {unreadable: 'The lead cannot be read from the database'};
    }
  }

  async function deleteBefore(table: TableName, column: string, before: number): Promise<number> {
    const key = list(tables[table].primaryKey);
    const text = `
      DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} <= $1 LIMIT ${deleteBatch})
      RETURNING 1 AS gone`;
    const [gone = []] = await write(statement(text, before));
    return gone.length;
  }

  return {
    find,
    findRecords,
    ...deliveryQueries(database, codec, {find, findRecords}),
    ...operatorQueries(database, codec),
    ...leadReader(database, codec),
    ...versionQueries(database),
    ...confirmationQueries(database),
    ...processQueries(database),

    async findByKey(owner, digest) {
      const [row] = await read(selectKey(owner, digest, Date.now()));
      return row && {fingerprint: String(row['fingerprint']), leadId: String(row['lead_id'])};
    },

    async findSameLead(partner, digest) {
      const [row] = await read(selectSameLead(partner, digest, Date.now()));
      return row && String(row['lead_id']);
    },

    async consentTexts() {
      const rows = (await read(
        statement('SELECT partner, version, text_hash FROM consent_texts'),
      )) as RowOf<'consent_texts'>[];
      return rows.map(toRememberedText);
    },

    async probe(now, bytes) {
      const text = `
        INSERT INTO heartbeat (id, written_at, filler) VALUES (1, $1, $2)
        ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at, filler = excluded.filler`;
      // The digits change each time, because SQLite does not write a page whose bytes stay the same.
      const filler = String(now)
        .padStart(16, '0')
        .repeat(Math.ceil(bytes / 16));
      await write(statement(text, now, filler));
    },

    async deleteExpired(now) {
      const keys = await deleteBefore('idempotency_keys', 'created_at', now - keyLifetime);
      const leads = await deleteBefore('same_leads', 'created_at', now - keyLifetime);
      const proofs = await deleteBefore('spent_proofs', 'expires_at', now);
      const requests = await deleteBefore('version_requests', 'day', now - requestsKept);
      const confirmations = await deleteBefore('confirmations', 'created_at', now - confirmationsKept);
      const processes = await deleteBefore('processes', 'seen_at', now - processesKept);
      return keys + leads + proofs + requests + confirmations + processes;
    },
  };
}
