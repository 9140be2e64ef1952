/**
 * Encrypts data that versions before 2.0 stored unencrypted, while the server is running. It can be killed at any time: the next
 * start continues. Several servers can do it at the same time.
 */
import {clearWord} from '../config/data-keys.ts';
import type {Timings} from '../config/timings.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import type {Maintenance} from '../leads/ports.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';
import {pauseFor, repeat} from './maintenance.ts';

/** Gives up after this many passes that encrypt nothing although unencrypted rows are left. */
const maxIdlePasses = 5;

/** The number of encrypted rows, and the ids of leads that could not be encrypted completely. `isDone`: no other rows are left. */
export type EncryptedAll = {reencrypted: number; unreadable: string[]; isDone: boolean};

/** Repeats the pass until nothing is left, because others may write meanwhile. Yields the number of rows encrypted so far. */
export async function* encryptAll(
  store: Pick<KeyStore, 'reencrypt'>,
  isClearOnly = false,
): AsyncGenerator<number, EncryptedAll, undefined> {
  let reencrypted = 0;
  for (let idle = 0; ;) {
    const before = reencrypted;
    let pass = {examined: 0, reencrypted: 0, unreadable: [] as readonly string[]};
    for await (const done of store.reencrypt(isClearOnly)) {
      pass = done;
      yield before + done.reencrypted;
    }
    reencrypted += pass.reencrypted;
    const isDone = pass.examined === pass.unreadable.length;
    if (pass.reencrypted === 0) idle += 1;
    if (isDone || idle === maxIdlePasses)
      return {reencrypted, unreadable: [...new Set(pass.unreadable)], isDone};
  }
}

type Parts = {
  store: Pick<KeyStore, 'keyUses' | 'reencrypt' | 'forgetKey'> & Pick<Maintenance, 'purge' | 'rewrite'>;
  emit: Emit;
  timings: Pick<Timings, 'purgeRetry' | 'encrypting'>;
};

/** @returns `stop` resolves when the work has ended */
export function startEncryptingClear(parts: Parts) {
  const {store, emit, timings} = parts;
  let isDue = true;
  return repeat(async (signal) => {
    try {
      // Checked even after this process gave up: another one may finish, and then unencrypted data must no longer be read.
      if (!(await store.keyUses()).some(({key}) => key === clearWord)) return undefined;
      if (isDue) await encryptClear(parts, signal);
      isDue = false;
    } catch (error) {
      emit({type: 'clear-left', reason: reasonOf(error), isAgain: true});
      isDue = true;
    }
    return timings.encrypting.retry;
  }, 0);
}

async function encryptClear(parts: Parts, signal: AbortSignal) {
  const {store, emit, timings} = parts;
  emit({type: 'clear-found'});
  const encrypted = await encryptSlowly(parts, signal);
  if (!encrypted) return;
  const {reencrypted: rows, unreadable, isDone} = encrypted;
  if (unreadable.length > 0) {
    emit({type: 'clear-unreadable', leads: unreadable});
    return;
  }
  if (!isDone) throw new Error('Rows change all the time while they are encrypted');
  const begun = performance.now();
  try {
    await store.rewrite?.((bytes) => emit({type: 'clear-rewriting', bytes}));
  } catch (error) {
    // Rewriting is not tried again, because leads would wait each time.
    emit({type: 'clear-left', reason: reasonOf(error), isAgain: false});
    return;
  }
  const ms = Math.round(performance.now() - begun);
  while (!(await store.purge())) {
    await pauseFor(timings.purgeRetry, signal);
    if (signal.aborted) return;
  }
  await store.forgetKey(clearWord);
  emit({type: 'clear-sealed', rows, ...(store.rewrite && {ms})});
}

/** Encrypts at most a tenth of the time, so that new leads are not delayed. @returns undefined if it was stopped */
async function encryptSlowly(
  {store, emit, timings}: Parts,
  signal: AbortSignal,
): Promise<EncryptedAll | undefined> {
  const encrypting = encryptAll(store, true);
  let saidAt = performance.now();
  for (;;) {
    const begun = performance.now();
    const {done, value} = await encrypting.next();
    if (done) return value;
    const now = performance.now();
    if (now - saidAt >= timings.encrypting.said) {
      emit({type: 'clear-sealing', rows: value});
      saidAt = now;
    }
    await pauseFor(9 * (now - begun), signal);
    if (signal.aborted) return undefined;
  }
}
