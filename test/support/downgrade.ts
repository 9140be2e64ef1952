/** Makes of a store of now one of an earlier schema version, 17 or newer. */
import {tables, type Table} from '../../server/store/columns.ts';

/** The statements that take away what the versions after this one brought. */
const undo = (version: number) =>
  Object.entries<Table>(tables).flatMap(([name, {since = 0, columns, indexes = {}}]) => {
    if (since > version) return [`DROP TABLE ${name}`];
    const isOf = ([, {since = 0}]: readonly [string, {since?: number}]) => since > version;
    return [
      ...Object.entries(indexes)
        .filter(isOf)
        .map(([index]) => `DROP INDEX ${index}`),
      ...Object.entries(columns)
        .filter(isOf)
        .map(([column]) => `ALTER TABLE ${name} DROP COLUMN ${column}`),
    ];
  });

export async function downgrade(
  {execute}: {execute: (sql: string) => Promise<void>},
  version: number,
  name: 'SQLite' | 'PostgreSQL',
) {
  for (const text of [
    ...undo(version),
    'ALTER TABLE leads RENAME COLUMN clear_lead TO lead',
    name === 'SQLite' ? `PRAGMA user_version = ${version}` : `UPDATE schema_version SET version = ${version}`,
    'DELETE FROM processes',
  ])
    await execute(text);
}
