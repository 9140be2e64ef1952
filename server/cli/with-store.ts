/** Opens the store of the server's configuration for a command. A server may be running meanwhile. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {readConfig, type Config} from '../config/config.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {lineOf} from '../observe/log-lines.ts';
import {createSealer} from '../store/sealing.ts';
import {openStoreBeside} from '../store/open-store.ts';
import {refuseOtherOwner} from '../store/sqlite/files.ts';
import {Failure, toJson, type Run} from './output.ts';

type Work = (store: BesideStore, config: Config) => Promise<void>;

/** For commands that only read. */
export const readingStore = (run: Run, work: Work) => using(run, work, false);
export const changingStore = (run: Run, work: Work) => using(run, work, true);

async function using({environment, say}: Run, work: Work, mayWrite: boolean): Promise<void> {
  const config = readConfig(environment);
  if (!config.databaseUrl) checkFile(config.databasePath);
  const store = await openStoreBeside(config, createSealer(config.dataKeys), mayWrite, (observation) => {
    // To standard error, because standard output is for the result of the command alone.
    const line = lineOf(observation);
    if (line) say(`${line.message} ${toJson(line.fields)}`);
  }).catch((error: unknown) => {
    throw new Failure(error instanceof Error ? error.message : String(error));
  });
  try {
    await work(store, config);
    // `store copy` may have moved the leads since this command began, for example while it asked.
    if (mayWrite)
      await store.refuseMarked().catch((error: unknown) => {
        throw new Failure(
          `${(error as Error).message}. What this command has changed may be missing there: run it again there`,
        );
      });
  } finally {
    await store.close();
  }
}

/** @throws Failure if the SQLite file does not exist or belongs to another user than the one who runs the command */
export function checkFile(databasePath: string): void {
  const path = resolve(databasePath);
  // Opening would create an empty database, and a command in the wrong folder would report that there are no leads.
  if (!existsSync(path)) throw new Failure(`There is no database at ${path}`);
  try {
    refuseOtherOwner(path);
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}
