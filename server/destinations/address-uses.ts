/**
 * Notes where destinations are, and when deliveries arrived there, so that operators know who has a lead. It is written
 * behind: no delivery waits for it.
 */
import type {AddressUse} from '../leads/deliveries.ts';
import type {AddressPort} from '../leads/ports.ts';
import type {Served} from './channel.ts';

export type AddressUses = ReturnType<typeof startNotingAddresses>;

/** @param interval milliseconds between two writes */
export function startNotingAddresses(store: Pick<AddressPort, 'noteAddresses'>, interval: number) {
  const uses = new Map<string, AddressUse>();
  const unwritten = new Set<AddressUse>();
  let writing = Promise.resolve();

  function write(): Promise<void> {
    const batch = [...unwritten];
    unwritten.clear();
    const work = () => (batch.length > 0 ? store.noteAddresses(batch) : undefined);
    // After an outage of the store, the next write has them, too.
    writing = writing.then(work).catch(() => batch.forEach((use) => unwritten.add(use)));
    return writing;
  }
  const timer = setInterval(() => void write(), interval).unref();

  return {
    /** @param at when a delivery arrived, or may have. 0: the destination is served */
    note(destination: string, {address, place}: Pick<Served, 'address' | 'place'>, at: number) {
      if (place === '') return;
      const key = `${destination} ${address}`;
      const use = uses.get(key) ?? {destination, address, place, firstUsed: at, lastUsed: at};
      if (uses.has(key) && at === 0) return;
      uses.set(key, use);
      use.firstUsed ||= at;
      use.lastUsed = at;
      unwritten.add(use);
    },
    write,
    stop() {
      clearInterval(timer);
      return write();
    },
  };
}
