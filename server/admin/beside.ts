/** Opens the store of the server's configuration for an operator. Servers may be running meanwhile. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Config} from '../config/config.ts';
import type {Emit} from '../observe/observations.ts';
import {createSealer} from '../store/sealing.ts';
import {openStoreBeside} from '../store/open-store.ts';
import {refuseOtherOwner} from '../store/sqlite/files.ts';
import {Refusal, type Admin} from './admin.ts';

type Access = {mayWrite: boolean; emit: Emit};

/** @throws Refusal if the store cannot be opened, or its leads were moved while `work` went on */
export async function besideServers<Result>(
  config: Config,
  {mayWrite, emit}: Access,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  if (!config.databaseUrl) refuseWrongFile(config.databasePath);
  const store = await openStoreBeside(config, createSealer(config.dataKeys), mayWrite, emit).catch(refuse);
  try {
    const result = await work({store, config});
    // `store copy` may have moved the leads meanwhile, for example while an operator was asked.
    if (mayWrite)
      await store.refuseMarked().catch((error: unknown) => {
        throw new Refusal(
          'conflict',
          `${messageOf(error)}. What this command has changed may be missing there: run it again there`,
        );
      });
    return result;
  } finally {
    await store.close();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function refuse(error: unknown): never {
  throw new Refusal('conflict', messageOf(error));
}

/** @throws Refusal if the SQLite file does not exist or belongs to another user than the one of this process */
export function refuseWrongFile(databasePath: string): void {
  const path = resolve(databasePath);
  // Opening would create an empty database, and a command in the wrong folder would report that there are no leads.
  if (!existsSync(path)) throw new Refusal('unknown', `There is no database at ${path}`);
  try {
    refuseOtherOwner(path);
  } catch (error) {
    refuse(error);
  }
}
