/** Waits until the files of the database no longer hold old copies of what was erased or encrypted again. */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Maintenance} from '../leads/ports.ts';
import type {Job, With} from './admin.ts';

/** `left`: milliseconds until the wait is given up. */
export type Waiting = {waiting: 'for the files'; left: number};

/** Milliseconds between two attempts, between two reports, and for all attempts. */
export type Patience = {pause: number; saidEach: number; max: number};
const usual: Patience = {pause: 500, saidEach: 30_000, max: 10 * 60_000};

/** @returns whether the old copies are gone from the database files, as far as the database can tell */
export async function* purge(
  {store}: With<Pick<Maintenance, 'purge'>>,
  {pause, saidEach, max}: Patience = usual,
): Job<Waiting, boolean> {
  if (await store.purge()) return true;
  yield {waiting: 'for the files', left: max};
  const deadline = performance.now() + max;
  let next = performance.now() + saidEach;
  while (performance.now() < deadline) {
    await sleep(pause);
    if (await store.purge()) return true;
    if (performance.now() < next) continue;
    yield {waiting: 'for the files', left: deadline - performance.now()};
    next += saidEach;
  }
  return false;
}
