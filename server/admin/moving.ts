/** Moves the store to another database, from SQLite to PostgreSQL and back, while all servers are stopped. */
import {existsSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import type {Config} from '../config/config.ts';
import {postgresUrl} from '../config/setting-values.ts';
import {openEnd} from '../store/open-store.ts';
import {transfer, TransferError, type Progress} from '../store/transfer.ts';
import {Refusal, refuseFor, type Job} from './admin.ts';
import {refuseWrongFile} from './beside.ts';

/** `tables`: in the order in which they were copied, each with the SHA-256 of its rows on both sides */
export type Moved = {
  from: string;
  to: string;
  tables: {table: string; rows: number; digest: string}[];
  ms: number;
};

/**
 * @param to a URL such as `postgres://…`, or the path of an SQLite file
 * @throws Refusal. The same call goes on with a copy that has stopped
 */
export async function* moveStore(config: Config, {to}: {to: string}): Job<Progress, Moved> {
  const began = performance.now();
  const place = placeNamed(to, config);
  if (!config.databaseUrl) refuseWrongFile(config.databasePath);
  const source = await openEnd(config, 'source').catch(refusing('The store cannot be opened: '));
  try {
    const target = await openEnd(place, {copyOf: source.place}).catch(
      refusing('The database that --to names cannot be opened: '),
    );
    try {
      const tables = yield* orRefusal(
        transfer(source, target),
        'The copy has stopped, and the same command goes on with it: ',
      );
      return {from: source.place, to: target.place, tables, ms: performance.now() - began};
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** The settings with which a server would use the database that `to` names. @throws Refusal if it names none */
function placeNamed(to: string, config: Config): Pick<Config, 'databaseUrl' | 'databasePath'> {
  const {databasePath} = config;
  if (to.includes('://')) {
    const [issue] = postgresUrl.safeParse(to).error?.issues ?? [];
    if (issue) throw new Refusal(`--to ${issue.message}, or the path of a file`);
    return {databaseUrl: to, databasePath};
  }
  const path = resolve(to);
  if (!config.databaseUrl && path === resolve(databasePath)) throw new Refusal(`${path} is the store itself`);
  const kinds = '--to must be a URL such as postgres://…, or the path of an SQLite file';
  if (to === '') throw new Refusal(kinds);
  if (!existsSync(dirname(path)))
    throw new Refusal(`${kinds} in a folder that exists: there is no ${dirname(path)}`);
  return {databaseUrl: undefined, databasePath: path};
}

/** What stops a transfer is mostly a disk, a network or a right: a sentence for the operator, without a stack. */
const refusing =
  (before: string) =>
  (error: unknown): never =>
    refuseFor(error, error instanceof TransferError ? '' : before);

async function* orRefusal<Result>(job: Job<Progress, Result>, before: string): Job<Progress, Result> {
  try {
    return yield* job;
  } catch (error) {
    return refusing(before)(error);
  }
}
