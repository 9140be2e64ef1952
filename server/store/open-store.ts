import type {LeadStore} from './lead-store.ts';
import {openPostgresStore} from './postgres-store.ts';
import {openSqliteStore} from './sqlite-store.ts';

/** SQLite, unless there is the URL of a PostgreSQL. @throws Error when it cannot be opened */
export const openStore = (where: {
  databaseUrl: string | undefined;
  databasePath: string;
}): Promise<LeadStore> =>
  where.databaseUrl ? openPostgresStore(where.databaseUrl) : openSqliteStore(where.databasePath);
