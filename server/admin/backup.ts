/** Backups of the SQLite database, and restoring one. Those of PostgreSQL are made by its own programs. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {z} from 'zod';
import type {Config} from '../config/config.ts';
import type {BesideStore} from '../leads/ports.ts';
import {appendErasures, readErasures, type Erasure, type Stop} from '../store/erasures-file.ts';
import {createSealer} from '../store/sealing.ts';
import {backUpSqlite} from '../store/sqlite/backup.ts';
import {CopyError} from '../store/sqlite/copy.ts';
import {restoreSqlite} from '../store/sqlite/restore.ts';
import {count, finish, isoTime, Refusal, refuseFor, time} from './admin.ts';
import {refuseWrongFile} from './beside.ts';
import {eraseEach, stopAgain} from './erasing.ts';

/** What the copy holds. It was checked, and is safe on the disk. */
export const backup = z.object({file: z.string(), leads: count, outbox: count});
export type Backup = z.infer<typeof backup>;

/** @throws Refusal if the file is not written */
export function backUp(config: Config, file: string): Promise<Backup> {
  return orRefusal('The backup is not written', async () => {
    const databasePath = sqlitePath(config);
    if (existsSync(databasePath)) refuseWrongFile(databasePath);
    return {file, ...(await backUpSqlite(databasePath, resolve(file)))};
  });
}

/**
 * - `moved_to`: where the database of before is now
 * - `erasures`: the files of erasures that were used; none if there is none
 * - `erased`: leads that were erased again, because those files list them
 * - `unread`: lines of them that could not be read
 * - `newest`: when the newest lead of the backup was stored
 * - `brought_up`: the tables are those of this version now, because erasing needs them
 */
export const restored = z.object({
  database: z.string(),
  leads: count,
  outbox: count,
  moved_to: z.string().nullable(),
  erasures: z.array(z.string()),
  erased: count,
  unread: count,
  newest: time.nullable(),
  brought_up: z.boolean(),
});
export type Restored = z.infer<typeof restored>;

/**
 * For a server that is stopped.
 * @param file a file that a backup wrote
 * @param input `replace` keeps the present database under another name; `erasures` is a file besides that of the configuration;
 *   `withoutErasures` restores without any
 * @throws Refusal if the database is not replaced
 */
export function restore(
  config: Config,
  file: string,
  input: {replace: boolean; erasures?: string | undefined; withoutErasures?: boolean},
): Promise<Restored> {
  return orRefusal('The backup is not restored', async () => {
    const database = sqlitePath(config);
    const {known, stops, unread, missing, files} = knownErasures(config, input);
    const sealer = createSealer(config.dataKeys);
    const again = {
      sealer,
      ids: known.map(({id}) => id),
      isAlways: stops.length > 0,
      async work(store: BesideStore) {
        const erased = await finish(eraseEach({store, config}, known), () => undefined);
        await stopAgain({store, config}, stops);
        return erased;
      },
    };
    const restoring = restoreSqlite(resolve(file), database, input.replace, again);
    const {leads, outbox, movedTo, erased, broughtUp, newest} = await restoring;
    // From now on, this file alone is enough.
    if (config.erasuresFile !== undefined) appendErasures(config.erasuresFile, missing);
    return {
      ...{database, leads, outbox, erased, unread, erasures: files},
      moved_to: movedTo ?? null,
      newest: isoTime(newest ?? null),
      brought_up: broughtUp,
    };
  });
}

function sqlitePath({databasePath, databaseUrl}: Config): string {
  if (databaseUrl)
    throw new Refusal(
      'The leads are in PostgreSQL: back them up with pg_dump and restore them with pg_restore, as docs/operations.md says',
    );
  return resolve(databasePath);
}

/** @param failed what did not happen if it fails */
async function orRefusal<Result>(failed: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CopyError) throw new Refusal(error.message);
    // The system refuses a file: there is no right to it, no room, or its folder cannot hold it.
    if (error instanceof Error && 'syscall' in error) refuseFor(error, `${failed}: `);
    throw error;
  }
}

/** What the named file and that of the configuration say together, and what only the named one has. */
function knownErasures(
  {erasuresFile: own}: Config,
  {erasures: named, withoutErasures = false}: Parameters<typeof restore>[2],
) {
  if (named !== undefined && !existsSync(named)) throw new CopyError(`There is no file ${named}`);
  const paths = [named, own].filter((path) => path !== undefined).map((path) => resolve(path));
  const files = [...new Set(paths)].filter((path) => existsSync(path));
  if (files.length === 0 && !withoutErasures)
    throw new CopyError(
      `There is no file of erasures at ${own}, so all leads that were erased since the backup would be back. Name the file that is kept with the backups: --erasures <file>. If nothing was erased, or it does not matter: --without-erasures`,
    );
  const read = files.map((path) => ({path, ...readErasures(path)}));
  const known = read.flatMap(({erasures}) => erasures);
  const stops = read.flatMap((each) => each.stops);
  const ofOwn = read.filter(({path}) => own !== undefined && path === resolve(own));
  const ownKeys = new Set(ofOwn.flatMap((each) => [...each.erasures, ...each.stops].map(keyOf)));
  return {
    ...{files, known, stops},
    unread: read.reduce((sum, {unread}) => sum + unread, 0),
    missing: [...known, ...stops].filter((one) => !ownKeys.has(keyOf(one))),
  };
}
const keyOf = (of: Erasure | Stop) => ('id' in of ? `${of.id} ${of.all}` : `${of.of} ${of.scope}`);
