/** Erases what is personal of leads, in two steps: a plan, which is shown, and the erasure of what it names. */
import {existsSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import {consentOf, toErasedEvent} from '../destinations/webhook/event.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import type {ErasableLead, ErasureReader, ErasureStore} from '../leads/erasure.ts';
import {erasedEventSchema, leadEventSchema} from '../leads/lead-event.ts';
import type {ListedLead} from '../leads/lead-filter.ts';
import type {LegalHold} from '../leads/privacy-requests.ts';
import {mayCall} from '../leads/may-call.ts';
import type {PersonReader} from '../leads/persons.ts';
import type {ReadStore, Maintenance, DeliveryReader} from '../leads/ports.ts';
import {consentEnd, retentionOf} from '../leads/retention.ts';
import type {RevocationStore, StopReader} from '../leads/revocation.ts';
import type {Tombstone} from '../leads/stored-lead.ts';
import {appendErasures, type Deed, type Erasure, type KeyLine} from '../store/erasures-file.ts';
import {whyUnreadable} from '../store/rows.ts';
import {isLocked} from '../store/sqlite/server-lock.ts';
import {idsOf, isoTime, Refusal, refuseFor, time, type Job, type With, type Reading} from './admin.ts';
import {arrivalsOf} from './deliveries.ts';
import {isPresent, presentAddresses} from './destinations.ts';
import {leadOf} from './lead-names.ts';
import {callRow, toCallRow} from './lead-view.ts';
import {peopleOf, personRow, toPersonRow} from './persons.ts';
import {purge, type Waiting} from './purging.ts';
import {afterwards, afterwardsOf, noneAfterwards} from './stops.ts';

/**
 * `leads` are ids or references; `all`: the consents that are kept, too; `shown`: how many of the others that go with these
 * stand in the plan, the newest ones. Without it, all of them
 */
type ErasureInput = {leads: readonly string[]; all: boolean; shown?: number | undefined};

/**
 * A lead that would be erased, and what is known of it.
 * - `consent_kept_until`: null if no consent stays
 * - `former`: addresses that may have the lead and cannot be told, because their destinations have others now, or are gone
 * - `event`: what to send these by hand, the body of `lead.erased`; null if there is none
 * - `kept_until`, `kept_for`: it is kept for this lawsuit (`leads keep`). Null otherwise
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
  kept_until: time.nullable(),
  kept_for: z.string().nullable(),
  changes: z.boolean(),
});
export type PlannedLead = z.infer<typeof plannedLead>;

/** A lead that was erased, as it was planned. */
export const erasedLead = plannedLead
  .omit({partner: true, name: true, created_at: true, unreadable: true, has_consent: true})
  .omit({under_way_until: true, kept_until: true, kept_for: true, changes: true})
  .extend({out_of_files: z.boolean()});

/** `ids`: those of all leads that would change, also of those that are not shown. `facts`: of what the plan depends */
export type ErasurePlan = {leads: PlannedLead[]; ids: string[]; all: boolean; facts: string[]};

export async function planErasure(admin: Reading, input: ErasureInput): Promise<ErasurePlan> {
  const {leads: named, all, shown = Infinity} = input;
  const {store, config} = admin;
  const ids: string[] = [];
  for (const name of named) {
    const id = await leadOf(admin, name);
    if (!(await store.readLead(id))) throw new Refusal(`There is no lead ${name}.`, 'unknown');
    ids.push(id);
  }
  const erasable = await store.erasable(ids);
  const holds = await store.keptLeads(Date.now());
  const found = erasable.map((one) => {
    const keptUntil = endOfConsent(config, one);
    const consentUntil = all || keptUntil <= Date.now() ? null : keptUntil;
    return {
      ...one,
      consentUntil,
      changes: one.erasedAt === null || (one.hasConsent && consentUntil === null),
    };
  });
  await admin.noteAccess({all}, idsOf(found));
  const others = found.filter(({because}) => because !== 'named');
  const hidden = new Set(others.slice(0, Math.max(0, others.length - shown)));
  const leads: PlannedLead[] = [];
  for (const one of found.filter((each) => !hidden.has(each))) {
    const lead = (await store.readLead(one.id))?.lead;
    leads.push({...toPlanned(one, lead, holds.get(one.id)), ...(await receiversOf(admin, one))});
  }
  const facts = found.map(({id, erasedAt, changes, consentUntil}) =>
    [id, erasedAt, changes, consentUntil, holds.get(id)?.until].join(' '),
  );
  return {leads, ids: idsOf(found.filter(({changes}) => changes)), all, facts};
}

/** Until when its consent stays, and whether erasing changes anything. */
type Fate = {consentUntil: number | null; changes: boolean};

function toPlanned(
  {id, because, partner, changes, ...one}: ErasableLead & Fate,
  lead: ListedLead | undefined,
  hold: LegalHold | undefined,
): Omit<PlannedLead, keyof Receivers> {
  return {
    id,
    reference: referenceOf(id),
    because,
    partner,
    name: lead && 'lead' in lead ? `${lead.lead.first_name} ${lead.lead.last_name}` : null,
    created_at: isoTime(one.createdAt),
    was_erased_at: isoTime(one.erasedAt),
    unreadable: lead && 'unreadable' in lead ? lead.unreadable : null,
    has_consent: one.hasConsent,
    consent_kept_until: isoTime(one.consentUntil),
    under_way_until: one.leasedUntil > Date.now() ? isoTime(one.leasedUntil) : null,
    kept_until: isoTime(hold?.until ?? null),
    kept_for: hold?.reason ?? null,
    changes,
  };
}

/** Who is told of a lead, and who cannot be. */
type Receivers = Pick<PlannedLead, 'told' | 'former' | 'event' | 'remote_ids'>;

/** Each destination is told at the address that had an event of the lead last, if it still has this address. */
export async function receiversOf(
  {store, config}: With<DeliveryReader, 'config'>,
  lead: ErasableLead,
): Promise<Receivers> {
  const {erasedAt} = lead;
  const had = await arrivalsOf({store}, lead.id);
  const isUpstream = ({content}: (typeof had)[number]) => content === 'lead';
  const reached = lead.told.filter((name) => {
    const own = had.filter(({destination, state}) => destination === name && state !== 'unclear');
    const newest = own.find((one) => !isUpstream(one));
    return newest && isPresent(config, newest);
  });
  const untold = had.filter(
    (one) => !isPresent(config, one) || !(isUpstream(one) || reached.includes(one.destination)),
  );
  const former = [...new Map(untold.map((one) => [`${one.destination} ${one.address}`, one])).values()];
  const at = erasedAt ?? Date.now();
  return {
    told: erasedAt === null ? reached : [],
    former: former.map(({destination, use}) => ({
      destination,
      place: use?.place ?? null,
      last_used_at: isoTime(use?.lastUsed || null),
    })),
    remote_ids: lead.remoteIds.map(({destination, remoteId}) => ({destination, remote_id: remoteId})),
    event: former.length > 0 ? toErasedEvent({at}, {...lead, erasedAt: at}) : null,
  };
}

/** @returns 0 if there is no consent */
function endOfConsent(config: Config, {hasConsent, partner, createdAt}: ErasableLead) {
  return hasConsent ? consentEnd(config, {partner, givenAt: createdAt}) : 0;
}

export type Eraser = With<
  PersonReader & KeyStore & RevocationStore & ErasureStore & Maintenance,
  'config' | 'noteAccess'
>;
export type Erasing = {erased: string} | Waiting;
/** @returns whether nothing of it is in the files any more */
export async function* eraseLeads(
  admin: Eraser,
  {ids, all}: Pick<ErasurePlan, 'ids' | 'all'>,
): Job<Erasing, {out_of_files: boolean}> {
  const {store} = admin;
  if (ids.length > 0) {
    await admin.noteAccess({all}, ids);
    await store.useKeys();
    const at = Date.now();
    const erasures = ids.map((id) => ({id, at, all}));
    await writeDown(admin, erasures);
    yield* eraseEach(admin, erasures);
  }
  return {out_of_files: yield* purge(admin)};
}

/** Milliseconds for which another process may have the lock of the file, and between two attempts. */
const [longestWait, lockPause] = [10_000, 20];

/** Writes the lines before anything is done. @param before what did not happen if that fails */
export async function writeDown(
  {store, config}: With<PersonReader & RevocationStore, 'config'>,
  lines: readonly Deed[],
  before = 'Nothing was erased, because',
): Promise<void> {
  const {erasuresFile: path} = config;
  if (path === undefined || lines.length === 0) return;
  const key = existsSync(path) ? undefined : await keyOfDigests({store});
  const all = [...(key ? [key] : []), ...lines];
  // The store knows first: a store that does not know the newest line was restored.
  await store.noteErasuresUntil(Math.max(...all.map(({at}) => at)));
  const deadline = performance.now() + longestWait;
  for (let isWritten = false; !isWritten;) {
    try {
      appendErasures(path, all, 0);
      isWritten = true;
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline)
        refuseFor(error, `${before} the file of erasures cannot be written: `);
      await sleep(lockPause);
    }
  }
}

/** The key of the digests for the file, if there is one. Without a data key, only its check value leaves the database. */
export async function keyOfDigests({store}: With<StopReader & PersonReader>): Promise<KeyLine | undefined> {
  // It is made if there is none yet: digests in later lines need it. An erasure must not fail for one that cannot be opened.
  const key = await store
    .digestsOfPeople([])
    .then(() => store.personKey())
    .catch(() => undefined);
  const encrypted = key && key.dataKey !== 0 ? {dataKey: key.dataKey, blob: key.blob} : undefined;
  return key && {check: key.check, at: Date.now(), encrypted};
}

/** @returns how many were erased */
export async function* eraseEach(
  {store, config}: With<ErasureStore, 'config'>,
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

/** What is shown of an erased lead: when it was erased, that nobody may call, and the consent that is kept, so that an operator can prove it. */
export const shownErased = z.object({
  id: z.string(),
  reference: z.string(),
  created_at: time.nullable(),
  partner: z.string().nullable(),
  erased_at: time.nullable(),
  consent_kept_until: time.nullable(),
  ...afterwards.shape,
  may_call: callRow,
  kept: z
    .union([
      z.object({unreadable: z.string()}),
      personRow.extend({consent: leadEventSchema.shape.data.shape.consent.unwrap()}),
    ])
    .nullable(),
});
export type ShownErased = z.infer<typeof shownErased>;

export async function showErased(admin: With<ReadStore, 'config'>, lead: Tombstone): Promise<ShownErased> {
  const {store, config} = admin;
  const {id, createdAt, partner, erasedAt} = lead;
  const [erasable] = (await store.erasable([id])).filter((lead) => lead.id === id);
  const keptUntil = erasable ? endOfConsent(config, erasable) : 0;
  return {
    id,
    reference: referenceOf(id),
    created_at: isoTime(createdAt),
    partner,
    erased_at: isoTime(erasedAt),
    consent_kept_until: keptUntil > 0 ? isoTime(keptUntil) : null,
    ...((await afterwardsOf({store}, [lead], (await peopleOf({store}, [id])).people)).get(id) ??
      noneAfterwards),
    may_call: toCallRow(mayCall({isErased: true}, Date.now())),
    kept: await keptOf(store, id),
  };
}

async function keptOf(store: ErasureReader, id: string): Promise<ShownErased['kept']> {
  const kept = (await store.keptConsents([id])).get(id);
  if (!kept) return null;
  if (kept instanceof Error) return {unreadable: whyUnreadable(kept)};
  return {...toPersonRow(kept), consent: consentOf(kept.consent)};
}
