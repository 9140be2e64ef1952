import type {LeadStore, StoreLog} from './lead-store.ts';
import type {StatementNames} from './postgres-connections.ts';
import {openPostgresStore} from './postgres-store.ts';
import {openSqliteStore} from './sqlite-store.ts';

type Where = {
  databaseUrl: string | undefined;
  databasePath: string;
  databaseStatements: StatementNames;
};

/**
 * SQLite, unless there is the URL of a PostgreSQL, which is waited for where it is absent.
 * @throws Error when it cannot be opened
 */
export const openStore = (where: Where, log?: StoreLog): Promise<LeadStore> =>
  where.databaseUrl
    ? openPostgresStore(where.databaseUrl, {statementNames: where.databaseStatements, log})
    : openSqliteStore(where.databasePath);
