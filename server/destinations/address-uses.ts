/**
 * Notes where the addresses of destinations are, and when deliveries arrived there, so that an operator can say who has a
 * lead. It is written behind: no delivery waits for it.
 */
import type {AddressUse} from '../leads/deliveries.ts';
import type {OutboxPort} from '../leads/ports.ts';
import type {Served} from './channel.ts';

export type AddressUses = {
  /** A delivery has arrived, or may have. */
  note(destination: string, address: string): void;
  /** These are served from now on. */
  serve(destinations: ReadonlyMap<string, Pick<Served, 'address' | 'place'>>): void;
  /** Stores what was noted so far. */
  stop(): Promise<void>;
};

/** @param interval milliseconds between two times at which it is stored */
export function startNotingAddresses(
  store: Pick<OutboxPort, 'noteAddresses'>,
  interval: number,
): AddressUses {
  const uses = new Map<string, AddressUse>();
  const unwritten = new Set<AddressUse>();
  let writing = Promise.resolve();

  function write(): Promise<void> {
    const batch = [...unwritten];
    unwritten.clear();
    if (batch.length > 0)
      writing = writing
        .then(() => store.noteAddresses(batch))
        // During an outage of the store. The next write has them, too.
        .catch(() => batch.forEach((use) => unwritten.add(use)));
    return writing;
  }
  const timer = setInterval(() => void write(), interval).unref();

  return {
    note(destination, address) {
      const use = uses.get(`${destination} ${address}`);
      if (!use) return;
      use.lastUsed = Date.now();
      use.firstUsed ||= use.lastUsed;
      unwritten.add(use);
    },
    serve(destinations) {
      for (const [destination, {address, place}] of destinations) {
        const key = `${destination} ${address}`;
        if (place === undefined || uses.has(key)) continue;
        const use = {destination, address, place, firstUsed: 0, lastUsed: 0};
        uses.set(key, use);
        unwritten.add(use);
      }
      void write();
    },
    stop() {
      clearInterval(timer);
      return write();
    },
  };
}
