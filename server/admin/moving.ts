/** Moves the store from SQLite to PostgreSQL, while the server is stopped. */
import {resolve} from 'node:path';
import type {Config} from '../config/config.ts';
import {postgresUrl} from '../config/setting-values.ts';
import {CopyError} from '../store/sqlite/copy.ts';
import {movedName} from '../store/sqlite/files.ts';
import type {Progress, TableOutcome} from '../store/transfer.ts';
import {Refusal, refuseFor, type Job} from './admin.ts';
import {refuseWrongFile} from './attached.ts';

/** `movedTo`: the new name of the file. `tables`: in the order in which they were copied */
export type Moved = {to: string; movedTo: string; tables: TableOutcome[]; ms: number};

/** @throws Refusal if the move fails. Calling it again repeats the move */
export async function* moveStore(config: Config, {to}: {to: string}): Job<Progress, Moved> {
  const began = performance.now();
  if (config.databaseUrl)
    throw new Refusal(
      'The leads are in PostgreSQL already. To move them to another PostgreSQL, use pg_dump and pg_restore, as docs/operations.md says',
    );
  const [issue] = postgresUrl.safeParse(to).error?.issues ?? [];
  if (issue) throw new Refusal(`--to ${issue.message}`);
  const path = resolve(config.databasePath);
  refuseWrongFile(path);
  // Imported here, because the driver of PostgreSQL takes time to load.
  const {transfer} = await import('../store/transfer.ts');
  try {
    const {place, outcomes} = yield* transfer(path, to);
    return {to: place, movedTo: movedName(path), tables: outcomes, ms: performance.now() - began};
  } catch (error) {
    // A copy mostly fails because of the disk, the network or a missing right, so the operator gets a sentence without a stack.
    return refuseFor(
      error,
      error instanceof CopyError
        ? ''
        : 'The copy did not end. Once this is seen to, run the same command again: ',
    );
  }
}
