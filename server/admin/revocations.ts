/** Revokes consents, and allows leads or numbers that are held because of that. */
import {randomUUIDv7} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {digestOfBoth, type Person} from '../leads/persons.ts';
import type {ReadStore} from '../leads/ports.ts';
import {comparableEmail} from '../leads/read-contact.ts';
import {
  allCallers,
  breadthOf,
  everybody,
  holds,
  isInScopes,
  scopesOf,
  suppressionKinds,
  type StopEvent,
  type Suppressing,
  type Suppression,
  type RevocationStore,
} from '../leads/revocation.ts';
import type {LeadIdentity, Tombstone} from '../leads/stored-lead.ts';
import type {StopLine} from '../store/erasures-file.ts';
import {count, idsOf, Refusal, type Job, type With, type Reading} from './admin.ts';
import {presentAddresses} from './destinations.ts';
import {plannedLead, receiversOf, writeDown} from './erasing.ts';
import {leadOf} from './lead-names.ts';
import {peopleOf, readPerson, senderOf} from './persons.ts';

/** Whose consent is meant: a person's, or that of the sender of a lead, given by its id or reference. */
export type Who = string | Person;

/**
 * - `partner`: for whose calls it is revoked: a partner's, those of the callers of `/json/leads` (null), or everybody's (undefined)
 * - `asked`: when the person asked, in milliseconds since 1970, if that was earlier. `way`: how, such as `phone`
 */
export type RevocationInput = {
  who: Who;
  partner?: string | null | undefined;
  asked?: number | undefined;
  way?: string | undefined;
};

/** A lead whose consent is revoked. `changes`: false if it was already revoked for the same scope or a wider one. */
const revokedLead = plannedLead
  .pick({id: true, reference: true, partner: true, told: true, former: true, remote_ids: true})
  .extend({changes: z.boolean()});

/**
 * - `scope`: the key of a partner, `-` for the callers, `*` for everybody
 * - `numbers`: how many telephone numbers are suppressed from now on
 * - `unread`: ids of leads that cannot be read, so that their numbers are not known. Those that the operator named are also in `leads`
 */
export const revocation = z.object({
  scope: z.string(),
  numbers: count,
  leads: z.array(revokedLead),
  unread: z.array(z.string()),
});
export type Revoked = z.infer<typeof revocation>;

/** `underWayUntil`: a process may be sending one of the leads until then, in milliseconds since 1970 */
export type Revoking = {revoked: string} | {underWayUntil: number};

/** The pause between two checks for deliveries under way, in milliseconds. Most of them end sooner. */
const lookEvery = 50;
/** How much the clocks of two machines may differ, in milliseconds. Delays a command only if a server was killed while sending. */
const clockDifference = 2_000;

/** What will be revoked. Leads that arrive before it is carried out are included then. */
type PlannedRevocation = Pick<RevocationInput, 'who' | 'asked' | 'way'> & {
  scopes: string[];
  meant: Meant;
  /** References of the leads. `others`: those whose e-mail address is not the named one. */
  concerns: string[];
  others: string[];
};

type Changing = With<ReadStore & RevocationStore, 'config' | 'noteAccess'>;

/** @throws Refusal if there is no such lead, person or partner */
export async function planRevocation(admin: Reading, input: RevocationInput): Promise<PlannedRevocation> {
  const {who, partner, asked, way} = input;
  const scopes = await scopesFor(admin, partner);
  const meant = await meantBy(admin, scopes, who);
  if (asked !== undefined && asked > Date.now()) throw new Refusal('Nobody can have asked in the future.');
  await addLeads(admin, scopes, meant);
  const ids = [...meant.leads.keys()];
  await admin.noteAccess({scope: scopes[0] ?? everybody, ...(typeof who === 'object' && who)}, ids);
  const others = [...meant.leads].flatMap(([id, lead]) => (isOther(who, lead) ? [referenceOf(id)] : []));
  return {who, asked, way, scopes, meant, concerns: ids.map(referenceOf), others};
}

/**
 * Revokes a consent: no lead with the number is sent any more, and later ones are held. When the job ends, no process can still
 * be sending one of them. It can be interrupted and run again.
 */
export async function* revokeConsent(
  admin: With<ReadStore & KeyStore & RevocationStore, 'config' | 'noteAccess'>,
  {who, asked, way, scopes, meant}: PlannedRevocation,
): Job<Revoking, Revoked> {
  const {store, noteAccess} = admin;
  const now = Date.now();
  const scope = scopes[0] ?? everybody;
  const ids = [...meant.leads.keys()];
  await noteAccess({scope, ...(typeof who === 'object' && who)}, ids);
  await store.useKeys();
  const stop = {
    scopes,
    now,
    askedAt: asked ?? now,
    way: way ?? null,
    lead: typeof who === 'string' ? (ids[0] ?? null) : null,
  };
  const byMailbox = typeof who === 'object' && who.email !== undefined;
  await beginStop(admin, {...stop, byMailbox, numbers: [...meant.phones], leads: [...meant.leads.values()]});
  // Leads that arrived since the plan are either held already, or found by this second search.
  await addLeads(admin, scopes, meant);
  const leads = yield* revokeEach(admin, [...meant.leads.values()], {scopes, askedAt: stop.askedAt});
  yield* untilSent(admin, leads);
  return {scope, numbers: meant.phones.size, leads, unread: [...meant.unread]};
}

/** The scopes of a stop by an operator. A stop for a partner also covers callers who send for the partner's client. */
async function scopesFor({store, config}: Reading, partner: string | null | undefined): Promise<string[]> {
  if (partner === undefined) return [everybody];
  if (partner === null) return [allCallers];
  const configured = config.partners.find(({key}) => key === partner);
  if (configured) return scopesOf({partner, cid: configured.cid});
  const [lead] = await store.listLeads({partner}, {limit: 1});
  if (!lead) throw new Refusal(`There is no partner ${partner}, and no lead of one.`, 'unknown');
  return 'unreadable' in lead ? [partner] : scopesOf(senderOf(lead));
}

/** What is known of a lead. Who sent it is missing if the lead is erased or cannot be read. */
export type Meaning = Pick<LeadIdentity, 'id' | 'partner' | 'revoked'> & {
  lead?: FullLead['lead'];
  cid?: string;
};

/**
 * - `phones`: numbers in E.164 whose later leads are to be held
 * - `leads`: their leads by id, the named one first
 * - `sameMailbox`: ids of leads that probably have the named address in another spelling
 */
type Meant = {
  phones: Set<string>;
  leads: Map<string, Meaning>;
  unread: Set<string>;
  sameMailbox: Set<string>;
};

async function meantBy(admin: Reading, scopes: readonly string[], who: Who): Promise<Meant> {
  const meant: Meant = {phones: new Set(), leads: new Map(), unread: new Set(), sameMailbox: new Set()};
  if (typeof who === 'string') {
    const id = await leadOf(admin, who);
    const lead = (await admin.store.findRecords([id])).get(id);
    const [scope] = scopes;
    if (!lead || !isInScopes(senderOf(lead), scopes))
      throw new Refusal(
        `The lead ${who} is of ${lead?.partner ?? 'a caller'}, and not of ${scope ?? 'one'}.`,
      );
    meant.leads.set(id, lead);
  } else if (who.phone === undefined) {
    await addOf(admin, scopes, who, meant);
    if (meant.leads.size === 0) {
      const others = [...meant.sameMailbox].map(referenceOf);
      const more = others.length > 0 ? ' Probably of the same mailbox, with another spelling of it:' : '';
      throw new Refusal(`There is no lead with this e-mail address.${more}`, 'unknown', others);
    }
  } else meant.phones.add(who.phone);
  const {people, unread} = await peopleOf(admin, [...meant.leads.keys()]);
  for (const {phone} of people.values()) if (phone !== undefined) meant.phones.add(phone);
  for (const id of unread) meant.unread.add(id);
  return meant;
}

async function addLeads(admin: Reading, scopes: readonly string[], meant: Meant) {
  for (const phone of meant.phones) await addOf(admin, scopes, {phone}, meant);
}

async function addOf({store}: Reading, scopes: readonly string[], person: Person, meant: Meant) {
  const {leads, unread} = meant;
  const {found, kept, unreadable, sameMailbox} = await readPerson({store}, person);
  for (const id of sameMailbox) meant.sameMailbox.add(id);
  for (const lead of [...found, ...kept] as (FullLead | Tombstone)[])
    if (isInScopes(senderOf(lead), scopes) && !leads.has(lead.id)) leads.set(lead.id, lead);
  for (const id of unreadable) unread.add(id);
}

/** Whether a lead has another e-mail address than the one by which the operator named the person. */
const isOther = (who: Who, {lead}: Meaning) =>
  typeof who === 'object' &&
  who.email !== undefined &&
  lead !== undefined &&
  ![who.email, who.emailAsTyped].includes(comparableEmail(lead.email));

/**
 * - `numbers`: to be suppressed, in E.164. `leads`: to be stopped at once. `digest`: of the number, if none is to be suppressed
 * - `lead`: the lead that was named, or whose link was used
 * - `asks`: an operator must decide about the numbers. Only leads with number and mailbox of `both` are stopped
 * - `byMailbox`: the person was identified by an e-mail address, or by a link that was sent there
 */
type NewStop = {
  scopes: readonly string[];
  now: number;
  askedAt: number;
  way: string | null;
  lead: string | null;
  numbers: readonly string[];
  digest?: string | undefined;
  leads: readonly Meaning[];
  asks?: boolean;
  byMailbox?: boolean;
  both?: readonly string[];
};

/** Suppresses the numbers. Writes the lines to the file of erasures first, and then to the store. */
export async function beginStop(admin: Changing, stop: NewStop): Promise<void> {
  const {store} = admin;
  const {scopes, now, askedAt, way, lead, asks = false, byMailbox = false, both = []} = stop;
  const changing = stop.leads.filter((one) => !isRevokedFor(one, scopes));
  const {people} = await peopleOf(admin, idsOf(changing));
  const numbers = stop.numbers.map((phone) => ({phone}));
  const digests = await store.digestsOfPeople([...numbers, ...people.values()]);
  const distinct = (some: readonly (string | undefined)[]) =>
    [...new Set(some)].filter((digest) => digest !== undefined).toSorted();
  const number = distinct(digests.slice(0, stop.numbers.length).map(({phone}) => phone));
  const mailbox = distinct(digests.slice(stop.numbers.length).map(({address}) => address));
  const suppressing: Suppressing = {scopes, asks, byMailbox, since: askedAt, number, both, mailbox};
  const asked = {number: asks, both: false, mailbox: byMailbox};
  const said = {askedAt, way, lead};
  const [first = everybody] = scopes;
  const events = (number.length > 0 ? number : [stop.digest ?? '']).map((digest): StopEvent => {
    const id = randomUUIDv7();
    return {...said, id, kind: asks ? 'ask' : 'stop', digest, scope: first, enteredAt: now, reason: null};
  });
  const eventOf = new Map(events.map(({digest, id}) => [digest, id]));
  const lines = scopes.flatMap((scope): StopLine[] => [
    ...suppressionKinds.flatMap((kind) =>
      suppressing[kind].map((digest): StopLine => {
        const event = scope === first ? eventOf.get(digest) : undefined;
        return {...said, of: digest, at: now, does: asked[kind] ? 'ask' : 'stop', scope, kind, event};
      }),
    ),
    ...changing
      .filter((one) => scope === everybody || isInScopes(senderOf(one), [scope]))
      .map(({id}): StopLine => {
        const event = id === lead ? eventOf.get(stop.digest ?? '') : undefined;
        return {...said, of: id, at: now, does: 'stop', scope, kind: 'number', event};
      }),
  ]);
  await writeDown(admin, lines, 'Nothing was changed, because');
  await store.suppress(suppressing, events);
}

export const isRevokedFor = ({revoked}: Pick<LeadIdentity, 'revoked'>, scopes: readonly string[]): boolean =>
  revoked !== undefined && (revoked.scope === 'all' || breadthOf(scopes) === 'partner');

/** @param stop the stop of these leads. The named lead is revoked last: if it is revoked, all others are */
export async function* revokeEach(
  admin: Changing,
  [named, ...others]: readonly Meaning[],
  {scopes, askedAt}: Pick<NewStop, 'scopes' | 'askedAt'>,
): Job<{revoked: string}, Revoked['leads']> {
  const {store, config, noteAccess} = admin;
  const how = {now: askedAt, scope: breadthOf(scopes), present: presentAddresses(config)};
  const all = [...others, ...(named ? [named] : [])];
  const changing = idsOf(all.filter((one) => !isRevokedFor(one, scopes)));
  const leads: Revoked['leads'] = all
    .filter((one) => isRevokedFor(one, scopes))
    .map(({id, partner}) => ({
      ...namesOf({id, partner}),
      told: [],
      former: [],
      remote_ids: [],
      changes: false,
    }));
  const erasable = (await store.erasable(changing)).toSorted(
    (one, other) => Number(one.id === named?.id) - Number(other.id === named?.id),
  );
  for (const lead of erasable) {
    // A duplicate or a correction that another partner sent has a consent of its own.
    if (!isInScopes(lead, scopes)) continue;
    await noteAccess({}, [lead.id]);
    const changes = await store.revoke(lead.id, how);
    const {told, former, remote_ids} = await receiversOf(admin, {...lead, erasedAt: null});
    leads.push({...namesOf(lead), told, former, remote_ids, changes});
    yield {revoked: lead.id};
  }
  return leads;
}

const namesOf = ({id, partner}: Pick<LeadIdentity, 'id' | 'partner'>) => ({
  id,
  reference: referenceOf(id),
  partner,
});

/**
 * Waits until no process can be sending one of the leads any more. That includes leads that another command has just stopped,
 * because that command may still be waiting.
 */
async function* untilSent({store}: Reading, leads: Revoked['leads']): Job<{underWayUntil: number}, void> {
  const ids = idsOf(leads);
  for (;;) {
    const underWayUntil = await store.underWayUntil(ids);
    if (underWayUntil === 0 || underWayUntil + clockDifference <= Date.now()) return;
    yield {underWayUntil};
    await sleep(lookEvery);
  }
}

/** `released`: references of the leads that are sent now. */
export const allowance = z.object({released: z.array(z.string())});

/**
 * Allows one lead that is held because of its number, so that it is sent as if it had just arrived; or the number of a person,
 * with all leads that are held because of it.
 * @param input `partner`: for this partner only, or for the callers only (null)
 * @throws Refusal if nothing is held, or the number is not suppressed
 */
export async function allowConsent(
  admin: Changing,
  {who, reason, partner}: {who: Who; reason: string; partner?: string | null | undefined},
): Promise<z.infer<typeof allowance>> {
  const {store, noteAccess} = admin;
  const now = Date.now();
  const released: string[] = [];
  const event = (digest: string, scope: string, lead: string | null): StopEvent => {
    const decided = {askedAt: now, enteredAt: now, way: null};
    return {...decided, id: randomUUIDv7(), kind: 'allow', digest, scope, lead, reason};
  };
  const release = async (id: string) => {
    await noteAccess({reason}, [id]);
    if (await store.release(id, now)) released.push(referenceOf(id));
  };
  if (typeof who === 'string') {
    const id = await leadOf(admin, who);
    await release(id);
    if (released.length === 0) throw new Refusal(`${who} is not held because of its number.`);
    const {people} = await peopleOf(admin, [id]);
    const [{phone = ''} = {}] = await store.digestsOfPeople([...people.values()]);
    await store.noteStops([event(phone, everybody, id)]);
  } else {
    const {phone} = who;
    if (phone === undefined) throw new Refusal('Name a lead, or a telephone number.');
    await noteAccess({phone, reason, ...(partner !== undefined && {scope: partner ?? allCallers})});
    const {people} = await sendersOf(admin, phone);
    const [{phone: number = ''} = {}, ...others] = await store.digestsOfPeople([{phone}, ...people]);
    const digests = [number, ...others.flatMap((each) => digestOfBoth(each) ?? [])];
    const scopes = await liftedBy(admin, await store.suppressions(digests), partner);
    if (scopes.length > 0) {
      const allowed = event(number, partner === undefined ? everybody : (partner ?? allCallers), null);
      await store.allow(digests, scopes, now, reason, [allowed]);
      const line = {at: now, does: 'allow', kind: 'number', askedAt: now, way: null, lead: null} as const;
      const lines = digests.flatMap((digest) =>
        scopes.map((scope): StopLine => ({...line, of: digest, scope, event: undefined})),
      );
      await writeDown(
        admin,
        [{...line, of: number, scope: allowed.scope, event: allowed.id}, ...lines],
        'The number is allowed, but',
      );
    }
    // Includes leads that arrived and were held during this decision.
    const {leads} = await sendersOf(admin, phone);
    const held = new Set(await store.heldLeads());
    for (const lead of leads)
      if (held.has(lead.id) && (partner === undefined || isInScopes(senderOf(lead), scopes)))
        await release(lead.id);
    if (scopes.length === 0 && released.length === 0)
      throw new Refusal('Nobody with this number revoked a consent, or it was allowed before.', 'unknown');
  }
  return {released};
}

/**
 * The scopes of a number that an operator's decision allows. Allowing a partner also allows the callers who send for its client,
 * unless another partner of that client holds the number, too.
 * @throws Refusal for one partner, if the number said stop for everybody
 */
async function liftedBy(admin: Reading, known: readonly Suppression[], partner: string | null | undefined) {
  const waiting = known.filter((one) => holds(one) || one.askedAt !== null);
  const open = [...new Set(waiting.map(({scope}) => scope))];
  if (partner === undefined) return open;
  if (open.includes(everybody))
    throw new Refusal(
      'This number said stop for everybody: a decision for one partner alone would change nothing.',
    );
  if (partner === null) return open.filter((scope) => `${scope}:`.startsWith(`${allCallers}:`));
  if (!open.includes(partner)) return [];
  const [, callers = ''] = await scopesFor(admin, partner);
  const isShared = admin.config.partners.some(
    ({key, cid}) => key !== partner && open.includes(key) && scopesOf({partner: key, cid}).includes(callers),
  );
  return open.filter((scope) => scope === partner || (scope === callers && !isShared));
}

/** The people who sent leads with this number, and these leads. */
async function sendersOf({store}: Reading, phone: string) {
  const {found, kept} = await readPerson({store}, {phone});
  const {people} = await peopleOf({store}, idsOf([...found, ...kept]));
  return {people: [...people.values()], leads: found};
}
