/**
 * Finds the leads and the kept consents of a person by e-mail address or telephone number. Most are found by their digests. The
 * leads of the last minute have no digests yet, so these are read; after an update from before version 1.7, that is true of all
 * leads for some minutes.
 */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {z} from 'zod';
import {endOfId} from '../../contract/reference.ts';
import {mailboxOf} from '../leads/confirmation-digests.ts';
import type {KeptConsent, ErasureReader} from '../leads/erasure.ts';
import type {FullLead, LeadFilter, ListedLead, LeadReader} from '../leads/lead-filter.ts';
import {unreadableDigest, type KnownPerson, type Person, type BlindIndexes} from '../leads/persons.ts';
import type {ReadStore} from '../leads/ports.ts';
import {personOf, phoneOf, comparableEmail} from '../leads/read-contact.ts';
import type {Tombstone} from '../leads/stored-lead.ts';
import {isErased} from '../store/rows.ts';
import {finish, idsOf, pagesOf, Refusal, type Job, type With} from './admin.ts';

/** `total`: leads to read. `unprepared`: how many of them have no digests yet. `looked`: how many were read so far. */
export type Search = {total: number; unprepared: number; looked: number};

/**
 * - `found`: the newest first
 * - `kept`: erased leads whose consent is kept
 * - `unreadable`, `sameMailbox`: ids of leads that may also be of the person
 */
export type Found = {
  found: FullLead[];
  kept: Tombstone[];
  unreadable: string[];
  sameMailbox: string[];
} & Search;

/** Parses an address or a number; any other text is returned as the id or reference of a lead. @throws Refusal for an impossible address */
export function namedBy(text: string): string | Person {
  const person = personOf(text);
  if (person) return person;
  if (text.includes('@')) throw new Refusal(`${text} is no e-mail address.`, 'unknown');
  const phone = phoneOf(text)?.e164;
  return endOfId(text) !== undefined || phone === undefined ? text : {phone};
}

/** Reads leads until `limit` of them are the person's, or until the signal is aborted. */
export async function* leadsOfPerson(
  {store, noteAccess, signal}: With<ReadStore, 'noteAccess' | 'signal'>,
  filter: LeadFilter,
  person: Person,
  limit = Infinity,
): Job<Search, Found> {
  const lists = {found: [], kept: [], unreadable: [], sameMailbox: []};
  const search: Found = {...lists, total: 0, unprepared: 0, looked: 0};
  const {digests: first, since} = await store.blindIndexes(person);
  const digests = [first];
  if (person.emailAsTyped !== undefined)
    digests.push((await store.blindIndexes({email: person.emailAsTyped})).digests);
  const [unprepared, ...prepared] = partsOf(filter, digests, since);
  search.unprepared = await store.countLeads(unprepared);
  search.total = search.unprepared;
  for (const part of prepared) search.total += await store.countLeads(part);
  const isOver = () => search.found.length === limit || signal?.aborted;
  for (const part of [unprepared, ...prepared]) {
    if (isOver()) break;
    for await (const leads of pagesOf((page) => store.listLeads(part, page))) {
      const kept = await store.keptConsents(idsOf(leads.filter(isErased)));
      for (const lead of leads) {
        if (search.found.length === limit) break;
        search.looked += 1;
        sort(lead, kept.get(lead.id), {person, digests}, search);
      }
      yield {total: search.total, unprepared: search.unprepared, looked: search.looked};
      // Queries of SQLite are synchronous: without this turn of the event loop, no signal would be handled.
      await endOfTurn();
      if (isOver()) break;
    }
  }
  for (const list of [search.found, search.kept]) list.sort(({id}, other) => (id < other.id ? 1 : -1));
  const ids = idsOf([...search.found, ...search.kept]);
  await noteAccess({...filter, ...person}, [...ids, ...search.sameMailbox]);
  return search;
}

/** All leads of a person, without an entry in the audit: the caller writes it. */
export const readPerson = ({store}: With<ReadStore>, person: Person): Promise<Found> =>
  finish(leadsOfPerson({store, noteAccess: () => Promise.resolve()}, {}, person));

/** The queries of a search: first the newest leads, which have no digests yet, then the older ones with a digest of the person. */
function partsOf(
  filter: LeadFilter,
  digests: readonly BlindIndexes[],
  since: number,
): [LeadFilter, ...LeadFilter[]] {
  const until = Math.min(since, filter.until ?? since);
  const own = digests.map(({email}) => digests[0]?.phone ?? email);
  return [
    {...filter, since: Math.max(since, filter.since ?? since)},
    ...[...new Set([unreadableDigest, ...own])].map((digest) => ({...filter, until, digest})),
  ];
}

/** Adds the lead to its list of the result, if it belongs to one. */
function sort(
  lead: ListedLead,
  consent: KeptConsent | Error | undefined,
  {person: {email, emailAsTyped, phone}, digests}: {person: Person; digests: readonly BlindIndexes[]},
  search: Found,
) {
  if ('unreadable' in lead || consent instanceof Error) return void search.unreadable.push(lead.id);
  if (isErased(lead)) {
    if (!consent || (phone !== undefined && consent.phone.e164 !== phone)) return;
    const {addressDigest, emailDigest} = consent;
    if (email === undefined || digests.some(({address}) => address && addressDigest === address))
      search.kept.push(lead);
    else if (digests.some((each) => each.email && emailDigest === each.email))
      search.sameMailbox.push(lead.id);
    return;
  }
  // In a damaged row, the e-mail address and the telephone number may be missing.
  const its: {email?: string; phone?: {e164: string}} = lead.lead;
  if (phone !== undefined && its.phone?.e164 !== phone) return;
  const {email: own = ''} = its;
  if (email === undefined || [email, emailAsTyped].includes(comparableEmail(own))) search.found.push(lead);
  else if ([email, emailAsTyped ?? email].map(mailboxOf).includes(mailboxOf(own)))
    search.sameMailbox.push(lead.id);
}

/** Ids of other leads that have a number or an e-mail address of these leads. */
export async function relativesOf(
  admin: With<ReadStore>,
  ids: readonly string[],
): Promise<{phone: string[]; email: string[]}> {
  const people = [...(await peopleOf(admin, ids)).people.values()];
  const others = {phone: [] as string[], email: [] as string[]};
  for (const name of ['phone', 'email'] as const)
    for (const value of new Set(people.map((each) => each[name]))) {
      const person = name === 'phone' ? {phone: value} : personOf(value ?? '');
      if (value === undefined || !person) continue;
      const {found} = await readPerson(admin, person);
      others[name].push(...idsOf(found).filter((id) => !ids.includes(id)));
    }
  return others;
}

/**
 * The people who sent these leads, by id of the lead. For an erased lead, the person is known as long as its consent is kept,
 * with only a digest of the address. `unread`: ids of leads whose person is not readable.
 */
export async function peopleOf(
  {store}: With<LeadReader & ErasureReader>,
  ids: readonly string[],
): Promise<{people: Map<string, KnownPerson>; unread: string[]; records: Records}> {
  const [people, unread] = [new Map<string, KnownPerson>(), [] as string[]];
  const kept = await store.keptConsents(ids);
  const records = await store.findRecords(ids);
  for (const [id, record] of records) {
    const consent = kept.get(id);
    if ('unreadable' in record || consent instanceof Error) unread.push(id);
    else if (!isErased(record)) {
      // A damaged row may have no number.
      const {phone, email} = (record.lead as Partial<FullLead['lead']> | null) ?? {};
      if (phone) people.set(id, {phone: phone.e164, email});
      else unread.push(id);
    } else if (consent) people.set(id, {phone: consent.phone.e164, addressDigest: consent.addressDigest});
  }
  return {people, unread, records};
}
type Records = Awaited<ReturnType<LeadReader['findRecords']>>;

/** A person's name and number for programs: the number as typed, and in E.164. */
export const personRow = z.object({
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  phone_e164: z.string(),
});
export function toPersonRow(person: Pick<KeptConsent, 'first_name' | 'last_name' | 'phone'>) {
  const {first_name, last_name, phone} = person;
  return {first_name, last_name, phone: phone.typed, phone_e164: phone.e164};
}

/** The partner and the client of a lead, which are compared with the scopes of stops. */
export const senderOf = (lead: {partner: string | null; cid?: string; lead?: {cid: string}}) => ({
  partner: lead.partner,
  cid: lead.lead?.cid ?? lead.cid ?? '',
});
