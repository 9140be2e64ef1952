/** All queries of the store for both databases, except storing new leads. */
import {erasedFingerprint, keyLifetime, selectKey} from './new-lead.ts';
import {tables, type RowOf, type TableName} from './columns.ts';
import {createBatcher} from './batcher.ts';
import {list, statement, type Database, type Row} from './database.ts';
import {dataKeyQueries} from './data-key-queries.ts';
import {erasureQueries} from './erasure-queries.ts';
import {confirmationQueries, confirmationsKept} from './confirmation-queries.ts';
import {deliveryQueries} from './delivery-queries.ts';
import {leadReader} from './lead-queries.ts';
import {operatorQueries} from './operator-queries.ts';
import {processQueries} from './process-queries.ts';
import {answerOf, notesKept, unreadableLeads} from './unreadable-leads.ts';
import {sweepQueries} from './sweep-queries.ts';
import {versionQueries} from './version-queries.ts';
import {isErased, joinPersonal, readColumns, toRememberedText, type ReadRow} from './rows.ts';
import type {Sealer} from './sealing.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {LeadStore} from '../leads/ports.ts';
import {requestsKept} from '../versions/request-counts.ts';

const selectLead = (id: string) => `SELECT ${readColumns} FROM leads ${joinPersonal} WHERE leads.id = ${id}`;

/** The keys of erased leads stay, so that a retry does not store such a lead again. */
const isOfLiving = `fingerprint <> '${erasedFingerprint}'`;

/** Milliseconds for which the report of a process is kept that was killed. */
const processesKept = 24 * 3_600_000;

type RecordRow = ReadRow & {is_answered_later: number};

/** How many rows one statement deletes, at most. */
const deleteBatch = 1_000;

export function leadQueries(database: Database, sealer: Sealer): Omit<LeadStore, 'accept' | 'purge'> {
  const {read, readOne, write, selectEach} = database;
  const opener = unreadableLeads(database, sealer);

  const selectLeads = selectEach?.('$1', selectLead);
  /** Over a network, a statement reads all leads that were asked for while the one before it ran. */
  const reads =
    selectLeads &&
    createBatcher<string, Row | undefined>(async (ids) => {
      const rows = await read(statement(selectLeads, JSON.stringify(ids)));
      const found = new Map(rows.map((row) => [row['id'], row]));
      return ids.map((id) => ({result: found.get(id)}));
    });
  const readLead = reads ? reads.add : (id: string) => readOne(statement(selectLead('$1'), id));

  async function findOne(id: string) {
    const row = await readLead(id);
    const lead = row && opener.open(row as ReadRow);
    return lead && !isErased(lead) ? lead : undefined;
  }

  const find: LeadStore['find'] = async (id) => {
    const lead = await findOne(id);
    if (lead instanceof LeadUnreadable) throw lead;
    if (!lead) return undefined;
    const original = lead.duplicateOf === null ? undefined : await findOne(lead.duplicateOf);
    const {createdAt, lead: fields, partner} = lead;
    return {id, createdAt, lead: fields, partner, answer: answerOf(lead, original)};
  };

  const selectRecords = `
    SELECT ${readColumns},
      CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE deliveries.lead_id = leads.id AND gives_answer = 1)
        THEN 1 ELSE 0 END AS is_answered_later
    FROM ${database.jsonList('$1')} AS listed JOIN leads ON leads.id = listed.value ${joinPersonal}`;

  const findRecords: LeadStore['findRecords'] = async (ids) => {
    const rows = ids.length === 0 ? [] : await read(statement(selectRecords, JSON.stringify(ids)));
    return new Map((rows as RecordRow[]).map((row) => [row.id, readRecord(row)]));
  };

  /** One lead that cannot be read, for example because its key is missing, must not stop the others. */
  function readRecord(row: RecordRow) {
    const lead = opener.open(row);
    if (lead instanceof LeadUnreadable) return {unreadable: lead.reason};
    return isErased(lead) ? lead : {...lead, isAnsweredLater: row.is_answered_later === 1};
  }

  async function deleteBefore(table: TableName, column: string, before: number, extra = ''): Promise<number> {
    const key = list(tables[table].primaryKey);
    const text = `
      DELETE FROM ${table}
      WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} <= $1 ${extra} LIMIT ${deleteBatch})
      RETURNING 1 AS gone`;
    const [gone = []] = await write(statement(text, before));
    return gone.length;
  }

  return {
    find,
    findRecords,
    ...deliveryQueries(database, sealer, {find, findRecords}),
    ...operatorQueries(database, sealer),
    ...leadReader(database, opener),
    ...versionQueries(database),
    ...confirmationQueries(database),
    ...processQueries(database),
    ...dataKeyQueries({...database, sealer, ...opener}),
    ...erasureQueries({...database, sealer, opener}),
    ...sweepQueries({...database, sealer, opener}),
    unreadableLeads: (now) => opener.unreadableLeads(now),
    /** Leaves the connections open. */
    close: () => opener.noted(),

    async findByKey(owner, digest) {
      const [row] = await read(selectKey(owner, digest, Date.now()));
      if (!row) return undefined;
      const fingerprint = String(row['fingerprint']);
      return {fingerprint, leadId: String(row['lead_id']), isErased: fingerprint === erasedFingerprint};
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
      const keys = await deleteBefore(
        'idempotency_keys',
        'created_at',
        now - keyLifetime,
        `AND ${isOfLiving}`,
      );
      const leads = await deleteBefore('same_leads', 'created_at', now - keyLifetime);
      const proofs = await deleteBefore('spent_proofs', 'expires_at', now);
      const requests = await deleteBefore('version_requests', 'day', now - requestsKept);
      const confirmations = await deleteBefore('confirmations', 'created_at', now - confirmationsKept);
      const processes = await deleteBefore('processes', 'seen_at', now - processesKept);
      const notes = await deleteBefore('unreadable_leads', 'met_at', now - notesKept);
      return keys + leads + proofs + requests + confirmations + processes + notes;
    },
  };
}
