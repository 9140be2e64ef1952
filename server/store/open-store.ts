import type {LeadStore} from '../leads/lead-store.ts';
import type {Emit} from '../observe/events.ts';
import type {Codec} from './codec.ts';
import type {StatementNames} from './postgres/connections.ts';
import {openPostgresStore} from './postgres/store.ts';
import {openSqliteStore} from './sqlite/store.ts';

type DatabaseSettings = {
  databaseUrl: string | undefined;
  databasePath: string;
  databaseStatements: StatementNames;
};

/**
 * Opens PostgreSQL if the configuration has its URL, else SQLite. While PostgreSQL cannot be reached, connecting is
 * retried for a minute.
 * @throws Error when the database cannot be opened. The message names the setting of the database
 */
export async function openStore(settings: DatabaseSettings, codec: Codec, emit?: Emit): Promise<LeadStore> {
  const {databaseUrl: url, databasePath: path, databaseStatements: statementNames} = settings;
  try {
    return await (url ? openPostgresStore(url, codec, {statementNames, emit}) : openSqliteStore(path, codec));
  } catch (error) {
    const setting = url ? 'DATABASE_URL' : 'DATABASE_PATH';
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The database that ${setting} names cannot be opened: ${reason}`, {cause: error});
  }
}
