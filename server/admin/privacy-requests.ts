/** Requests to erase, to know or to correct, made by the link of a lead or through an operator. And leads kept for a lawsuit. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {dayLength} from '../config/timings.ts';
import type {LeadReader} from '../leads/lead-filter.ts';
import type {PersonReader} from '../leads/persons.ts';
import {
  dueAt,
  requestKinds,
  type PrivacyRequest,
  type PrivacyRequestReader,
  type PrivacyRequestStore,
  type RequestKind,
} from '../leads/privacy-requests.ts';
import type {RevocationStore} from '../leads/revocation.ts';
import {count, isoTime, Refusal, time, type With} from './admin.ts';
import {businessDaysAfter} from './business-days.ts';
import {writeDown} from './erasing.ts';
import {recordOf} from './lead-names.ts';

/**
 * - `days`: from the request until it ended, or until now. `confirm_by`: when its receipt must be confirmed. `due_at`: when it
 *   must be answered
 * - `ended_at`: null while it waits. `answer`: what was done, or why nothing was done
 */
export const privacyRequest = z.object({
  id: z.string(),
  reference: z.string(),
  partner: z.string().nullable(),
  kind: z.enum(requestKinds),
  requested_at: time.nullable(),
  entered_at: time.nullable(),
  way: z.string(),
  days: count,
  confirm_by: time.nullable(),
  due_at: time.nullable(),
  ended_at: time.nullable(),
  answer: z.string().nullable(),
});
export type PrivacyRequestRow = z.infer<typeof privacyRequest>;

/** The requests that wait, or those that have ended, the oldest first. `leads erase` also ends the requests to erase. */
export async function listRequests(
  {store}: With<LeadReader & PrivacyRequestReader>,
  {isEnded}: {isEnded: boolean} = {isEnded: false},
): Promise<PrivacyRequestRow[]> {
  const requests = await store.requests({isEnded});
  const records = await store.findRecords(requests.map(({lead}) => lead));
  return requests.map((request) => toRequestRow(request, records.get(request.lead)?.partner ?? null));
}

/** Business days within which the receipt of a request must be confirmed: 11 CCR 7021(a). */
const daysToConfirm = 10;

export const toRequestRow = (
  {lead: id, kind, askedAt, enteredAt, way, endedAt, answer}: PrivacyRequest,
  partner: string | null,
): PrivacyRequestRow => ({
  id,
  reference: referenceOf(id),
  partner,
  kind,
  way,
  requested_at: isoTime(askedAt),
  entered_at: isoTime(enteredAt),
  days: Math.floor(((endedAt ?? Date.now()) - askedAt) / dayLength),
  confirm_by: isoTime(businessDaysAfter(askedAt, daysToConfirm)),
  due_at: isoTime(dueAt({askedAt})),
  ended_at: isoTime(endedAt),
  answer,
});

type Desk = With<LeadReader & PersonReader & RevocationStore & PrivacyRequestStore, 'config' | 'noteAccess'>;
const notChanged = 'Nothing was changed, because';

type Asked = Omit<PrivacyRequest, 'endedAt' | 'answer'> & Partial<PrivacyRequest>;
/** Writes a request into the file of erasures, and then into the store. */
export async function putRequest(admin: Omit<Desk, 'noteAccess'>, asked: Asked): Promise<void> {
  const request = {endedAt: null, answer: null, ...asked};
  await writeDown(admin, [{...request, at: Date.now()}], notChanged);
  await admin.store.putRequest(request);
}

/** Ends the waiting requests of this kind. @param answer what was done, or why nothing was done */
export async function endRequests(
  admin: Omit<Desk, 'noteAccess'>,
  {lead, kind, answer}: {lead: string; kind: RequestKind; answer: string},
): Promise<void> {
  for (const one of await requestsOf(admin, lead, kind))
    await putRequest(admin, {...one, endedAt: Date.now(), answer});
}

/** The waiting requests of this kind. @param lead its id */
export const requestsOf = async ({store}: With<PrivacyRequestReader>, lead: string, kind: RequestKind) =>
  (await store.requests({lead, isEnded: false})).filter((one) => one.kind === kind);

/**
 * Notes a request. If one of this kind waits already, the earlier of the two days counts.
 * @returns the reference of the lead
 * @param added `asked`: the day of the request, in milliseconds since 1970
 * @throws Refusal if a request of this kind is already waiting from the same or an earlier day
 */
export async function addRequest(
  admin: Desk,
  {lead: named, kind, asked, way}: {lead: string; kind: RequestKind; asked: number; way: string},
): Promise<string> {
  const {id: lead} = await recordOf(admin, named);
  const enteredAt = Date.now();
  if (asked > enteredAt) throw new Refusal('The day on which it was asked is still to come.');
  await admin.noteAccess({lead, kind, asked: isoTime(asked), via: way});
  const [before] = await requestsOf(admin, lead, kind);
  if (before && before.askedAt <= asked)
    throw new Refusal(`A request of this kind waits for ${named} already.`);
  await putRequest(admin, {...(before ?? {lead, kind, enteredAt, way}), askedAt: asked});
  return referenceOf(lead);
}

/**
 * Keeps a lead for a lawsuit, even beyond its retention, with everything that an erasure of it would include. Or changes until
 * when. @param until milliseconds since 1970. A time in the past ends it @returns the reference of the lead
 */
export async function keepLead(
  admin: Desk,
  {lead: named, until, reason}: {lead: string; until: number; reason: string},
): Promise<string> {
  const {id: lead} = await recordOf(admin, named);
  await admin.noteAccess({lead, kept_until: isoTime(until), reason});
  const now = Date.now();
  const hold = {lead, until, reason, enteredAt: now};
  await writeDown(admin, [{...hold, at: now}], notChanged);
  await admin.store.keepForLaw(hold);
  return referenceOf(lead);
}

/** A lead that is kept for a lawsuit. */
export const legalHold = z.object({
  ...{id: z.string(), reference: z.string(), reason: z.string()},
  ...{until: time.nullable(), entered_at: time.nullable()},
});

/** The leads that are kept for a lawsuit now, sorted by the end of that time. */
export const listHolds = async ({store}: With<PrivacyRequestReader>): Promise<z.infer<typeof legalHold>[]> =>
  (await store.legalHolds(Date.now())).map(({lead, until, reason, enteredAt}) => ({
    ...{id: lead, reference: referenceOf(lead), reason},
    ...{until: isoTime(until), entered_at: isoTime(enteredAt)},
  }));
