/**
 * Looks up the names of all destinations, with the resolver of the system: it knows the hosts file, search domains and
 * nsswitch. The resolver holds a thread until it answers or gives up, and nothing can end that earlier. So each name is
 * asked for once at a time, destinations hold no more than their share of the threads, and answers are kept. The other
 * threads are free for the names of PostgreSQL and Redis, which are not looked up here.
 */
import {ADDRCONFIG, type LookupAddress} from 'node:dns';
import {lookup as askSystem} from 'node:dns/promises';
import type {LookupFunction} from 'node:net';
import {bulkhead} from 'cockatiel';
import {threadsForDestinations} from '../config/thread-pool.ts';
import {NotTried} from './breaker.ts';

/**
 * Finds the addresses of a host.
 * @throws LookupTooSlow, NotTried if other names hold all threads, or the error of the resolver
 */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

/** Milliseconds for which a look-up is waited for. */
const limit = 5_000;
/** Milliseconds for which an answer is used without asking again. */
const freshFor = 60_000;
/** Milliseconds for which an answer is used while a newer one is not there yet, or cannot be had. */
const usableFor = 600_000;

/** Thrown when the resolver did not answer in time. The message does not repeat the name. */
export class LookupTooSlow extends Error {
  readonly code = 'LOOKUP_TOO_SLOW';

  constructor() {
    super('The name could not be looked up in time');
    this.name = 'LookupTooSlow';
  }
}

type Known = {addresses: LookupAddress[]; since: number};
type Running = {thread: {isHeld: boolean}; addresses: Promise<LookupAddress[]>};

/**
 * @param ask asks the resolver, which holds a thread until it answers
 * @param share how many threads may be held at once
 * @param now milliseconds, of a clock that never goes back
 */
export function createLookups(ask: Lookup, share: number, now = () => performance.now()): Lookup {
  const threads = bulkhead(share, Infinity);
  const known = new Map<string, Known>();
  const running = new Map<string, Running>();

  function start(host: string): Running {
    const thread = {isHeld: false};
    const addresses = threads
      .execute(async () => {
        thread.isHeld = true;
        const found = await ask(host);
        known.set(host, {addresses: found, since: now()});
        return found;
      })
      .finally(() => running.delete(host));
    // A failure is told to those who wait for the look-up. Perhaps nobody waits any more.
    addresses.catch(() => undefined);
    const lookup = {thread, addresses};
    running.set(host, lookup);
    return lookup;
  }

  return (host) => {
    const last = known.get(host);
    const age = last ? now() - last.since : Infinity;
    if (last && age < freshFor) return Promise.resolve(last.addresses);
    const {thread, addresses} = running.get(host) ?? start(host);
    if (last && age < usableFor) return Promise.resolve(last.addresses);
    // A look-up that has a thread now is slow for a reason of its own if it takes too long. One that still waits for a
    // thread is delayed by other names, so its destination must not be blamed.
    const {isHeld} = thread;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(isHeld ? new LookupTooSlow() : new NotTried(noThread)), limit);
    return Promise.race([addresses, late.promise]).finally(() => clearTimeout(timer));
  };
}

const noThread = 'The name could not be looked up, because slow look-ups of other names hold all threads';

let ofThisProcess: Lookup | undefined;

/** Looks a name up for any destination of this process. The pool of threads has its size by the time of the first name. */
export const lookUp: Lookup = (host) => {
  const ask: Lookup = (name) => askSystem(name, {all: true, hints: ADDRCONFIG});
  ofThisProcess ??= createLookups(ask, threadsForDestinations());
  return ofThisProcess(host);
};

/** The option `lookup` of sockets. */
export const forSockets =
  (lookup: Lookup): LookupFunction =>
  (host, options, callback) => {
    lookup(host).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
