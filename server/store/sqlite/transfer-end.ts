/** An SQLite file as one of the two databases of a transfer. */
import {existsSync, realpathSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {tables} from '../columns.ts';
import {list, statement, type Statement} from '../database.ts';
import {setMark, type StoreMark} from '../schema.ts';
import {
  pageSize,
  selectBehind,
  selectCount,
  selectLast,
  TransferError,
  type End,
  type EndRole,
} from '../transfer.ts';
import {createRunner, emptyLog, inTransaction, openBeside, openWriter, readFound} from './connection.ts';
import {makeFile, refuseDamaged, refuseOtherOwner} from './files.ts';
import {takeServerLock} from './server-lock.ts';

/** @throws Error when the file cannot be opened, or has the tables of another version */
export function openSqliteEnd(path: string, role: EndRole): End {
  // SQLite would leave out the commits behind damage in the log, and delete them with it.
  if (role === 'source') refuseDamaged(path);
  else makeTarget(path, {mark: 'unfinished', place: role.copyOf});
  const place = realpathSync(path);
  const lock = takeServerLock(place);
  if (lock.isTaken) throw new TransferError(`A server or another copy uses ${place}: stop it first`);
  let database: DatabaseSync;
  try {
    database = openBeside(path, true, {mayBeMarked: true});
  } catch (error) {
    lock.release();
    throw error;
  }
  const {all, one} = createRunner(database);
  // As a promise, so that an error is a rejection.
  const attempt = <Result>(work: () => Result) => new Promise<Result>((resolve) => resolve(work()));
  const allAtOnce = (statements: readonly Statement[]) =>
    attempt(() => inTransaction(database, () => statements.forEach(all)));
  /** Changes whenever another connection has written. */
  const versionOfData = () => one(statement('PRAGMA data_version'))?.['data_version'];
  const versionBefore = versionOfData();

  return {
    place,
    found: readFound(database),
    count: (table) => attempt(() => Number(one(selectCount(table))?.['rows'])),
    last: (table) => attempt(() => one(selectLast(table))),
    async *pages(table, after) {
      for (let last = after; ;) {
        const {text, values} = selectBehind(table, last);
        const page = await attempt(() => all(statement(`${text} LIMIT ${pageSize}`, ...values)));
        if (page.length === 0) return;
        yield page;
        last = page.at(-1);
      }
    },
    insert(table, rows) {
      const columns = Object.keys(tables[table].columns);
      const parameters = columns.map((_, index) => `$${index + 1}`);
      const text = `INSERT INTO ${table} (${list(columns)}) VALUES (${list(parameters)})`;
      return allAtOnce(rows.map((row) => statement(text, ...columns.map((column) => row[column] ?? null))));
    },
    write: allAtOnce,
    markMoved: (target) =>
      attempt(() =>
        inTransaction(database, () => {
          if (versionOfData() !== versionBefore)
            throw new TransferError(
              `A server or a command has written to ${place} meanwhile: stop all servers, and run the same command again`,
            );
          setMark({mark: 'moved', place: target}).forEach(all);
        }),
      ),
    // So that the file alone holds all leads. Closing it does the same, but says nothing of a full disk.
    tidy: () => attempt(() => void emptyLog(database)),
    close: () =>
      attempt(() => {
        database.close();
        lock.release();
      }),
  };
}

/** Creates the file and its tables as the start of a server does, and marks them. */
function makeTarget(path: string, mark: StoreMark) {
  if (existsSync(path)) refuseOtherOwner(path);
  makeFile(path);
  const database = new DatabaseSync(path, {readOnly: true, timeout: 2_000});
  const objects = database.prepare('SELECT COUNT(*) AS count FROM sqlite_schema').get()?.['count'];
  database.close();
  if (objects === 0) openWriter(path, mark).database.close();
}
