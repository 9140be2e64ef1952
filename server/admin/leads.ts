/** Finds leads: by id or reference, or by the person who sent them. */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {endOfId, referenceOf} from '../../contract/reference.ts';
import {mailboxOf} from '../leads/confirmation-digests.ts';
import {comparableEmail} from '../leads/idempotency.ts';
import type {FullLead, LeadFilter, UnreadableLead} from '../leads/lead-filter.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type Admin, type Job} from './admin.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The maximum number of leads with the same reference that a message names. */
const maxNamed = 10;

/** The id of the lead. @throws Refusal if no lead or several leads have this name */
export async function leadOf({store}: Pick<Admin, 'store'>, named: string): Promise<string> {
  if (uuid.test(named)) return named.toLowerCase();
  const end = endOfId(named);
  const leads = end === undefined ? [] : await store.listLeads({endOfId: end}, {limit: maxNamed});
  const [lead, another] = leads;
  if (lead && !another) return lead.id;
  if (lead)
    throw new Refusal(
      'conflict',
      `Several leads have the reference ${named}; name one by its id:`,
      leads.map(({id}) => id),
    );
  throw new Refusal(
    'unknown',
    `There is no lead ${named}. A lead is named by its id or its reference, such as K7QM-2XHD.`,
  );
}

export const unreadableText = ({id, unreadable}: UnreadableLead): string =>
  `Lead ${referenceOf(id)} (${id}) cannot be read: ${unreadable}.`;

/** In the form in which they are compared. */
export type Person = {email?: string | undefined; phone?: string | undefined};

export type Search = {total: number; looked: number};

/** `unreadable` and `sameMailbox` are ids of leads that may be of the person, too. */
export type Found = {found: FullLead[]; unreadable: string[]; sameMailbox: string[]} & Search;

/** Leads of one query, each of which is opened. */
const pageLeads = 1_000;

/**
 * Reads the leads of the filter, the newest first, until `limit` of them are those of the person: both are sealed, and the
 * database has no digest of them.
 */
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
