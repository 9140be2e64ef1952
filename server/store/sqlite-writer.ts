/**
 * The one writer of the SQLite file, in a thread of its own: an fsync never stops the event loop. Takes
 * batches, commits each once, and tells what became of every write in it.
 */
import {DatabaseSync} from 'node:sqlite';
import {parentPort, workerData} from 'node:worker_threads';
import type {Outcome} from './batcher.ts';
import {migrations} from './migrations.ts';
import type {Row, Statement} from './database.ts';
import {isThere, keyLifetime, leadColumns, type AcceptRow, type Written} from './rows.ts';
import {primaryCode, refuseDamaged} from './sqlite-files.ts';
import {createRunner} from './sqlite-statements.ts';

/** `commitDelay`: milliseconds added to each commit, for measuring what a slow disk would do. */
export type WriterSettings = {path: string; commitDelay: number};

export type Write = {accept: AcceptRow} | {statements: readonly Statement[]};

const {path, commitDelay} = workerData as WriterSettings;
refuseDamaged(path);
const database = new DatabaseSync(path, {timeout: 2_000});
// FULL: a commit returns after its fsync. The promise that no acknowledged lead is lost rests on this line.
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
// In pages. Four times the usual: a page that many leads share is copied to the file once for all of them.
database.exec('PRAGMA wal_autocheckpoint = 4000');
// What a crash left in the log goes into the file, and the log begins anew: a commit that the crash cut off would stay
// behind later ones, where it looks like damage.
database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
migrate();

const {all: run} = createRunner(database);

parentPort!.on('message', (batch: Write[] | 'close') => {
  if (batch === 'close') {
    close();
    parentPort!.close();
  } else parentPort!.postMessage(commit(batch));
});
parentPort!.postMessage('ready');

/** The outcomes in the order of the batch, or the error for which all of it was rolled back. */
function commit(batch: Write[]): Outcome<Written | Row[]>[] | string {
  try {
    return inTransaction(() => {
      const outcomes = batch.map(attempt);
      if (commitDelay > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commitDelay);
      return outcomes;
    });
  } catch (error) {
    return String(error);
  }
}

function inTransaction<Result>(work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A write that fails is undone alone and the batch goes on, unless SQLite ended the whole transaction. */
function attempt(write: Write): Outcome<Written | Row[]> {
  run('SAVEPOINT one');
  try {
    const result = 'accept' in write ? accept(write.accept) : runAll(write.statements);
    run('RELEASE one');
    return {result};
  } catch (error) {
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO one; RELEASE one');
    return {error: String(error), aboutRow: isAboutRow(error)};
  }
}

/** SQLite's result codes for a row that is too big, breaks a constraint, or has a value of another type. */
const isAboutRow = (error: unknown) => [18, 19, 20].includes(primaryCode(error));

const runAll = (statements: readonly Statement[]) =>
  statements.map(({text, values}) => run(text, ...values)).at(-1) ?? [];

const insertLead = `
  INSERT INTO leads (${leadColumns.join(', ')}, duplicate_of)
  VALUES (${leadColumns.map((_, index) => `$${index + 1}`).join(', ')}, $${leadColumns.length + 1})`;

function accept(row: AcceptRow): Written {
  const {id, created_at: now, key_owner, key_digest, key_fingerprint} = row;
  const outlived = now - keyLifetime;
  if (key_owner !== null) {
    const select = `SELECT fingerprint, lead_id FROM idempotency_keys
      WHERE owner = $1 AND digest = $2 AND created_at > $3 AND ${isThere('lead_id')}`;
    const [used] = run(select, key_owner, key_digest, outlived);
    if (used && used['fingerprint'] !== key_fingerprint) return {outcome: 'key-reused'};
    if (used) return {outcome: 'replayed', lead: String(used['lead_id'])};
  }
  if (row.proof_nonce !== null) {
    const spend = 'INSERT INTO spent_proofs VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING nonce';
    if (run(spend, row.proof_nonce, row.proof_expires_at).length === 0) return {outcome: 'proof-spent'};
  }
  const original = row.same_lead === null ? undefined : originalOf(row, outlived);
  run(insertLead, ...leadColumns.map((column) => row[column]), original ?? null);
  if (row.same_lead !== null && !original) {
    run('INSERT OR REPLACE INTO same_leads VALUES ($1, $2, $3, $4)', row.partner, row.same_lead, id, now);
  }
  if (key_owner !== null) {
    const insert = 'INSERT OR REPLACE INTO idempotency_keys VALUES ($1, $2, $3, $4, $5)';
    run(insert, key_owner, key_digest, key_fingerprint, id, now);
  }
  if (row.upstream !== null && !original) {
    const insert = `INSERT INTO outbox (lead_id, upstream, state, attempts, ambiguous, next_attempt_at, leased_until)
      VALUES ($1, $2, $3, 0, 0, $4, $5)`;
    run(insert, id, row.upstream, row.delivery_state, row.next_attempt_at, row.leased_until);
  }
  if (row.consent !== null) run('INSERT INTO consents VALUES ($1, $2)', id, row.consent);
  return {outcome: 'created', duplicateOf: original ?? null};
}

function originalOf({partner, same_lead}: AcceptRow, outlived: number): string | undefined {
  const select = `SELECT lead_id FROM same_leads
    WHERE partner = $1 AND digest = $2 AND created_at > $3 AND ${isThere('lead_id')}`;
  const [same] = run(select, partner, same_lead, outlived);
  return same && String(same['lead_id']);
}

/**
 * Moves what is in the log (-wal) into the main file, so that the main file copied alone holds every lead. The
 * log disappears with the last connection, which this one is where no backup is running.
 */
function close() {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A disk that is full or gone: the leads stay in the log, and the next start reads them from there.
  }
  database.close();
}

function migrate() {
  const version = Number(database.prepare('PRAGMA user_version').get()!['user_version']);
  if (version > migrations.length) throw new Error('The database was made by a newer version');
  const dialect = {integer: 'INTEGER', tableOptions: 'STRICT, WITHOUT ROWID'};
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    inTransaction(() => database.exec(`${migration(dialect)} PRAGMA user_version = ${index + 1}`));
  }
}
