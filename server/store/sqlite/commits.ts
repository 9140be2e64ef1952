/**
 * Commits writes to the SQLite file, each batch in one transaction. The server runs this in a thread (writer.ts), the simulation
 * (test/simulation) in its main thread.
 */
import {dirname} from 'node:path';
import type {Outcome} from '../batcher.ts';
import {tables, type TableName, type Value} from '../columns.ts';
import {insertRow, statement, type Row, type Statement} from '../database.ts';
import {
  decide,
  rowsOf,
  selectKey,
  selectSameLead,
  type Known,
  type KnownKey,
  type Written,
} from '../new-lead.ts';
import {held, isHeldWith, newTables, encryptRows, selectSuppressed, type NewRows} from '../new-rows.ts';
import type {Encryptor} from '../encryption.ts';
import {
  createRunner,
  emptyLog,
  emptyLogAtOnce,
  inTransaction,
  openWriter,
  quoted,
  type Runner,
} from './connection.ts';
import {refusalOf} from './files.ts';

/**
 * A new lead, statements that belong together, or work for after the batch: emptying the log, so that it no longer holds deleted
 * data, or rewriting the file. The outcome of `emptyLog` is false while another connection reads.
 */
export type Write = {accept: NewRows} | {statements: readonly Statement[]} | {after: 'emptyLog' | 'vacuum'};
export type Result = Written | Row[][] | boolean;

/** The outcomes in the order of the batch, or the error if the whole batch was rolled back. */
export type Outcomes = Outcome<Result>[] | string;

export type Commits = ReturnType<typeof openCommits>;

/** @throws Error as `openWriter` */
export function openCommits(path: string, encryptor: Encryptor) {
  const {database, before} = openWriter(path, encryptor);
  const {all: run} = createRunner(database);

  /** If a write fails, only this write is undone and the batch goes on, unless SQLite ended the whole transaction. */
  function attempt(write: Write): Outcome<Result> {
    if ('after' in write) return {result: false};
    run(savepoint);
    try {
      const result = 'accept' in write ? acceptRows(run, write.accept, encryptor) : write.statements.map(run);
      run(release);
      return {result};
    } catch (error) {
      if (!database.isTransaction) throw error;
      database.exec('ROLLBACK TO one; RELEASE one');
      return {error: String(error), refusal: refusalOf(error)};
    }
  }

  /** @returns whether the log is empty */
  function runAfter(what: 'emptyLog' | 'vacuum'): Outcome<Result> {
    try {
      if (what === 'vacuum') {
        // In a container, the usual folders of temporary files may be read-only.
        database.exec(`PRAGMA temp_store_directory = '${quoted(dirname(path))}'; VACUUM`);
      }
      return {result: emptyLogAtOnce(database)};
    } catch (error) {
      // If VACUUM fails because the disk is full, it leaves a large log.
      if (what === 'vacuum') emptyLogAtOnce(database);
      return {error: String(error)};
    }
  }

  return {
    /** The schema version that the database had, 0 if it was empty. */
    before,
    commit(batch: readonly Write[]): Outcomes {
      try {
        const outcomes = inTransaction(database, () => batch.map(attempt));
        return batch.map((write, index) => ('after' in write ? runAfter(write.after) : outcomes[index]!));
      } catch (error) {
        return String(error);
      }
    },
    /**
     * Moves all commits from the log (-wal) to the main file, so that the main file alone holds all leads. SQLite deletes
     * the log when the last connection closes, which is this connection unless a backup is running.
     */
    close() {
      try {
        emptyLog(database);
      } catch {
        // The disk is full or failed. The leads stay in the log, and the next start reads them from there.
      }
      database.close();
    },
  };
}

/** Inserts the rows of a new lead, in a transaction. */
export function acceptRows(run: Runner['all'], rows: NewRows, encryptor: Encryptor): Written {
  const written = decide(rows, lookUp(run, rows));
  if (written.outcome !== 'created') return written;
  const said = suppressionOf(run, rows);
  const stored = asSuppressed(encryptRows(rowsOf(rows, written.duplicateOf), encryptor), said);
  for (const [table, insert] of inserters) for (const row of stored[table]) run(insert(row));
  return {...written, ...said};
}

function suppressionOf(run: Runner['all'], {senders: [sender]}: NewRows): Suppressed {
  if (!sender) return {isSuppressed: false, isMailbox: false, mailboxStoppedAt: null};
  const {number, both, mailbox, own, wider} = sender;
  const found = run(statement(suppressedText, number, both, mailbox, own, wider));
  const mailboxes = found.filter(({is_mailbox}) => is_mailbox === 1);
  return {
    isSuppressed: found.length > mailboxes.length,
    isMailbox: mailboxes.length > 0,
    mailboxStoppedAt: Math.max(0, ...mailboxes.map(({asked_at}) => Number(asked_at))) || null,
  };
}

/** What was stored earlier and matters for a new lead. */
function lookUp(run: Runner['all'], {leads: [{created_at: now}], ...rows}: NewRows): Known {
  const [proof] = rows.spent_proofs;
  const [key] = rows.idempotency_keys.flatMap(({owner, digest}) =>
    run<KnownKey>(selectKey(owner, digest, now)).map((found) => ({...found, digest})),
  );
  const [original] = rows.same_leads.flatMap(({partner, digest}) =>
    run<Pick<KnownKey, 'lead'>>(selectSameLead(partner, digest, now)),
  );
  const [spent] = proof ? run(statement('SELECT 1 FROM spent_proofs WHERE nonce = $1', proof.nonce)) : [];
  return {key, isProofSpent: spent !== undefined, original: original?.lead};
}

type Suppressed = {isSuppressed: boolean; isMailbox: boolean; mailboxStoppedAt: number | null};

/** The rows of a lead, changed if it is held because of its number. */
function asSuppressed(
  rows: ReturnType<typeof encryptRows>,
  {isSuppressed, isMailbox, mailboxStoppedAt: mailbox_stopped_at}: Suppressed,
): typeof rows {
  const [lead] = rows.leads;
  if (!isSuppressed) return {...rows, leads: [{...lead, mailbox_stopped_at}]};
  return {
    ...rows,
    leads: [{...lead, mailbox_stopped_at, suppressed_at: lead.created_at}],
    deliveries: rows.deliveries.map((row) => (isHeldWith(row, isMailbox) ? {...row, ...held} : row)),
  };
}

const parameters = {number: '$1', both: '$2', mailbox: '$3', own: '$4', wider: '$5'};
const suppressedText = selectSuppressed((name) => parameters[name]);

const [savepoint, release] = [statement('SAVEPOINT one'), statement('RELEASE one')];

/** In the order of `newTables`, so that a lead is inserted before the rows that refer to it. */
const inserters = newTables.map((table) => [table, inserter(table)] as const);

/** Returns a function that makes the statement that inserts a row into the table. */
function inserter(table: TableName) {
  const columns = Object.keys(tables[table].columns);
  const text = insertRow(table);
  return (row: Readonly<Record<string, Value>>) =>
    statement(text, ...columns.map((column) => row[column] ?? null));
}
