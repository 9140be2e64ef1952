/**
 * Finds the leads of a person by e-mail address or telephone number. Both are sealed, and the database has no digest of
 * them, so all leads that the filter selects are read, the newest first.
 */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {mailboxOf} from '../leads/confirmation-digests.ts';
import {comparableEmail} from '../leads/idempotency.ts';
import type {FullLead, LeadFilter} from '../leads/lead-filter.ts';
import {isErased} from '../store/rows.ts';
import type {Admin, Job} from './admin.ts';

/** In the form in which they are compared. */
export type Person = {email?: string | undefined; phone?: string | undefined};

export type Search = {total: number; looked: number};

/** `unreadable` and `sameMailbox` are ids of leads that may be of the person, too. */
export type Found = {found: FullLead[]; unreadable: string[]; sameMailbox: string[]} & Search;

/** Leads of one query, each of which is opened. */
const pageLeads = 1_000;

/** Reads until `limit` leads are those of the person, or until `signal` ends it. */
export async function* leadsOfPerson(
  {store}: Pick<Admin, 'store'>,
  filter: LeadFilter,
  {email, phone}: Person,
  {limit = Infinity, signal}: {limit?: number | undefined; signal?: AbortSignal} = {},
): Job<Search, Found> {
  const so: Found = {found: [], unreadable: [], sameMailbox: [], looked: 0, total: 0};
  so.total = await store.countLeads(filter);
  for (let after: string | undefined; so.found.length < limit && !signal?.aborted;) {
    const page = await store.listLeads(filter, {limit: pageLeads, after});
    for (const lead of page) {
      if (so.found.length === limit) break;
      so.looked += 1;
      if ('unreadable' in lead) so.unreadable.push(lead.id);
      else if (!isErased(lead)) {
        // In a damaged row, both may be missing.
        const its: {email?: string; phone?: {e164: string}} = lead.lead;
        if (phone !== undefined && its.phone?.e164 !== phone) continue;
        if (email === undefined || comparableEmail(its.email ?? '') === email) so.found.push(lead);
        else if (mailboxOf(its.email ?? '') === mailboxOf(email)) so.sameMailbox.push(lead.id);
      }
    }
    yield {total: so.total, looked: so.looked};
    after = page.at(-1)?.id;
    if (page.length < pageLeads) break;
    // SQLite answers without a turn of the event loop, in which signals are handled.
    await endOfTurn();
  }
  return so;
}
