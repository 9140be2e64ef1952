/**
 * The access log: who looked at what. Pages that are open ask for themselves again and again, so the same page is one
 * entry in a quarter of an hour; what changes something is an entry each time.
 */
import {hash} from 'node:crypto';
import type {Admin} from '../admin/admin.ts';
import {noting, type Actor} from '../admin/audit.ts';
import {maxIds, type AuditStore} from '../leads/audit.ts';

/** Milliseconds. */
const entryTime = 15 * 60_000;
/** Entries that are known at a time. One that is forgotten is noted once more. */
const maxKnown = 1_000;

type Known = {note: Admin['noteAccess']; ids: ReadonlySet<string>; endsAt: number};

export const actorOf = ({name}: {name: string}): string => `operator ${name}`;

export function createAccessLog(now = () => performance.now()) {
  const known = new Map<string, Known>();

  function forgetOldest() {
    for (const key of known.keys())
      if (known.size <= maxKnown) return;
      else known.delete(key);
  }

  return {
    /** @param page the parameters of the page. Undefined for what changes something */
    of(store: Pick<AuditStore, 'addAuditEntry'>, by: Actor, page: object | undefined): Admin['noteAccess'] {
      if (!page) return noting(store, by);
      // A digest, because a page may be a search for a person.
      const key = hash('sha256', JSON.stringify([by.actor, by.action, page]));
      return async (filter, ids = [], leads) => {
        const {lead = []} = filter as {lead?: string};
        const before = known.get(key);
        const all = new Set([...(before?.ids ?? []), ...ids].concat(lead));
        // An entry names so many leads. With more, some of them would be seen without being named anywhere.
        const goesOn =
          before && before.endsAt > now() && (all.size <= maxIds || all.size === before.ids.size);
        const entry: Known = goesOn
          ? {...before, ids: all}
          : {note: noting(store, by), ids: new Set([...ids].concat(lead)), endsAt: now() + entryTime};
        // Before it is noted, so that an access at the same time counts these ids, too.
        known.delete(key);
        known.set(key, entry);
        forgetOldest();
        await entry.note(filter, ids, leads);
      };
    },
  };
}
