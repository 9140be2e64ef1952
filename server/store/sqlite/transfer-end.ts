/** An SQLite file as one of the two databases of a transfer. */
import {realpathSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {tables, type TableName} from '../columns.ts';
import {list, statement, type Row, type Statement} from '../database.ts';
import {refuseOtherVersion, setMark, type Found} from '../schema.ts';
import {pageSize, selectBehind, TransferError, type End, type EndRole} from '../transfer.ts';
import {createRunner, emptyLog, inTransaction, openWriter, readFound} from './connection.ts';
import {makeFile, refuseDamaged, refuseOtherOwner, sizeOf} from './files.ts';
import {takeServerLock} from './server-lock.ts';

const byBytes = 'BINARY';

/** As a promise, so that an error is a rejection. */
const attempt = <Result>(work: () => Result) => new Promise<Result>((resolve) => resolve(work()));

/** @throws Error when the file cannot be opened, or has the tables of another version */
export function openSqliteEnd(path: string, role: EndRole): End {
  // SQLite would leave out the commits behind damage in the log, and delete them with it.
  if (role === 'source') refuseDamaged(path);
  else makeTarget(path, role.copyOf);
  const place = realpathSync(path);
  const lock = takeServerLock(place);
  const database = new DatabaseSync(path, {timeout: 5_000});
  function close() {
    database.close();
    if (!lock.isTaken) lock.release();
  }
  let found: Found;
  try {
    if (lock.isTaken) throw new TransferError(`A server or another copy uses ${place}: stop it first`);
    found = readFound(database);
    refuseOtherVersion({...found, mark: undefined});
  } catch (error) {
    close();
    throw error;
  }
  const {all} = createRunner(database);
  const write = (statements: readonly Statement[]) =>
    attempt(() => inTransaction(database, () => statements.forEach(all)));
  /** Changes whenever another connection has written. */
  const versionOfData = () => all(statement('PRAGMA data_version'))[0]?.['data_version'];
  const versionBefore = versionOfData();

  return {
    place,
    found,
    read: (text) => attempt(() => all(text)),
    byBytes,
    async *pages(table, after) {
      for (let last = after; ;) {
        const {text, values} = selectBehind(table, last, byBytes);
        const page = await attempt(() => all(statement(`${text} LIMIT ${pageSize}`, ...values)));
        if (page.length === 0) return;
        yield page;
        last = page.at(-1);
        // Else nothing comes from the other database until this one has given all its pages.
        await nextTurn();
      }
    },
    insert: (table, rows) => write(insertsOf(table, rows)),
    write,
    markMoved: (target) =>
      attempt(() =>
        inTransaction(database, () => {
          if (versionOfData() !== versionBefore)
            throw new TransferError(
              `A server or a command has written to ${place} meanwhile: stop all servers and the operators' pages, and run the same command again`,
            );
          all(setMark({mark: 'moved', place: target}));
        }),
      ),
    // So that the file alone holds all leads. Closing it does the same, but says nothing of a full disk.
    tidy: () => attempt(() => void emptyLog(database)),
    close: () => attempt(close),
  };
}

function insertsOf(table: TableName, rows: readonly Row[]): Statement[] {
  const columns = Object.keys(tables[table].columns);
  const parameters = columns.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${list(columns)}) VALUES (${list(parameters)})`;
  return rows.map((row) => statement(text, ...columns.map((column) => row[column] ?? null)));
}

/** Creates the file and its tables as the start of a server does, and marks them. */
function makeTarget(path: string, copyOf: string) {
  refuseOtherOwner(path);
  makeFile(path);
  if (sizeOf(path) === 0) openWriter(path, {mark: 'unfinished', place: copyOf}).database.close();
}
