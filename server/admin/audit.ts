/** Writes the audit: who looks at personal data or changes it, before it is shown or changed. Also lists its entries. */
import {randomUUIDv7} from 'node:crypto';
import {maxIds, type AuditEntry, type AuditStore} from '../leads/audit.ts';
import type {LeadFilter, LeadReader} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import {idsOf, refuseFor, type NoteAccess, type With} from './admin.ts';

/** Who acts, and the words of the command, such as `leads show`. */
export type Actor = Pick<AuditEntry, 'actor' | 'action'>;

/** Names of filters whose values the audit stores, because operators or settings choose them. Others may be personal. */
const ofLeads = ['partner', 'status', 'state', 'open', 'destination', 'scope', 'erasure', 'deliveries'];
const ofOperators = ['operator', 'role', 'reason', 'plan', 'from', 'key'];
const ofRequests = ['kind', 'kept_until', 'corrected', 'asked', 'via'];
const noted = [...ofLeads, ...ofOperators, ...ofRequests];
/** Filters that are left out, because another filter or the ids already say the same. */
const unnamed = ['lead', 'endOfId', 'emailAsTyped'];

function inWords([name, value]: [string, unknown]): [string, unknown][] {
  if (value === undefined || unnamed.includes(name)) return [];
  if (name === 'since' || name === 'until') return [[name, new Date(Number(value)).toISOString()]];
  return [[name, noted.includes(name) ? (value ?? '-') : value !== false]];
}

/** @returns a function that adds to one entry for the whole command, and writes the entry only if it has changed */
export function noting(store: Pick<AuditStore, 'addAuditEntry'>, by: Actor): NoteAccess {
  const at = new Date().toISOString();
  const entry: AuditEntry = {id: randomUUIDv7(), at, ...by, filter: {}, leads: 0, ids: []};
  let written = '';
  let last = Promise.resolve();
  /** Writes one after the other: otherwise, an earlier state of the entry could overwrite a later one. */
  async function write(before: Promise<void>) {
    await before.catch(() => undefined);
    const now = JSON.stringify(entry);
    if (now === written) return;
    await store.addAuditEntry(entry);
    written = now;
  }
  return async (filter, ids = [], leads = 0) => {
    const {lead = []} = filter as {lead?: string};
    Object.assign(entry.filter, Object.fromEntries(Object.entries(filter).flatMap(inWords)));
    // A value of `false` removes an earlier one: running a plan removes `plan`.
    for (const [name, value] of Object.entries(entry.filter)) if (value === false) delete entry.filter[name];
    const all = [...new Set([...entry.ids, ...ids].concat(lead))];
    entry.leads = Math.max(entry.leads, leads, all.length);
    entry.ids = all.slice(0, maxIds);
    const failed =
      'The command ends here, because it cannot be noted who looks at personal data or changes it';
    last = write(last);
    await last.catch((error: unknown) => refuseFor(error, `${failed} (table audit): `));
  };
}

/**
 * Writes a list that is read page by page to the audit.
 * @returns the filter for its pages, which leaves out leads that arrive later, because the entry does not count them
 */
export async function noteListAccess(
  {store, noteAccess}: With<LeadReader, 'noteAccess'>,
  filter: LeadFilter,
  limit = Infinity,
): Promise<LeadFilter> {
  const size = Math.min(limit, maxIds);
  const leads = await store.listLeads(filter, {limit: size});
  const isAll = leads.length < size || size === limit;
  const ids = idsOf(leads);
  await noteAccess(filter, ids, isAll ? 0 : Math.min(limit, await store.countLeads(filter)));
  const [newest] = ids;
  return {...filter, until: newest === undefined ? 0 : createdAtOf(newest) + 1};
}
