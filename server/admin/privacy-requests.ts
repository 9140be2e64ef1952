/** What people asked for besides a stop: by the link of a lead, or of an operator, who was told. And leads that a lawsuit keeps. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {dayLength} from '../config/timings.ts';
import type {LeadReader} from '../leads/lead-filter.ts';
import {
  dueAt,
  requestKinds,
  type PrivacyRequest,
  type PrivacyRequestReader,
  type PrivacyRequestStore,
  type RequestKind,
} from '../leads/privacy-requests.ts';
import {count, isoTime, Refusal, time, type With} from './admin.ts';
import {leadOf} from './lead-names.ts';

/** `days`: since it was asked. `due_at`: when it must be answered */
export const privacyRequest = z.object({
  id: z.string(),
  reference: z.string(),
  partner: z.string().nullable(),
  kind: z.enum(requestKinds),
  requested_at: time.nullable(),
  entered_at: time.nullable(),
  way: z.string(),
  days: count,
  due_at: time.nullable(),
});
export type PrivacyRequestRow = z.infer<typeof privacyRequest>;

/** The oldest first. `leads erase` ends those to erase, too. */
export async function listRequests({
  store,
}: With<LeadReader & PrivacyRequestReader>): Promise<PrivacyRequestRow[]> {
  const requests = await store.requests();
  const records = await store.findRecords(requests.map(({lead}) => lead));
  return requests.map((request) => toRequestRow(request, records.get(request.lead)?.partner ?? null));
}

export const toRequestRow = (
  {lead: id, kind, askedAt, enteredAt, way}: PrivacyRequest,
  partner: string | null,
): PrivacyRequestRow => ({
  id,
  reference: referenceOf(id),
  partner,
  kind,
  way,
  requested_at: isoTime(askedAt),
  entered_at: isoTime(enteredAt),
  days: Math.floor((Date.now() - askedAt) / dayLength),
  due_at: isoTime(dueAt({askedAt})),
});

type Desk = With<LeadReader & PrivacyRequestStore, 'noteAccess'>;

/** @returns the reference of the lead. @param added `asked`: the day on which it was asked, in milliseconds since 1970. @throws Refusal if one of this kind waits */
export async function addRequest(
  {store, noteAccess}: Desk,
  {lead: named, kind, asked, way}: {lead: string; kind: RequestKind; asked: number; way: string},
): Promise<string> {
  const lead = await leadOf({store}, named);
  const enteredAt = Date.now();
  // Of today, a page names the noon, which may still be to come.
  if (asked > enteredAt + dayLength) throw new Refusal('The day on which it was asked is still to come.');
  const askedAt = Math.min(asked, enteredAt);
  await noteAccess({lead, kind});
  if (!(await store.addRequest({lead, kind, askedAt, enteredAt, way})))
    throw new Refusal(`A request of this kind waits for ${named} already, or there is no such lead.`);
  return referenceOf(lead);
}

/** Ends a request. @returns the reference of the lead. @throws Refusal if there is none */
export async function endRequest(
  {store, noteAccess}: Desk,
  {lead: named, kind, reason}: {lead: string; kind: RequestKind; reason: string},
): Promise<string> {
  const lead = await leadOf({store}, named);
  await noteAccess({lead, kind, reason});
  if (!(await store.endRequest(lead, kind)))
    throw new Refusal(`Nobody asked to ${kind} ${named}, or the request has ended.`, 'unknown');
  return referenceOf(lead);
}

/**
 * Keeps a lead for a lawsuit, against retention, or changes until when.
 * @param until milliseconds since 1970. One that has passed ends it
 * @returns the reference of the lead
 */
export async function keepLead(
  {store, noteAccess}: Desk,
  {lead: named, until, reason}: {lead: string; until: number; reason: string},
): Promise<string> {
  const lead = await leadOf({store}, named);
  if (!(await store.findRecords([lead])).has(lead))
    throw new Refusal(`There is no lead ${named}.`, 'unknown');
  await noteAccess({lead, kept_until: isoTime(until), reason});
  await store.keepForLaw({lead, until, reason, enteredAt: Date.now()});
  return referenceOf(lead);
}
