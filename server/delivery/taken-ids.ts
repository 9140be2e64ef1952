/** Remembers what upstreams took while the store could not write it, so that this process never sends it again. */

/** The oldest goes first; by then its writing has long been given up. */
const mostRemembered = 10_000;

export type TakenIds = {
  /** The id that the upstream gave to the lead, where that may not be in the store yet. */
  idOf(lead: string): string | null;
  /** Remembers the id while it is being written, and after that when this has outlived the lease. */
  during(lead: string, upstreamId: string, leaseEnd: number, write: () => Promise<void>): Promise<void>;
};

export function createTakenIds(): TakenIds {
  const ids = new Map<string, string>();
  return {
    idOf: (lead) => ids.get(lead) ?? null,
    async during(lead, upstreamId, leaseEnd, write) {
      ids.set(lead, upstreamId);
      const [oldest] = ids.keys();
      if (ids.size > mostRemembered && oldest !== undefined) ids.delete(oldest);
      await write();
      // Another claim of this process may have read the lead just before.
      if (Date.now() < leaseEnd) ids.delete(lead);
    },
  };
}
