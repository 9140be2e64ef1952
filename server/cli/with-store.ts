/** Opens the store of the server's configuration for a command. A server may be running meanwhile. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Config} from '../config/config.ts';
import {StoreUnavailable, type BesideStore} from '../leads/lead-store.ts';
import {lineOf} from '../observe/event-lines.ts';
import type {ServerEvent} from '../observe/events.ts';
import {clearText} from '../store/codec.ts';
import {openStoreBeside} from '../store/open-store.ts';
import {refuseOtherOwner} from '../store/sqlite/files.ts';
import {configured} from './configured.ts';
import {fail, say, toJson} from './output.ts';

type Work = (store: BesideStore, config: Config) => Promise<void>;

/** For commands that only read. */
export const readingStore = (work: Work) => using(work, false);
export const changingStore = (work: Work) => using(work, true);

async function using(work: Work, mayWrite: boolean): Promise<void> {
  const config = configured();
  if (!config.databaseUrl && !mayUse(config.databasePath)) return;
  const store = await openStoreBeside(config, clearText, mayWrite, printEvent).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exit(1);
  });
  try {
    await work(store, config);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    fail(error.message);
  } finally {
    await store.close();
  }
}

/** Whether the SQLite file exists and belongs to the user who runs the command; if not, says so. */
export function mayUse(databasePath: string): boolean {
  const path = resolve(databasePath);
  try {
    // Opening would create an empty database, and a command in the wrong folder would report that there are no leads.
    if (!existsSync(path)) throw new Error(`There is no database at ${path}`);
    refuseOtherOwner(path);
    return true;
  } catch (error) {
    fail((error as Error).message);
    return false;
  }
}

/** Prints to standard error, because standard output is for the result of the command alone. */
function printEvent(event: ServerEvent) {
  const line = lineOf(event);
  if (line) say(`${line.message} ${toJson(line.fields)}`);
}
