/**
 * Who looked at personal data, or changed it: a row for each command, and a count for each caller and day. Nothing in them
 * is personal, so they outlive the leads.
 */
import {dayLength, startDailyCounts, type DailyCounts} from '../versions/daily-counts.ts';
import type {LeadFilter, LeadPage} from './lead-filter.ts';
import {firstIdAt} from './lead-ids.ts';

/**
 * - `id`: begins with the time, as those of leads do
 * - `actor`: the account on the machine, `caller` with its name, or `visitor`
 * - `action`: the words of a command, such as `leads show`
 * - `filter`: which leads were meant, and nothing personal
 * - `leads`: how many there were, and the ids of the first ones in `ids`
 */
export type AuditEntry = {
  id: string;
  at: number;
  actor: string;
  action: string;
  filter: Readonly<Record<string, unknown>>;
  leads: number;
  ids: readonly string[];
};

export type AuditStore = {
  /** Stores the entry, or what is known by now of one that is stored. A connection that only reads can do that, too. */
  noteLook(entry: AuditEntry): Promise<void>;
  /** Adds `leads` to those of the entry with this id. */
  addReads(counts: readonly AuditEntry[]): Promise<void>;
  /** The newest first. `after` is the id of the last entry of the previous page. */
  auditEntries(period: Pick<LeadFilter, 'since' | 'until'>, page: LeadPage): Promise<AuditEntry[]>;
};

/** Milliseconds for which entries are kept: two years. */
export const auditKept = 731 * dayLength;

/** @param interval milliseconds between two times at which the counts are stored */
export function startCountingReads(
  store: Pick<AuditStore, 'addReads'>,
  interval: number,
): DailyCounts<{user: string}> {
  return startDailyCounts<{user: string}>(
    (counts) =>
      store.addReads(
        counts.map(({day, user, requests}) => ({
          ...{id: `${firstIdAt(day)} ${user}`, at: day, actor: `caller ${user}`},
          ...{action: 'GET /json/leads/:id', filter: {}, leads: requests, ids: []},
        })),
      ),
    interval,
  );
}
