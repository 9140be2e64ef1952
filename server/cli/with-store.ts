import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {ConfigError, readConfig} from '../config.ts';
import type {LeadStore} from '../store/lead-store.ts';
import {openStore} from '../store/open-store.ts';

/** Opens the store that the server's configuration names, beside a server that may run, and closes it again. */
export async function withStore(work: (store: LeadStore) => Promise<void>): Promise<void> {
  const config = configured();
  // Opening it would make an empty one, and a command in the wrong folder would say that no lead waits.
  if (!config.databaseUrl && !existsSync(config.databasePath)) {
    console.error(`There is no database at ${resolve(config.databasePath)}`);
    process.exitCode = 1;
    return;
  }
  const store = await openStore(config, {info: printError, warn: printError});
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** Prints to standard error, because standard output is for the result of the command alone. */
function printError(fields: object, message: string) {
  console.error(message, JSON.stringify(fields));
}

/** The configuration of the server; ends the process with its faults in words where it is not complete. */
export function configured() {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
