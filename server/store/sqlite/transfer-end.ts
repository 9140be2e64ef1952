/** An SQLite file as one of the two databases of a transfer. */
import {existsSync, realpathSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {tables, type TableName} from '../columns.ts';
import {list, replaceText, statement, type Row, type Statement} from '../database.ts';
import {selectReports} from '../process-queries.ts';
import type {StoreMark} from '../schema.ts';
import {pageSize, TransferError, type End, type EndUse} from '../transfer.ts';
import {createRunner, emptyLog, inTransaction, openBeside, openWriter, readFound} from './connection.ts';
import {makeFile, refuseDamaged, refuseOtherOwner} from './files.ts';
import {takeServerLock, type ServerLock} from './server-lock.ts';

/**
 * @param use for a copy, the file is created if it is not there
 * @throws Error when the file cannot be opened, or has the tables of another version
 */
export function openSqliteEnd(path: string, use: EndUse): End {
  const isTarget = typeof use === 'object';
  if (isTarget) makeTarget(path, {mark: 'unfinished', place: use.copyOf});
  // SQLite would leave out the commits behind the damage, and the last pass would delete them with the log.
  else refuseDamaged(path);
  const place = realpathSync(path);
  const openedAt = Date.now();
  let lock: ServerLock | undefined;
  const isLocked = () => (lock ??= takeServerLock(place)).isTaken;
  if (isTarget && isLocked()) throw new TransferError(`A server or another copy has ${place} open`);
  const database = openBeside(path, use !== 'read', {isForTransfer: true});
  const {all} = createRunner(database);
  // As a promise, so that an error is a rejection.
  const attempt = <Result>(work: () => Result) => new Promise<Result>((resolve) => resolve(work()));
  const allAtOnce = (statements: readonly Statement[]) =>
    attempt(() => inTransaction(database, () => statements.map(all)));

  return {
    place,
    found: readFound(database),
    read: (text) => attempt(() => all(text)),
    write: (...statements) => allAtOnce(statements),
    // Each page is a read by itself: a long one would make the log of a running server grow.
    reading(table, work) {
      const {columns, primaryKey} = tables[table];
      const select = `SELECT ${list(Object.keys(columns))} FROM ${table}`;
      const end = `ORDER BY ${list(primaryKey)} LIMIT ${pageSize}`;
      const parameters = list(primaryKey.map((_, index) => `$${index + 1}`));
      let last: Row | undefined;
      return work(() =>
        attempt(() => {
          const page = all(
            last
              ? statement(
                  `${select} WHERE (${list(primaryKey)}) > (${parameters}) ${end}`,
                  ...keyOf(table, last),
                )
              : statement(`${select} ${end}`),
          );
          last = page.at(-1) ?? last;
          return page;
        }),
      );
    },
    count: (table) =>
      attempt(() => Number(all(statement(`SELECT COUNT(*) AS rows FROM ${table}`))[0]?.['rows'])),
    async replace(table, rows) {
      const columns = Object.keys(tables[table].columns);
      const text = replaceText(table, () => `VALUES (${list(columns.map((_, index) => `$${index + 1}`))})`);
      const stored = await allAtOnce(
        rows.map((row) => statement(text, ...columns.map((column) => row[column] ?? null))),
      );
      return stored.flat();
    },
    async remove(table, rows) {
      const {primaryKey} = tables[table];
      const condition = primaryKey.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
      await allAtOnce(
        rows.map((row) => statement(`DELETE FROM ${table} WHERE ${condition}`, ...keyOf(table, row))),
      );
    },
    isServed: () => attempt(() => isLocked() || all(selectReports(openedAt)).length > 0),
    forgetsKilled: true,
    // This connection checks none.
    dropReferences: () => Promise.resolve(),
    restoreReferences: () =>
      attempt(() => {
        const [broken] = all(statement('PRAGMA foreign_key_check'));
        if (broken)
          throw new TransferError(
            `A row of ${String(broken['table'])} in ${place} refers to a lead that is not there`,
          );
        // So that the file alone holds all leads. Closing it does the same, but says nothing of a full disk.
        emptyLog(database);
      }),
    close: () =>
      attempt(() => {
        database.close();
        if (lock && !lock.isTaken) lock.release();
      }),
  };
}

const keyOf = (table: TableName, row: Row) => tables[table].primaryKey.map((column) => row[column] ?? null);

/** Creates the file and its tables as the start of a server does, and marks them. */
function makeTarget(path: string, mark: StoreMark) {
  if (existsSync(path)) refuseOtherOwner(path);
  makeFile(path);
  const database = new DatabaseSync(path, {readOnly: true, timeout: 2_000});
  const objects = database.prepare('SELECT COUNT(*) AS count FROM sqlite_schema').get()?.['count'];
  database.close();
  if (objects === 0) openWriter(path, mark).database.close();
}
