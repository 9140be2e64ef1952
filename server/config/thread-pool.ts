/**
 * The size of libuv's pool of threads, on which Node reads files, compresses, and looks up names. Its default is four,
 * and libuv lets look-ups have half of it, so two slow names would stop all others.
 */
import type {DestinationSettings} from './destinations.ts';

/** The default of libuv. */
const usualThreads = 4;
/**
 * The pool has four threads for each host of a destination. Look-ups may use two of them, and destinations one of these
 * two. So each host may hang without delaying another one.
 */
const threadsForEachName = 4;
/**
 * Enough for 32 names that hang at once. A thread costs some 20 kB, but containers limit how many a process may have, and
 * Node ends when it cannot start one.
 */
const maxThreads = 128;

const setting = 'UV_THREADPOOL_SIZE';
const threads = () => Number(process.env[setting]) || usualThreads;

/**
 * libuv reads the size when the pool is used for the first time, so this must be called before that. A larger size that
 * the operator has set stays.
 */
export function sizeThreadPool(destinations: ReadonlyMap<string, DestinationSettings>): void {
  const names = new Set([...destinations.values()].map(hostOf));
  const wanted = Math.min(threadsForEachName * names.size, maxThreads);
  if (wanted > threads()) process.env[setting] = String(wanted);
}

const hostOf = (settings: DestinationSettings) =>
  new URL('smtpUrl' in settings ? settings.smtpUrl : settings.url).hostname.toLowerCase();

/** How many threads destinations may use for look-ups: half of those that libuv lets look-ups have, and at least one. */
export const threadsForDestinations = (): number => Math.max(1, Math.floor(Math.ceil(threads() / 2) / 2));
