/** Erases the personal data of leads in two steps: a plan, which is shown, and the erasure of exactly the leads in the plan. */
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
import {personRow, toPersonRow} from './persons.ts';
import {purge, type Waiting} from './purging.ts';
import {afterwards, afterwardsOfOne} from './stops.ts';

/**
 * `leads`: ids or references. `all`: also erase the consents that would be kept. `shown`: the maximum number of duplicates and
 * corrections in the plan, the newest first; without it, all of them
 */
type ErasureInput = {leads: readonly string[]; all: boolean; shown?: number | undefined};

/**
 * A lead that would be erased.
 * - `consent_kept_until`: null if no consent is kept
 * - `former`: addresses that may have the lead and cannot be told, because their destination has another address now, or is gone
 * - `event`: the body of `lead.erased`, to send to `former` by hand; null if there is none
 * - `kept_until`, `kept_for`: the lawsuit for which the lead must be kept (`leads keep`). Null otherwise
 * - `changes`: whether the erasure changes this lead at all
 * - `under_way_until`: until then, a process may be sending the lead
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

/** What the plan said of a lead that was then erased. */
export const erasedLead = plannedLead
  .omit({partner: true, name: true, created_at: true, unreadable: true, has_consent: true})
  .omit({under_way_until: true, kept_until: true, kept_for: true, changes: true})
  .extend({out_of_files: z.boolean()});

/** `ids`: all leads that would change, including those that are not shown. `facts`: what the plan depends on, for its digest */
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

/** Until when the consent is kept, and whether the erasure changes anything. */
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

/** Which destinations are told of the erasure, and which addresses cannot be told. */
type Receivers = Pick<PlannedLead, 'told' | 'former' | 'event' | 'remote_ids'>;

/** A destination is told at the address that last got an event of the lead, if the configuration still has this address. */
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
/** @returns whether the erased data is also gone from the database files */
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

/** How long to wait for another process that has locked the file of erasures, and the pause between two attempts, in milliseconds. */
const [longestWait, lockPause] = [10_000, 20];

/** Writes erasures and stops to the file of erasures before they are done. @param before how the message begins if that fails */
export async function writeDown(
  {store, config}: With<PersonReader & RevocationStore, 'config'>,
  lines: readonly Deed[],
  before = 'Nothing was erased, because',
): Promise<void> {
  const {erasuresFile: path} = config;
  if (path === undefined || lines.length === 0) return;
  const key = existsSync(path) ? undefined : await keyOfDigests({store});
  const all = [...(key ? [key] : []), ...lines];
  // Stores the time before the line is written: a store that does not know the time of the newest line has been restored.
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

/** The key of the digests, for the file of erasures. Without a data key, the file gets only its check value, and not the key. */
export async function keyOfDigests({store}: With<StopReader & PersonReader>): Promise<KeyLine | undefined> {
  // Makes a missing key, because later lines need digests. If the key cannot be decrypted, the erasure goes on without it.
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

/** An erased lead as it is shown: when it was erased, that nobody may call, and the kept consent, so that an operator can prove it. */
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
    ...(await afterwardsOfOne({store}, lead)),
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
