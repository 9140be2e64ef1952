/** All queries of the store for both databases, except storing new leads. */
import {dayLength} from '../config/timings.ts';
import type {Context} from './context.ts';
import {erasedFingerprint, keyLifetime, selectKey, type KnownKey} from './new-lead.ts';
import {tables, type RowOf, type TableName} from './columns.ts';
import {accountQueries} from './account-queries.ts';
import {alertQueries} from './alert-queries.ts';
import {auditQueries, deleteAuditEntries} from './audit-queries.ts';
import {createBatcher} from './batcher.ts';
import {insertRow, isThere, list, statement, upsertRow, type Database, type Row} from './database.ts';
import {dataKeyQueries} from './data-key-queries.ts';
import {erasureQueries} from './erasure-queries.ts';
import {evidenceQueries} from './evidence-queries.ts';
import {claimQueries} from './claim-queries.ts';
import {confirmationQueries, confirmationsKept} from './confirmation-queries.ts';
import {deliveryQueries} from './delivery-queries.ts';
import {figureQueries} from './figure-queries.ts';
import {withAnswers} from './answer-filter.ts';
import {leadReader} from './lead-queries.ts';
import {operatorQueries} from './operator-queries.ts';
import {outcomeQueries} from './outcome-queries.ts';
import {pauseQueries} from './pause-queries.ts';
import {createPersonIndex, personQueries, type PersonIndex} from './person-queries.ts';
import {processQueries} from './process-queries.ts';
import {privacyRequestQueries} from './privacy-request-queries.ts';
import {revocationQueries} from './revocation-queries.ts';
import {answerOf, createOpener, notesKept, unreadableLeads} from './unreadable-leads.ts';
import {settlementQueries} from './settlement-queries.ts';
import {retentionQueries} from './retention-queries.ts';
import {versionQueries} from './version-queries.ts';
import {identityOf, isErased, joinPersonal, readColumns, toRememberedText, type ReadRow} from './rows.ts';
import type {Encryptor} from './encryption.ts';
import {auditKept} from '../leads/audit.ts';
import {endedKept} from '../leads/privacy-requests.ts';
import {hashOfText} from '../leads/consent-texts.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {LeadStore} from '../leads/ports.ts';
import {requestsKept} from '../versions/request-counts.ts';

const selectLead = (id: string) => `SELECT ${readColumns} FROM leads ${joinPersonal} WHERE leads.id = ${id}`;
const selectOne = selectLead('$1');
/** @param ids SQL for a list of ids */
const recordsText = (ids: string) => `
  SELECT ${readColumns},
    CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE deliveries.lead_id = leads.id AND gives_answer = 1)
      THEN 1 ELSE 0 END AS is_answered_later
  FROM ${ids} AS listed JOIN leads ON leads.id = listed.value ${joinPersonal}`;
type RecordRow = ReadRow & {is_answered_later: number};

/** What `find` and `findRecords` need to read leads. */
type Finding = Context & {
  readRow: (id: string) => Promise<Row | undefined>;
  /** SQL that reads the rows for a list of ids. */
  selectRecords: string;
};

/** Reads single leads. Over a network, one statement reads all leads that were requested while the one before it ran. */
function rowReader({read, readOne, selectEach}: Database): Finding['readRow'] {
  const selectLeads = selectEach?.('$1', selectLead);
  if (selectLeads === undefined) return (id) => readOne(statement(selectOne, id));
  return createBatcher<string, Row | undefined>(async (ids) => {
    const rows = await read(statement(selectLeads, JSON.stringify(ids)));
    const found = new Map(rows.map((row) => [row['id'], row]));
    return ids.map((id) => ({result: found.get(id)}));
  }).add;
}

async function findOne({readRow, opener}: Finding, id: string) {
  const row = await readRow(id);
  const lead = row && opener.open(row as ReadRow);
  return lead && !isErased(lead) ? lead : undefined;
}

async function find(finding: Finding, id: string): ReturnType<LeadStore['find']> {
  const lead = await findOne(finding, id);
  if (lead instanceof LeadUnreadable) throw lead;
  if (!lead) return undefined;
  const original = lead.duplicateOf === null ? undefined : await findOne(finding, lead.duplicateOf);
  const {createdAt, lead: fields, partner} = lead;
  return {id, createdAt, lead: fields, partner, answer: answerOf(lead, original)};
}

const insertWords = insertRow('consent_words');

async function keepWords(
  write: Database['write'],
  {consentWords}: Pick<LeadStore, 'consentWords'>,
  words: readonly string[],
): Promise<void> {
  const byHash = new Map(words.map((each) => [hashOfText(each), each]));
  const stored = await consentWords([...byHash.keys()]);
  // Sorted by the key, as new leads are, so that two processes cannot deadlock.
  const missing = [...byHash].filter(([hash]) => !stored.has(hash)).sort();
  if (missing.length > 0) await write(...missing.map(([hash, each]) => statement(insertWords, hash, each)));
}

/** Returns an unreadable lead, for example one whose key is missing, instead of throwing, so that the others can still be read. */
function readRecord({opener}: Context, row: RecordRow) {
  const lead = opener.open(row);
  if (lead instanceof LeadUnreadable) return {...identityOf(row), cid: row.cid, unreadable: lead.reason};
  return isErased(lead) ? lead : {...lead, isAnsweredLater: row.is_answered_later === 1};
}

async function findRecords(finding: Finding, ids: readonly string[]): ReturnType<LeadStore['findRecords']> {
  const {read, selectRecords} = finding;
  const rows = ids.length === 0 ? [] : await read(statement(selectRecords, JSON.stringify(ids)));
  return new Map((rows as RecordRow[]).map((row) => [row.id, readRecord(finding, row)]));
}

/** The idempotency keys of erased leads are kept, so that a retry does not store such a lead again. */
const isOfLiving = `fingerprint <> '${erasedFingerprint}'`;
/** How long the report of a killed process is kept, in milliseconds. */
const processesKept = dayLength;
/** The maximum number of rows that one statement deletes. */
const deleteBatch = 1_000;
/** Tables with rows that expire: the column with the time, and how many milliseconds after it a row is kept. */
const expiring: readonly [table: TableName, column: string, kept: number, condition?: string][] = [
  ['idempotency_keys', 'created_at', keyLifetime, `AND ${isOfLiving}`],
  ['same_leads', 'created_at', keyLifetime],
  ['spent_proofs', 'expires_at', 0],
  ['version_requests', 'day', requestsKept],
  ['page_views', 'day', requestsKept],
  ['confirmations', 'created_at', confirmationsKept],
  ['processes', 'seen_at', processesKept],
  ['unreadable_leads', 'met_at', notesKept],
  ['invitations', 'expires_at', 0],
  ['operator_sessions', 'expires_at', 0],
  ['privacy_requests', 'ended_at', endedKept],
];

async function deleteExpired(context: Context, now: number): Promise<number> {
  const {write} = context;
  let deleted = await deleteAuditEntries(context, now - auditKept);
  for (const [table, column, kept, condition = ''] of expiring) {
    const key = list(tables[table].primaryKey);
    const text = `
      DELETE FROM ${table}
      WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} <= $1 ${condition} LIMIT ${deleteBatch})
      RETURNING 1 AS gone`;
    const [gone = []] = await write(statement(text, now - kept));
    deleted += gone.length;
  }
  return deleted;
}

export function leadQueries(
  database: Database,
  encryptor: Encryptor,
): Omit<LeadStore, 'accept' | 'purge'> & Pick<PersonIndex, 'ofLateLead' | 'ofSender'> {
  const {read, write, jsonList} = database;
  const {noted, ...opener} = createOpener(database, encryptor);
  const persons = createPersonIndex(database, encryptor);
  const context: Context = {...database, encryptor, opener, persons};
  const finding = {...context, readRow: rowReader(database), selectRecords: recordsText(jsonList('$1'))};
  const finder: Pick<LeadStore, 'find' | 'findRecords'> = {
    find: (id) => find(finding, id),
    findRecords: (ids) => findRecords(finding, ids),
  };
  const reader = withAnswers(leadReader(context));
  const outcomes = outcomeQueries(context);
  return {
    ...finder,
    ...claimQueries({...context, ...finder, ...outcomes}),
    ...settlementQueries({...context, ...finder}),
    ...pauseQueries(context),
    ...alertQueries(context),
    ...auditQueries(context),
    ...deliveryQueries(context),
    ...operatorQueries(context),
    ...outcomes,
    ...reader,
    ...versionQueries(context),
    ...confirmationQueries(context),
    ...processQueries(context),
    ...dataKeyQueries(context),
    ...erasureQueries(context),
    ...evidenceQueries(context),
    ...retentionQueries(context),
    ...personQueries(context),
    ...revocationQueries(context),
    ...privacyRequestQueries(context),
    ...accountQueries(context),
    ...figureQueries(context),
    ofLateLead: persons.ofLateLead,
    ofSender: persons.ofSender,
    unreadableLeads: (now) => unreadableLeads(context, now),
    deleteExpired: (now) => deleteExpired(context, now),
    /** Waits for pending notes. Leaves the connections open. */
    close: noted,

    async findByKey(owner, digest) {
      const [found] = await read<KnownKey>(selectKey(owner, digest, Date.now()));
      if (!found) return undefined;
      const {fingerprint, lead: leadId} = found;
      return {fingerprint, leadId, isErased: fingerprint === erasedFingerprint};
    },

    async receiversOf(lead) {
      const text = `
        SELECT DISTINCT destination FROM deliveries WHERE lead_id = $1
          AND content IN ('lead', 'created') AND gives_answer = 0 AND state <> 'dropped'`;
      return (await read(statement(text, lead))).map(({destination}) => String(destination));
    },

    async repeatTo({id, createdAt}, receivers) {
      const isHeld = isThere('leads WHERE id = $1 AND suppressed_at IS NOT NULL');
      const text = `
        INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous,
          ambiguous_counted, next_attempt_at, leased_until, happened_at, address, reason)
        SELECT id, $2, 'created', 0, CASE ${isHeld} WHEN 1 THEN 'held' ELSE 'waiting' END, 0, 0, 0,
          CAST($3 AS BIGINT), 0, CAST($3 AS BIGINT), $4, CASE ${isHeld} WHEN 1 THEN 'suppressed' END
        FROM leads WHERE id = $1 AND erased_at IS NULL AND revoked_at IS NULL
        ON CONFLICT (lead_id, destination, content) DO NOTHING`;
      await write(
        ...receivers.map(({destination, address}) => statement(text, id, destination, createdAt, address)),
      );
    },

    async consentTexts() {
      const text = 'SELECT partner, version, text_hash FROM consent_texts';
      return (await read<RowOf<'consent_texts'>>(statement(text))).map(toRememberedText);
    },

    keepWords: (words) => keepWords(write, reader, words),

    async probe(now, bytes) {
      // The digits change each time, because SQLite does not write a page whose bytes are unchanged.
      const filler = String(now)
        .padStart(16, '0')
        .repeat(Math.ceil(bytes / 16));
      await write(statement(upsertRow('heartbeat', 'written_at', 'filler'), 1, now, filler));
    },
  };
}
