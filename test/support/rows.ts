/** Reads the rows of a SQLite database that a server may have open. */
import {DatabaseSync} from 'node:sqlite';

export type Row = Record<string, unknown>;

export function rowsOf(databasePath: string, sql: string, ...values: string[]): Row[] {
  const database = new DatabaseSync(databasePath, {readOnly: true});
  try {
    return database
      .prepare(sql)
      .all(...values)
      .map((row) => ({...row}));
  } finally {
    database.close();
  }
}
