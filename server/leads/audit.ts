/** Who looked at personal data, or changed it: a row for each command, and for each caller and day. Nothing in it is personal. */
import {z} from 'zod';
import {dayLength} from '../config/timings.ts';
import type {DailyCount} from '../versions/request-counts.ts';
import type {LeadFilter} from './lead-filter.ts';

/**
 * - `id`: begins with the time, as those of leads do
 * - `actor`: the account on the machine, `caller` or `operator` with the name, or `visitor`
 * - `action`: the words of a command, such as `leads show`
 * - `filter`: which leads were meant. What may be personal is `true`
 * - `leads`: how many there were, and the first ones in `ids`
 */
export const auditEntry = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  filter: z.record(z.string(), z.unknown()),
  leads: z.number().int(),
  ids: z.array(z.string()),
});
export type AuditEntry = z.infer<typeof auditEntry>;

/** Ids of an entry, at most. */
export const maxIds = 50;

/**
 * - `after`: the id of an entry. Only older ones are found, and `until` does not count
 * - `who`: a part of the name of the actor
 * - `lead`: the id of a lead that the entry names. An entry of more leads than it names is left out
 * - `isListed`: false leaves out lists in which the lead stood beside others
 */
export type AuditFilter = Pick<LeadFilter, 'since' | 'until'> & {
  after?: string | undefined;
  who?: string | undefined;
  lead?: string | undefined;
  isListed?: boolean;
};

export type AuditStore = {
  /** Stores an entry, or what is known of it by now. A connection that only reads can do that, too. */
  addAuditEntry(entry: AuditEntry): Promise<void>;
  /** Adds reads of callers to those that are stored. */
  addReads(counts: readonly DailyCount<{user: string}>[]): Promise<void>;
  /** The newest first. */
  auditEntries(filter: AuditFilter, limit: number): Promise<AuditEntry[]>;
};

/** Milliseconds for which entries are kept: two years. */
export const auditKept = 731 * dayLength;
