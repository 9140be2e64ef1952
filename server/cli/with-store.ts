import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {ConfigError, readConfig} from '../config/config.ts';
import type {LeadStore} from '../leads/lead-store.ts';
import {lineOf} from '../observe/event-lines.ts';
import type {ServerEvent} from '../observe/events.ts';
import {clearText} from '../store/codec.ts';
import {openStore} from '../store/open-store.ts';

/** Opens the store of the server's configuration for a command, and closes it again. A server may run meanwhile. */
export async function withStore(work: (store: LeadStore) => Promise<void>): Promise<void> {
  const config = configured();
  // Opening would create an empty database, and a command in the wrong folder would report that no lead waits.
  if (!config.databaseUrl && !existsSync(config.databasePath)) {
    console.error(`There is no database at ${resolve(config.databasePath)}`);
    process.exitCode = 1;
    return;
  }
  const store = await openStore(config, clearText, printEvent).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** Prints to standard error, because standard output is for the result of the command alone. */
function printEvent(event: ServerEvent) {
  const line = lineOf(event);
  if (line) console.error(line.message, JSON.stringify(line.fields));
}

/** The configuration of the server. If it is not valid, this prints what is wrong and ends the process. */
export function configured() {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
