/**
 * Erases what is personal of leads, in two steps: a plan, which is shown, and the erasure, which is refused if the plan
 * would be another one by then.
 */
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {consentOf, toErasedEvent} from '../destinations/webhook/event.ts';
import type {ErasableLead} from '../leads/erasure.ts';
import {erasedEventSchema, leadEventSchema} from '../leads/lead-event.ts';
import type {LeadFilter, ListedLead} from '../leads/lead-filter.ts';
import {isLeadId} from '../leads/lead-ids.ts';
import {consentEnd, retentionOf} from '../leads/retention.ts';
import {breadthOf, everybody, partnerOf} from '../leads/revocation.ts';
import type {Tombstone} from '../leads/stored-lead.ts';
import {
  appendErasures,
  readErasures,
  type Allowance,
  type Erasure,
  type Stop,
} from '../store/erasures-file.ts';
import {isErased, whyUnreadable} from '../store/rows.ts';
import {count, isoTime, Refusal, refuseFor, time, type Admin, type Job} from './admin.ts';
import {arrivalsOf} from './deliveries.ts';
import {isPresent, presentAddresses} from './destinations.ts';
import {leadOf} from './lead-names.ts';
import {numbersOf} from './persons.ts';
import {purge, type Waiting} from './purging.ts';

/** `leads` are ids or references; `all`: the consents that are kept, too */
export type ErasureInput = {leads: readonly string[]; all: boolean};

/**
 * A lead that would be erased, and what is known of it.
 * - `consent_kept_until`: null if no consent stays
 * - `former`: addresses that may have the lead and cannot be told, because their destinations have others now, or are gone
 * - `event`: what to send these by hand, the body of `lead.erased`; null if there is none
 * - `changes`: whether erasing changes anything of it
 * - `under_way_until`: a process may be sending it until then
 */
export const plannedLead = z.object({
  id: z.string(),
  reference: z.string(),
  because: z.enum(['named', 'duplicate', 'correction']),
  partner: z.string().nullable(),
  name: z.string().nullable(),
  created_at: time.nullable(),
  was_erased_at: time.nullable(),
  unreadable: z.string().nullable(),
  has_consent: z.boolean(),
  consent_kept_until: time.nullable(),
  told: z.array(z.string()),
  former: z.array(
    z.object({destination: z.string(), place: z.string().nullable(), last_used_at: time.nullable()}),
  ),
  event: erasedEventSchema.nullable(),
  remote_ids: z.array(z.object({destination: z.string(), remote_id: z.string().nullable()})),
  under_way_until: time.nullable(),
  changes: z.boolean(),
});
export type PlannedLead = z.infer<typeof plannedLead>;

/** A lead that was erased, as it was planned. */
export const erasedLead = plannedLead
  .omit({partner: true, name: true, created_at: true, unreadable: true, has_consent: true})
  .omit({under_way_until: true, changes: true})
  .extend({out_of_files: z.boolean()});

/** `confirm` is sent back with the erasure. */
export const erasurePlan = z.object({leads: z.array(plannedLead), all: z.boolean(), confirm: z.string()});
export type ErasurePlan = z.infer<typeof erasurePlan>;

export async function planErasure(admin: Admin, {leads: named, all}: ErasureInput): Promise<ErasurePlan> {
  const {store, config} = admin;
  const ids: string[] = [];
  for (const name of named) {
    const id = await leadOf(admin, name);
    if (!(await store.readLead(id))) throw new Refusal(`There is no lead ${name}.`, 'unknown');
    ids.push(id);
  }
  const leads: PlannedLead[] = [];
  for (const erasable of await store.erasable(ids)) {
    const lead = (await store.readLead(erasable.id))?.lead;
    const end = endOfConsent(config, erasable);
    const kept = planned(erasable, lead, all || end <= Date.now() ? null : end);
    leads.push({...kept, ...(await receiversOf(admin, erasable))});
  }
  const shown = leads.map(({id}) => id);
  await admin.look({all, erasure: 'planned'}, shown);
  const facts = leads.map(({id, was_erased_at, changes, consent_kept_until}) =>
    [id, was_erased_at, changes, consent_kept_until].join(' '),
  );
  return {leads, all, confirm: createHash('sha256').update(facts.join('\n')).digest('base64url')};
}

function planned(
  {id, because, partner, createdAt, erasedAt, hasConsent, remoteIds, leasedUntil}: ErasableLead,
  lead: ListedLead | undefined,
  consentUntil: number | null,
): Omit<PlannedLead, 'told' | 'former' | 'event'> {
  return {
    id,
    reference: referenceOf(id),
    because,
    partner,
    name: lead && 'lead' in lead ? `${lead.lead.first_name} ${lead.lead.last_name}` : null,
    created_at: isoTime(createdAt),
    was_erased_at: isoTime(erasedAt),
    unreadable: lead && 'unreadable' in lead ? lead.unreadable : null,
    has_consent: hasConsent,
    consent_kept_until: isoTime(consentUntil),
    remote_ids: remoteIds.map(({destination, remoteId}) => ({destination, remote_id: remoteId})),
    under_way_until: leasedUntil > Date.now() ? isoTime(leasedUntil) : null,
    changes: erasedAt === null || (hasConsent && consentUntil === null),
  };
}

/** Each destination is told at the address that had news of the lead last, if it still has this address. */
export async function receiversOf(
  {store, config}: Admin,
  lead: ErasableLead,
): Promise<Pick<PlannedLead, 'told' | 'former' | 'event'>> {
  const {erasedAt} = lead;
  const had = await arrivalsOf({store}, lead.id);
  const isUpstream = ({content}: (typeof had)[number]) => content === 'lead';
  const told = lead.told.filter((name) => {
    const own = had.filter(({destination, state}) => destination === name && state !== 'unclear');
    const newest = own.find((one) => !isUpstream(one));
    return newest && isPresent(config, newest);
  });
  const untold = had.filter(
    (one) => !isPresent(config, one) || !(isUpstream(one) || told.includes(one.destination)),
  );
  const former = [...new Map(untold.map((one) => [`${one.destination} ${one.address}`, one])).values()];
  const at = erasedAt ?? Date.now();
  return {
    told: erasedAt === null ? told : [],
    former: former.map(({destination, use}) => ({
      ...{destination, place: use?.place ?? null, last_used_at: isoTime(use?.lastUsed || null)},
    })),
    event: former.length > 0 ? toErasedEvent({at}, {...lead, erasedAt: at}) : null,
  };
}

/** @returns 0 if there is no consent */
function endOfConsent(config: Admin['config'], {hasConsent, partner, createdAt}: ErasableLead) {
  return hasConsent ? consentEnd(config, {partner, givenAt: createdAt}) : 0;
}

export type Erasing = {erased: string} | Waiting;
export const erasureResult = z.object({leads: z.array(plannedLead), out_of_files: z.boolean()});
export type ErasureResult = z.infer<typeof erasureResult>;

/** @throws Refusal if the plan is another one than that of `confirm` */
export async function* eraseLeads(
  admin: Admin,
  {confirm, ...input}: ErasureInput & Pick<ErasurePlan, 'confirm'>,
): Job<Erasing, ErasureResult> {
  const {store, config} = admin;
  const plan = await planErasure(admin, input);
  if (plan.confirm !== confirm)
    throw new Refusal('Nothing was erased, because the leads have changed: look at the plan again');
  const toErase = plan.leads.filter(({changes}) => changes);
  if (toErase.length > 0) {
    const ids = toErase.map(({id}) => id);
    await admin.look({erasure: 'confirmed'}, ids);
    await store.useKeys();
    const at = Date.now();
    const erasures = toErase.map(({id}) => ({id, at, all: plan.all}));
    writeDown(config.erasuresFile, erasures);
    yield* eraseEach(admin, erasures);
  }
  return {leads: plan.leads, out_of_files: yield* purge(admin)};
}

export function writeDown(
  path: string | undefined,
  erasures: readonly (Erasure | Stop | Allowance)[],
  before = 'Nothing was erased, because',
) {
  if (path === undefined) return;
  try {
    appendErasures(path, erasures);
  } catch (error) {
    refuseFor(error, `${before} the file of erasures cannot be written: `);
  }
}

/** Ids of one query. */
const sliceSize = 200;

/** What the file of erasures lists and is back, as after a restore. `back` are erased no more, `toErase` are all to erase. */
export type Back = {path: string; unread: number; back: number; toErase: Erasure[]; stops: Stop[]};

export async function planAgain({store, config}: Admin): Promise<Back> {
  const {erasuresFile: path} = config;
  if (path === undefined) throw new Refusal('ERASURES_FILE names no file.');
  if (!existsSync(path)) throw new Refusal(`There is no file of erasures at ${path}.`, 'unknown');
  const {erasures, stops, unread} = readErasures(path);
  const plan: Back = {path, unread, back: 0, toErase: [], stops};
  for (let index = 0; index < erasures.length; index += sliceSize) {
    const slice = erasures.slice(index, index + sliceSize);
    const records = await store.findRecords(slice.map(({id}) => id));
    for (const erasure of slice) {
      const record = records.get(erasure.id);
      if (!record) continue;
      if (!isErased(record)) plan.back += 1;
      if (!isErased(record) || erasure.all) plan.toErase.push(erasure);
    }
  }
  return plan;
}

/** `erased`: how many leads were erased now. `stopped`: how many numbers are held again */
export const erasedAgain = z.object({erased: count, stopped: count, out_of_files: z.boolean()});

export async function* eraseAgain(
  admin: Admin,
  {toErase, stops}: Back,
): Job<Erasing, z.infer<typeof erasedAgain>> {
  await admin.look(
    {erasure: 'again'},
    toErase.map(({id}) => id),
  );
  if (toErase.length + stops.length > 0) await admin.store.useKeys();
  const erased = yield* eraseEach(admin, toErase);
  const stopped = await stopAgain(admin, stops);
  return {erased, stopped, out_of_files: yield* purge(admin)};
}

/** @returns how many were erased */
export async function* eraseEach(
  {store, config}: Omit<Admin, 'look'>,
  erasures: readonly Erasure[],
): Job<{erased: string}, number> {
  let erased = 0;
  const {keepConsent} = retentionOf(config);
  const present = presentAddresses(config);
  for (const {id, at, all} of erasures) {
    if (!(await store.erase(id, at, all ? () => false : keepConsent, present))) continue;
    erased += 1;
    yield {erased: id};
  }
  return erased;
}

/**
 * Takes consents back once more that the store does not know, as after a restore. Their leads are found by their digests.
 * @returns how many numbers they were
 */
export async function stopAgain(
  {store, config}: Omit<Admin, 'look'>,
  stops: readonly Stop[],
): Promise<number> {
  const since = new Map((await store.suppressions()).map((one) => [`${one.digest} ${one.scope}`, one.since]));
  const again = new Set<string>();
  for (let isDone = stops.length === 0; !isDone;) isDone = await store.writeDigests(0);
  for (const {of, at, scope: key, allowedAt} of stops) {
    const digests = isLeadId(of) ? await store.numberDigests((await numbersOf({store}, [of])).phones) : [of];
    const lost = digests.filter((digest) => (since.get(`${digest} ${key}`) ?? 0) < at);
    const how = {now: at, scope: breadthOf(key), present: presentAddresses(config)};
    if (isLeadId(of)) await store.revoke(of, how);
    if (lost.length > 0) await store.suppress(lost, key, at);
    for (const digest of lost) {
      again.add(`${digest} ${key}`);
      since.set(`${digest} ${key}`, at);
      const filter = {digest, partner: key === everybody ? undefined : partnerOf(key), until: at + 1};
      for await (const id of idsOf(store, filter)) await store.revoke(id, how);
      if (allowedAt !== undefined) await store.allow(digest, 'as before the restore', allowedAt);
    }
  }
  return again.size;
}

async function* idsOf(store: Admin['store'], filter: LeadFilter): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const page = await store.listLeads(filter, {limit: sliceSize, after});
    for (const {id} of page) yield id;
    after = page.at(-1)?.id;
    if (page.length < sliceSize) return;
  }
}

/** What is shown of an erased lead: when it was erased, and the consent that is kept, so that an operator can prove it. */
export const shownErased = z.object({
  id: z.string(),
  reference: z.string(),
  created_at: time.nullable(),
  partner: z.string().nullable(),
  erased_at: time.nullable(),
  consent_kept_until: time.nullable(),
  kept: z
    .union([
      z.object({unreadable: z.string()}),
      z.object({
        ...{first_name: z.string(), last_name: z.string(), phone: z.string(), phone_e164: z.string()},
        consent: leadEventSchema.shape.data.shape.consent.unwrap(),
      }),
    ])
    .nullable(),
});
export type ShownErased = z.infer<typeof shownErased>;

export async function showErased(
  {store, config}: Admin,
  {id, createdAt, partner, erasedAt}: Tombstone,
): Promise<ShownErased> {
  const [erasable] = (await store.erasable([id])).filter((lead) => lead.id === id);
  const end = erasable ? endOfConsent(config, erasable) : 0;
  return {
    id,
    reference: referenceOf(id),
    created_at: isoTime(createdAt),
    partner,
    erased_at: isoTime(erasedAt),
    consent_kept_until: end > 0 ? isoTime(end) : null,
    kept: await keptOf(store, id),
  };
}

async function keptOf(store: Admin['store'], id: string): Promise<ShownErased['kept']> {
  const kept = (await store.keptConsents([id])).get(id);
  if (!kept) return null;
  if (kept instanceof Error) return {unreadable: whyUnreadable(kept)};
  const {first_name, last_name, phone, consent} = kept;
  return {first_name, last_name, phone: phone.typed, phone_e164: phone.e164, consent: consentOf(consent)};
}

/** Somebody who asked to be erased by the link of a lead. */
export const erasureRequest = z.object({
  id: z.string(),
  reference: z.string(),
  partner: z.string().nullable(),
  requested_at: time.nullable(),
  days: count,
});
export type ErasureRequest = z.infer<typeof erasureRequest>;

const day = 24 * 3_600_000;

/** The oldest first. `leads erase` ends them, too. */
export async function listErasureRequests({store}: Pick<Admin, 'store'>): Promise<ErasureRequest[]> {
  const requests = await store.erasureRequests();
  const records = await store.findRecords(requests.map(({lead}) => lead));
  return requests.map(({lead: id, requestedAt}) => ({
    ...{id, reference: referenceOf(id), partner: records.get(id)?.partner ?? null},
    ...{requested_at: isoTime(requestedAt), days: Math.floor((Date.now() - requestedAt) / day)},
  }));
}

/** Ends a request that is not followed. @throws Refusal if there is none */
export async function endErasureRequest(
  admin: Admin,
  {lead: named, reason}: {lead: string; reason: string},
): Promise<void> {
  const lead = await leadOf(admin, named);
  await admin.look({lead, reason});
  if (!(await admin.store.endErasureRequest(lead)))
    throw new Refusal(`Nobody asked to erase ${named}, or the request has ended.`, 'unknown');
}
