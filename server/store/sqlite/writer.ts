/**
 * The thread that writes to the SQLite file, so that an fsync does not block the event loop of the server. The thread
 * receives batches, commits each batch once, and sends back the outcome of each write.
 */
import {parentPort, workerData} from 'node:worker_threads';
import {decide, rowsOf, selectKey, selectSameLead, type Written} from '../new-lead.ts';
import type {Outcome} from '../batcher.ts';
import {tables, type TableName, type Value} from '../columns.ts';
import {insertText, list, statement, type Row, type Statement} from '../database.ts';
import {newTables, type NewRows} from '../rows.ts';
import {createRunner, emptyLog, inTransaction, openWriter} from './connection.ts';
import {primaryCode} from './files.ts';

export type WriterSettings = {path: string};

export type Write = {accept: NewRows} | {statements: readonly Statement[]};

const {path} = workerData as WriterSettings;
const {database, before} = openWriter(path);
const {all: run} = createRunner(database);

if (!parentPort) throw new Error('The writer of the database runs as a thread');
const port = parentPort;
port.on('message', (batch: Write[] | 'close') => {
  if (batch === 'close') {
    close();
    port.close();
  } else port.postMessage(commit(batch));
});
port.postMessage(before);

/** Returns the outcomes in the order of the batch, or the error if the whole batch was rolled back. */
function commit(batch: Write[]): Outcome<Written | Row[][]>[] | string {
  try {
    return inTransaction(database, () => batch.map(attempt));
  } catch (error) {
    return String(error);
  }
}

/** If a write fails, only this write is undone and the batch goes on, unless SQLite ended the whole transaction. */
function attempt(write: Write): Outcome<Written | Row[][]> {
  run(savepoint);
  try {
    const result = 'accept' in write ? accept(write.accept) : write.statements.map(run);
    run(release);
    return {result};
  } catch (error) {
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO one; RELEASE one');
    return {error: String(error), aboutRow: isAboutRow(error)};
  }
}

const [savepoint, release] = [statement('SAVEPOINT one'), statement('RELEASE one')];

/** SQLite's result codes for a row that is too large (18), violates a constraint (19), or has a wrong type (20). */
const isAboutRow = (error: unknown) => [18, 19, 20].includes(primaryCode(error));

/** In the order of `newTables`, so that a lead is inserted before the rows that refer to it. */
const inserters = newTables.map((table) => [table, inserter(table)] as const);

function accept(rows: NewRows): Written {
  const written = decide(rows, lookUp(rows));
  if (written.outcome !== 'created') return written;
  const all = rowsOf(rows, written.duplicateOf);
  for (const [table, insert] of inserters) for (const row of all[table]) run(insert(row));
  return written;
}

function lookUp({leads: [{created_at: now}], ...rows}: NewRows) {
  const [[key], [proof], [same]] = [rows.idempotency_keys, rows.spent_proofs, rows.same_leads];
  const [used] = key ? run(selectKey(key.owner, key.digest, now)) : [];
  const [spent] = proof ? run(statement('SELECT 1 FROM spent_proofs WHERE nonce = $1', proof.nonce)) : [];
  const [original] = same ? run(selectSameLead(same.partner, same.digest, now)) : [];
  return {
    key: used && {fingerprint: String(used['fingerprint']), lead: String(used['lead_id'])},
    isProofSpent: spent !== undefined,
    original: original && String(original['lead_id']),
  };
}

/** Returns a function that makes the statement that inserts a row into the table. */
function inserter(table: TableName) {
  const columns = Object.keys(tables[table].columns);
  const text = insertText(table, () => `VALUES (${list(columns.map((_, index) => `$${index + 1}`))})`);
  return (row: Readonly<Record<string, Value>>) =>
    statement(text, ...columns.map((column) => row[column] ?? null));
}

/**
 * Moves all commits from the log (-wal) to the main file, so that the main file alone holds all leads. SQLite deletes
 * the log when the last connection closes, which is this connection unless a backup is running.
 */
function close() {
  try {
    emptyLog(database);
  } catch {
    // The disk is full or failed. The leads stay in the log, and the next start reads them from there.
  }
  database.close();
}
