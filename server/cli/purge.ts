/** Waits until the files of the database no longer hold old copies of what was erased or sealed again. */
import {setTimeout as sleep} from 'node:timers/promises';
import type {BesideStore} from '../leads/lead-store.ts';
import {lasting, type Run} from './output.ts';

/** Milliseconds between two attempts, between two lines that say so, and for all attempts. */
type Patience = {pause: number; saidEach: number; most: number};

/**
 * @param what went, as a sentence
 * @param again the words of the command that tries again if something reads the database all the time
 * @returns whether nothing of it is in the files any more, as far as this database can tell
 */
export async function purge(
  {say}: Pick<Run, 'say'>,
  store: Pick<BesideStore, 'purge'>,
  {what, again}: {what: string; again: string},
  {pause, saidEach, most}: Patience = {pause: 500, saidEach: 30_000, most: 10 * 60_000},
): Promise<boolean> {
  if (await store.purge()) return true;
  say(
    `${what} Its bytes are in the log of the database until no connection reads what was there before: waiting for it, such as for a backup …`,
  );
  const end = performance.now() + most;
  let next = performance.now() + saidEach;
  while (performance.now() < end) {
    await sleep(pause);
    if (await store.purge()) return true;
    if (performance.now() < next) continue;
    say(`Still waiting, for ${lasting(end - performance.now())} more at most.`);
    next += saidEach;
  }
  say(
    `It is not out of the files yet: something has been reading the database all the time. End it (a backup, another lead-prequal command, a program such as sqlite3), then: lead-prequal ${again}`,
  );
  return false;
}
