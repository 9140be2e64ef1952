/** Takes consents back, and decides what becomes of later leads with the same number. */
import {setTimeout as sleep} from 'node:timers/promises';
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {breadthOf, everybody, scopeOf, type LinkDesk} from '../leads/revocation.ts';
import type {LeadFilter, ListedLead} from '../leads/lead-filter.ts';
import {leadIdForm} from '../leads/lead-ids.ts';
import type {LeadIdentity} from '../leads/stored-lead.ts';
import type {Person} from '../leads/persons.ts';
import {isErased} from '../store/rows.ts';
import {count, finish, isoTime, Refusal, time, type Admin, type Job} from './admin.ts';
import {noting} from './audit.ts';
import {presentAddresses} from './destinations.ts';
import {plannedLead, receiversOf, writeDown} from './erasing.ts';
import {leadOf} from './lead-names.ts';
import {leadsOfPerson, numbersOf} from './persons.ts';
import {isFor} from './stops.ts';

/** Whose consent is meant: that of a person, or of whoever sent a lead, which is named by its id or reference. */
export type Who = string | Person;

/** For whom it is taken back: for a partner, for the callers of `/json/leads` (null), or for all (undefined). */
export type RevocationInput = {who: Who; partner?: string | null | undefined};

/** A lead whose consent is taken back. `changes`: false if it was taken back before, for as many. */
export const revokedLead = plannedLead
  .pick({id: true, reference: true, partner: true, told: true, former: true, remote_ids: true})
  .extend({changes: z.boolean()});

/**
 * - `scope`: the key of a partner, `-` for the callers, `*` for all
 * - `numbers`: how many telephone numbers are suppressed from now on
 * - `unread`: ids of leads that cannot be read. Those that were named are among `leads`, and their numbers are not known
 */
export const revocation = z.object({
  scope: z.string(),
  numbers: count,
  leads: z.array(revokedLead),
  unread: z.array(z.string()),
});
export type Revoked = z.infer<typeof revocation>;

/**
 * - `concerns`: references of the leads, before anything is changed. Whoever stops reading then has changed nothing
 * - `underWayUntil`: a process may be sending one of the leads until then, in milliseconds since 1970
 */
export type Revoking =
  {concerns: readonly string[]; numbers: number} | {revoked: string} | {underWayUntil: number};

/** Milliseconds. A delivery that is under way mostly ends sooner. */
const lookEvery = 50;
/** Milliseconds by which the clocks of machines may differ. Only the lease of a server that was killed is waited for so long. */
const clockDifference = 2_000;

/**
 * Takes a consent back: all leads with the number go nowhere any more, and later ones are held. When it returns, no process
 * begins anything of them. After an interruption, it may be run again.
 * @throws Refusal if there is no such lead, person or partner
 */
export async function* revokeConsent(admin: Admin, {who, partner}: RevocationInput): Job<Revoking, Revoked> {
  const {store, config, look} = admin;
  const filter = partner === undefined ? {} : {partner};
  await refuseUnknown(admin, partner);
  const meant = await meantBy(admin, filter, who);
  const [now, scope] = [Date.now(), partner === undefined ? everybody : scopeOf(partner)];
  await addLeads(admin, filter, meant);
  await look({scope, ...(typeof who === 'object' && who)}, [...meant.leads]);
  yield {concerns: [...meant.leads].map(referenceOf), numbers: meant.phones.size};
  await store.useKeys();
  const digests = await store.numberDigests([...meant.phones]);
  writeDown(
    config.erasuresFile,
    [...digests, ...meant.leads].map((of) => ({of, at: now, scope})),
    'Nothing was changed, because',
  );
  await store.suppress(digests, scope, now);
  // Leads that came meanwhile are held, or are found now.
  await addLeads(admin, filter, meant);
  const leads: Revoked['leads'] = [];
  const how = {now, scope: breadthOf(scope), present: presentAddresses(config)};
  // The lead that was named comes last: that it is revoked says that all of them are.
  const [named] = meant.leads;
  const erasable = (await store.erasable([...meant.leads])).toSorted(
    (one, other) => Number(one.id === named) - Number(other.id === named),
  );
  for (const lead of erasable) {
    // A duplicate of another partner is of another consent.
    if (partner !== undefined && lead.partner !== partner) continue;
    await look({}, [lead.id]);
    const changes = await store.revoke(lead.id, how);
    const {told, former} = await receiversOf(admin, {...lead, erasedAt: null});
    leads.push({
      ...{id: lead.id, reference: referenceOf(lead.id), partner: lead.partner, told, former, changes},
      remote_ids: lead.remoteIds.map(({destination, remoteId}) => ({destination, remote_id: remoteId})),
    });
    yield {revoked: lead.id};
  }
  const ids = leads.map(({id}) => id);
  for (;;) {
    const underWayUntil = await store.underWayUntil(ids);
    if (underWayUntil === 0 || underWayUntil + clockDifference <= Date.now()) break;
    yield {underWayUntil};
    await sleep(lookEvery);
  }
  return {scope, numbers: meant.phones.size, leads, unread: [...meant.unread]};
}

async function refuseUnknown({store, config}: Admin, partner: string | null | undefined) {
  if (partner === undefined || partner === null || config.partners.some(({key}) => key === partner)) return;
  if ((await store.countLeads({partner})) === 0)
    throw new Refusal(`There is no partner ${partner}, and no lead of one.`, 'unknown');
}

/** The numbers in E.164 whose later leads are to be held, and the ids of their leads, that which was named first. */
type Meant = {phones: Set<string>; leads: Set<string>; unread: Set<string>};

async function meantBy(admin: Admin, filter: LeadFilter, who: Who): Promise<Meant> {
  const meant: Meant = {phones: new Set(), leads: new Set(), unread: new Set()};
  if (typeof who === 'string') {
    const id = await leadOf(admin, who);
    const lead = (await admin.store.findRecords([id])).get(id);
    if (!lead || (filter.partner !== undefined && lead.partner !== filter.partner))
      throw new Refusal(
        `The lead ${who} is of ${lead?.partner ?? 'a caller'}, and not of ${filter.partner ?? 'one'}.`,
      );
    meant.leads.add(id);
    await addNumbers(admin, [id], meant);
  } else if (who.phone === undefined) {
    const {found, kept, unreadable} = await finish(leadsOfPerson(admin, filter, who), () => undefined);
    for (const {id} of [...found, ...kept]) meant.leads.add(id);
    for (const id of unreadable) meant.unread.add(id);
    if (meant.leads.size === 0) throw new Refusal('There is no lead with this e-mail address.', 'unknown');
    await addNumbers(admin, [...meant.leads], meant);
  } else meant.phones.add(who.phone);
  return meant;
}

async function addLeads(admin: Admin, filter: LeadFilter, {phones, leads, unread}: Meant) {
  for (const phone of phones) {
    const {found, kept, unreadable} = await finish(leadsOfPerson(admin, filter, {phone}), () => undefined);
    for (const {id} of [...found, ...kept]) leads.add(id);
    for (const id of unreadable) unread.add(id);
  }
}

async function addNumbers(admin: Pick<Admin, 'store'>, ids: readonly string[], meant: Meant) {
  const {phones, unread} = await numbersOf(admin, ids);
  for (const phone of phones) meant.phones.add(phone);
  for (const id of unread) meant.unread.add(id);
}

const linkEnd = new RegExp(String.raw`^(${leadIdForm})\.([\w-]+)$`);

export function createLinkDesk({store, config}: Omit<Admin, 'look'>): LinkDesk {
  const lookFor = (what: string) => noting(store, {actor: 'visitor', action: `link: ${what}`});
  const stoppedAt = async (id: string, {partner, revoked}: LeadIdentity) => {
    const digests = await store.numberDigests((await numbersOf({store}, [id])).phones);
    const held = await store.suppressions(digests);
    const isHeld = held.some((one) => one.decidedAt === null && isFor(partner, one));
    const isNumberKnown = digests.length > 0;
    return {isNumberKnown, revokedAt: isHeld || !isNumberKnown ? revoked?.at : undefined};
  };
  return {
    async find(link) {
      const [, id, token = ''] = linkEnd.exec(link) ?? [];
      if (id === undefined || !(await store.isRevokeToken(id, token))) return undefined;
      const lead = (await store.findRecords([id])).get(id);
      if (!lead) return undefined;
      const [request] = await store.erasureRequests(id);
      return {
        ...{id, createdAt: lead.createdAt, partner: lead.partner, requestedAt: request?.requestedAt},
        ...(await stoppedAt(id, lead)),
        erasedAt: isErased(lead) ? lead.erasedAt : undefined,
      };
    },
    async stop({id, partner}) {
      // Nobody waits here for what a process has begun.
      const job = revokeConsent({store, config, look: lookFor('stop')}, {who: id, partner});
      for await (const so of job) if ('underWayUntil' in so) return;
    },
    async requestErasure({id}) {
      await lookFor('erase')({lead: id});
      await store.requestErasure(id, Date.now());
    },
  };
}

/** `released`: references of the leads that are sent now. */
export const allowance = z.object({released: z.array(z.string())});

/**
 * Lets a lead go that is held because of its number, as if it had come now; or the number of a person, with all leads that
 * are held because of it.
 * @throws Refusal if nothing is held, or the number is not suppressed
 */
export async function allowConsent(
  admin: Admin,
  {who, reason}: {who: Who; reason: string},
): Promise<z.infer<typeof allowance>> {
  const {store, config, look} = admin;
  const now = Date.now();
  const released: string[] = [];
  const release = async (id: string) => {
    await look({reason}, [id]);
    if (await store.release(id, now)) released.push(referenceOf(id));
  };
  if (typeof who === 'string') {
    await release(await leadOf(admin, who));
    if (released.length === 0) throw new Refusal(`${who} is not held because of its number.`);
  } else {
    const {phone} = who;
    if (phone === undefined) throw new Refusal('Name a lead, or a telephone number.');
    await look({phone, reason});
    const [digest = ''] = await store.numberDigests([phone]);
    const isAllowed = await store.allow(digest, reason, now);
    if (isAllowed) writeDown(config.erasuresFile, [{of: digest, at: now}], 'The number is allowed, but');
    const held = new Set(await store.heldLeads());
    const {found} = await finish(leadsOfPerson(admin, {}, {phone}), () => undefined);
    for (const {id} of found) if (held.has(id)) await release(id);
    if (!isAllowed && released.length === 0)
      throw new Refusal('Nobody with this number took a consent back, or it was allowed before.', 'unknown');
  }
  return {released};
}

/**
 * A number that was suppressed, with its newest leads: nothing else says whose it is.
 * - `decided_at`, `reason`: when an operator let later leads go again, and why
 * - `consented_at`: when the consent of this lead was given, which may be after the other one was taken back
 */
export const suppressionRow = z.object({
  scope: z.string(),
  since: time.nullable(),
  decided_at: time.nullable(),
  reason: z.string().nullable(),
  leads: z.array(
    z.object({
      ...{id: z.string(), reference: z.string(), partner: z.string().nullable(), held: z.boolean()},
      ...{received_at: time.nullable(), revoked_at: time.nullable(), consented_at: time.nullable()},
    }),
  ),
});
export type SuppressionRow = z.infer<typeof suppressionRow>;

/** Leads of a number that are shown. */
const maxLeads = 20;

/** The newest first. */
export async function listSuppressions({store, look}: Admin, limit: number): Promise<SuppressionRow[]> {
  const held = new Set(await store.heldLeads());
  /** Those of the last minute have no digests yet. */
  const heldBy = new Map<string, ListedLead[]>();
  for (const lead of (await store.findRecords([...held])).values()) {
    if (!('lead' in lead)) continue;
    const {phone: digest = ''} = (await store.personDigests({phone: lead.lead.phone.e164})).digests;
    heldBy.set(digest, [...(heldBy.get(digest) ?? []), lead]);
  }
  const rows: SuppressionRow[] = [];
  for (const {digest, scope, since, decidedAt, reason} of (await store.suppressions()).slice(0, limit)) {
    const found = [...(heldBy.get(digest) ?? []), ...(await store.listLeads({digest}, {limit: maxLeads}))];
    const leads = [...new Map(found.map((lead) => [lead.id, lead])).values()];
    rows.push({
      ...{scope, since: isoTime(since), decided_at: isoTime(decidedAt), reason},
      leads: leads.flatMap((lead) =>
        'unreadable' in lead
          ? []
          : {
              ...{
                id: lead.id,
                reference: referenceOf(lead.id),
                partner: lead.partner,
                held: held.has(lead.id),
              },
              received_at: isoTime(lead.createdAt),
              revoked_at: isoTime(lead.revoked?.at ?? null),
              consented_at: isoTime('consent' in lead ? (lead.consent?.givenAt ?? null) : null),
            },
      ),
    });
  }
  await look(
    {revoked: true},
    rows.flatMap(({leads}) => leads.map(({id}) => id)),
  );
  return rows;
}
