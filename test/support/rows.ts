/** Past the service: reads and changes a SQLite database that a server may have open. */
import {DatabaseSync} from 'node:sqlite';

export type Row = Record<string, unknown>;

/** One value of each row. */
export const columnOf = <Of, Name extends keyof Of>(rows: readonly Of[], name: Name) =>
  rows.map((row) => row[name]);

/** The ids of the leads of deliveries that were claimed. */
export const leadIdsOf = (claimed: readonly {lead: {id: string}}[]) => claimed.map(({lead}) => lead.id);

export function rowsOf(databasePath: string, sql: string, ...values: string[]): Row[] {
  const database = new DatabaseSync(databasePath, {readOnly: true, timeout: 5_000});
  try {
    return database
      .prepare(sql)
      .all(...values)
      .map((row) => ({...row}));
  } finally {
    database.close();
  }
}

export function execute(databasePath: string, sql: string) {
  const database = new DatabaseSync(databasePath, {timeout: 5_000});
  database.exec(sql);
  database.close();
}

/** Another process that writes, or a backup that takes its time. Returns what lets the others write again. */
export function stopWrites(databasePath: string): () => void {
  const other = new DatabaseSync(databasePath, {timeout: 5_000});
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('COMMIT');
    other.close();
  };
}
