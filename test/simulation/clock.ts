/**
 * Virtual time and chance for all code that runs in this thread: clocks, timers and random values. A history of minutes
 * takes milliseconds, and is the same each time. Install it before the server is imported.
 */
import {AsyncLocalStorage} from 'node:async_hooks';
import {createRequire, syncBuiltinESMExports} from 'node:module';
import TinyQueue from 'tinyqueue';

/** A simulated process. What it starts belongs to it, so that its timers end with it. */
export type Process = {
  name: string;
  isDead: boolean;
  /** A frozen process does nothing before this time. Other processes go on. */
  frozenUntil: number;
  /** Milliseconds by which its system clock is ahead. */
  skew: number;
  /** Whether it can read no file of SQLite. */
  isBlind: boolean;
};

export const newProcess = (name: string, skew = 0): Process => ({
  name,
  isDead: false,
  frozenUntil: 0,
  skew,
  isBlind: false,
});

/** What belongs to no process: clients, receivers, operators, and faults. */
export const theWorld = newProcess('the world');

const context = new AsyncLocalStorage<Process>();
/** Runs `work` as a part of a process. */
export const runIn = <Result>(process: Process, work: () => Result): Result => context.run(process, work);
export const currentProcess = () => context.getStore() ?? theWorld;

/**
 * What is to happen at a time. What a frozen process missed happens when it goes on, in the order in which it was due, as
 * Node does it.
 */
type Scheduled = {
  at: number;
  due: number;
  order: number;
  process: Process;
  work: () => void;
  isCancelled: boolean;
};

const require = createRequire(import.meta.url);
const realImmediate = setImmediate;
/** The time of the system clock at which each history begins, in milliseconds since 1970. */
export const beginning = Date.UTC(2026, 0, 5, 12);

let now = 0;
let seed = 0;
let events = new TinyQueue<Scheduled>();
let scheduled = 0;
let failed: (error: unknown) => void;
let drawn = new Map<string, number>();

/** Milliseconds since the beginning of the history. */
export const time = () => now;

/** Begins a new history. What was scheduled before never happens. @param onError gets what is thrown where nobody catches */
export function beginHistory(itsSeed: number, onError: (error: unknown) => void) {
  [now, seed, scheduled] = [0, itsSeed, 0];
  failed = onError;
  events = new TinyQueue<Scheduled>(
    [],
    (one, other) => one.at - other.at || one.due - other.due || one.order - other.order,
  );
  drawn = new Map();
}

/** Calls `work` after some milliseconds, as a part of a process, and never if the process has ended by then. */
export function later(milliseconds: number, work: () => void, process = currentProcess()): Scheduled {
  scheduled += 1;
  const at = now + Math.max(0, milliseconds);
  const event = {at, due: at, order: scheduled, process, work, isCancelled: false};
  events.push(event);
  return event;
}

export const wait = (milliseconds: number) => new Promise<void>((resolve) => later(milliseconds, resolve));

/** Lets everything run that needs no time. */
const settled = () => new Promise<void>((resolve) => realImmediate(resolve));

/** Lets time pass until `isOver` is true. @returns false if it was not by the time `limit` */
export async function passTime(isOver: () => boolean, limit: number): Promise<boolean> {
  await settled();
  while (!isOver()) {
    const event = events.pop();
    if (!event || event.at > limit) return false;
    const {process} = event;
    if (event.isCancelled || process.isDead) continue;
    if (process.frozenUntil > event.at) {
      event.at = process.frozenUntil;
      events.push(event);
      continue;
    }
    now = event.at;
    try {
      runIn(process, event.work);
    } catch (error) {
      failed(error);
    }
    await settled();
  }
  return true;
}

/**
 * A number from 0 to 1. It depends on the seed, the label, and how often was drawn with this label before: if an
 * operation is taken out of a plan, the draws with other labels stay the same.
 */
export function draw(label: string): number {
  const count = (drawn.get(label) ?? 0) + 1;
  drawn.set(label, count);
  let hash = 2_166_136_261 ^ seed;
  for (const character of `${label} ${count}`) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
const chance = () => draw(`chance of ${currentProcess().name}`);
const hexDigits = (count: number) =>
  Array.from({length: count}, () => Math.floor(chance() * 16).toString(16)).join('');

/** What `setTimeout` and `setInterval` return. */
class Timer {
  event: Scheduled;
  constructor(event: Scheduled) {
    this.event = event;
  }
  ref = () => this;
  unref = () => this;
}

type Work = (...values: unknown[]) => void;
const clear = (timer: unknown) => {
  if (timer instanceof Timer) timer.event.isCancelled = true;
};

function setInterval(work: Work, milliseconds: number, ...values: unknown[]): Timer {
  const timer = new Timer(later(milliseconds, tick));
  function tick() {
    timer.event = later(milliseconds, tick);
    work(...values);
  }
  return timer;
}

/** A promise of `timers/promises`. */
const promised = (milliseconds: number, value?: unknown, {signal}: {signal?: AbortSignal} = {}) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      event.isCancelled = true;
      reject(Object.assign(new Error('The operation was aborted'), {name: 'AbortError', code: 'ABORT_ERR'}));
    };
    const event = later(milliseconds, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, {once: true});
  });

function abortAfter(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  later(milliseconds, () => controller.abort(error));
  return controller.signal;
}

/** Puts virtual time and chance in the place of Node's, for the whole thread and for good. */
export function installClock() {
  const setTimeout = (work: Work, milliseconds = 0, ...values: unknown[]) =>
    new Timer(later(milliseconds, () => work(...values)));
  const setImmediate = (work: Work, ...values: unknown[]) => setTimeout(work, 0, ...values);
  const timers = {
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  Object.assign(globalThis, timers);
  Object.assign(require('node:timers') as object, timers);
  Object.assign(require('node:timers/promises') as object, {
    setTimeout: promised,
    setImmediate: (value?: unknown) => promised(0, value),
  });
  const systemTime = () => Math.floor(beginning + now + currentProcess().skew);
  Object.assign(Date, {now: systemTime});
  Object.defineProperty(performance, 'timeOrigin', {value: beginning});
  Object.assign(performance, {now: () => now});
  Object.assign(AbortSignal, {timeout: abortAfter});
  Object.assign(Math, {random: chance});
  Object.assign(require('node:crypto') as object, {
    randomBytes: (size: number) =>
      Buffer.from(Array.from({length: size}, () => Math.floor(draw('a random byte') * 256))),
    randomUUID: () => `${hexDigits(8)}-${hexDigits(4)}-4${hexDigits(3)}-8${hexDigits(3)}-${hexDigits(12)}`,
    randomUUIDv7: () => {
      const milliseconds = systemTime().toString(16).padStart(12, '0');
      const start = `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}`;
      return `${start}-7${hexDigits(3)}-8${hexDigits(3)}-${hexDigits(12)}`;
    },
  });
  syncBuiltinESMExports();
}
