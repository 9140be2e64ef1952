/**
 * Encrypts what versions before 2.0 stored in clear, while the server works. It may be killed at any time: what the store still
 * has in clear is encrypted by the next start. Several servers may do so at once.
 */
import {clearWord} from '../config/data-keys.ts';
import type {Timings} from '../config/timings.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import type {Maintenance} from '../leads/ports.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';
import {pauseFor} from './maintenance.ts';

/** Passes that encrypt nothing although something is left, after which it ends. */
const maxIdlePasses = 5;

/** What is encrypted now, and the ids of leads of which something stays as it is. `isDone`: nothing else is left. */
export type EncryptedAll = {reencrypted: number; unreadable: string[]; isDone: boolean};

/** Repeats the pass until it finds nothing more: others may write while it goes on. It reports how many rows are encrypted. */
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

/** @returns `stop` resolves when no work goes on */
export function startEncryptingClear(parts: Parts): {stop: () => Promise<void>} {
  const stopping = new AbortController();
  const running = run(parts, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function run(parts: Parts, signal: AbortSignal) {
  const {store, emit, timings} = parts;
  for (let isDue = true; !signal.aborted; await pauseFor(timings.encrypting.retry, signal)) {
    try {
      // Also for one that has given up: by this, it finds out that another one has encrypted all, and reads nothing in clear.
      if (!(await store.keyUses()).some(({key}) => key === clearWord)) return;
      if (isDue) await encryptClear(parts, signal);
      isDue = false;
    } catch (error) {
      emit({type: 'clear-left', reason: reasonOf(error), isAgain: true});
      isDue = true;
    }
  }
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
    // Not again and again: leads would wait each time.
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

/** New leads come first: a tenth of the time at most goes into encryption. @returns undefined if it was stopped */
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
