/** Opens the store of the server's configuration for an operator. Servers may be running meanwhile. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Config} from '../config/config.ts';
import type {AttachedStore} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';
import {createEncryptor} from '../store/encryption.ts';
import {openAttachedStore} from '../store/open-store.ts';
import {refuseMoved, refuseOtherOwner} from '../store/sqlite/files.ts';
import {Refusal, refuseFor, type Admin} from './admin.ts';
import {noting, type Actor} from './audit.ts';
import {refuseRestored} from './repairing.ts';

/**
 * - `mayLackKeys`: opens a store whose data key is missing, for commands that say which one, or that recover from the loss
 * - `isRepair`: opens a store that was restored and on which no server has started since
 */
export type Opening = {mayWrite: boolean; emit: Emit; mayLackKeys?: boolean; isRepair?: boolean};

/** @throws Refusal if the store cannot be opened */
export async function openAttached(
  config: Config,
  {mayWrite, emit, mayLackKeys = false, isRepair = false}: Opening,
): Promise<AttachedStore> {
  if (!config.databaseUrl) refuseWrongFile(config.databasePath);
  const encryptor = {...createEncryptor(config.dataKeys), mayLackKeys};
  const store = await openAttachedStore(config, encryptor, mayWrite, emit).catch((error: unknown) =>
    refuseFor(error),
  );
  // Commands that recover a store must work where a server refuses to start.
  if (isRepair || mayLackKeys) return store;
  try {
    await refuseRestored({store, config});
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws Refusal if the store cannot be opened */
export async function withAttached<Result>(
  config: Config,
  {by, ...opening}: Opening & {by: Actor},
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const store = await openAttached(config, opening);
  try {
    return await work({store, config, noteAccess: noting(store, by), actor: by.actor});
  } finally {
    await store.close();
  }
}

/** @throws Refusal if the SQLite file does not exist, was moved, or belongs to another user than the one of this process */
export function refuseWrongFile(databasePath: string): void {
  const path = resolve(databasePath);
  try {
    refuseMoved(path);
    refuseOtherOwner(path);
  } catch (error) {
    refuseFor(error);
  }
  // Opening would create an empty database, and a command in the wrong folder would report that there are no leads.
  if (!existsSync(path)) throw new Refusal(`There is no database at ${path}`, 'unknown');
}
