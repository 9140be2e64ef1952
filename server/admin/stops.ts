/** Finds which leads must not be called, and what was said about their numbers. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {endedStates, isForReceivers} from '../leads/deliveries.ts';
import type {FullLead, ListedLead} from '../leads/lead-filter.ts';
import type {Stop} from '../leads/may-call.ts';
import {digestOfBoth, type KnownPerson} from '../leads/persons.ts';
import type {ReadStore} from '../leads/ports.ts';
import {holds, isInScopes, isUndecided, type StopEvent, type Suppression} from '../leads/revocation.ts';
import {type LeadIdentity, revocationScopes} from '../leads/stored-lead.ts';
import {isErased} from '../store/rows.ts';
import {idsOf, isoTime, time, type With} from './admin.ts';
import {businessDaysBetween} from './business-days.ts';
import {arrivalsOf, deliveryRow, storedOf} from './deliveries.ts';
import {readAddresses} from './destinations.ts';
import {peopleOf, senderOf} from './persons.ts';

/**
 * The stops, by the id of each lead that must not be called. A lead with deliveries was compared with the stops when it arrived:
 * if it is not held, an operator has allowed it. Leads without deliveries are compared here.
 */
export async function stopsOf({store}: With<ReadStore>, leads: readonly FullLead[]) {
  const stops = new Map<string, Stop>();
  if (leads.length === 0) return stops;
  const senders = leads.map(({lead}) => personOf(lead));
  const known = await digestsOf({store}, senders);
  const isKnown = known !== undefined || (await store.suppressions()).length === 0;
  const digests = known ?? [];
  const own = digests.map((each) => [each.phone, digestOfBoth(each)].filter((one) => one !== undefined));
  const suppressed = known ? await store.suppressions(own.flat()) : [];
  for (const [index, lead] of leads.entries()) {
    const {id, createdAt, revoked, isSuppressed} = lead;
    const ofLead = suppressed.filter(
      (one) => own[index]?.includes(one.digest) && isInScopes(senderOf(lead), [one.scope]),
    );
    const isWithout = async () => (await storedOf({store}, id, [undefined, ...endedStates])).length === 0;
    const stop = ofLead.find((one) => one.askedAt === null && (isSuppressed || holds(one)));
    const asked = ofLead.find((one) => one.askedAt !== null && one.decidedAt === null);
    const stopped = (at: number | null) => stops.set(id, {why: at === null ? 'unknown' : 'stopped', at});
    if (revoked) stopped(revoked.at);
    else if (stop && (isSuppressed || stop.since >= createdAt || (await isWithout()))) stopped(stop.since);
    else if (asked && !(await isLeadAllowed(store, lead, asked)))
      stops.set(id, {why: 'asked', at: asked.askedAt});
    else if (isSuppressed || (!isKnown && (await isWithout()))) stopped(null);
  }
  return stops;
}

const personOf = ({phone, email}: FullLead['lead']): KnownPerson => ({phone: phone.e164, email});

/** Undefined if the store has no key for digests. The key is not made here, because readers must not write. */
async function digestsOf({store}: With<ReadStore>, people: readonly KnownPerson[]) {
  const {phone} = (await store.blindIndexes({phone: ''})).digests;
  return phone === undefined ? undefined : store.digestsOfPeople(people);
}

/**
 * Whether somebody with another e-mail address asked to stop calls to this lead's number, and no operator has decided about the
 * number yet. A decision to allow only this lead is not one about the number.
 */
export async function isAskedToStop({store}: With<ReadStore>, lead: FullLead): Promise<boolean> {
  const stop = (await stopsOf({store}, [lead])).get(lead.id);
  if (stop) return stop.why === 'asked';
  const [{phone} = {}] = (await digestsOf({store}, [personOf(lead.lead)])) ?? [];
  const known = phone === undefined ? [] : await store.suppressions([phone]);
  return known.some((one) => isUndecided(one) && isInScopes(senderOf(lead), [one.scope]));
}

/** Whether an operator has allowed only this lead since somebody asked to stop calls to its number. */
async function isLeadAllowed(store: ReadStore, {id}: FullLead, {askedAt}: Suppression): Promise<boolean> {
  const events = await store.stopEvents({leads: [id]});
  return events.some(({kind, enteredAt}) => kind === 'allow' && enteredAt >= (askedAt ?? 0));
}

/**
 * A stop, a question or a decision about a number.
 * - `what`: `stop`; `ask`, about which an operator must decide; `allow`, an operator's decision
 * - `for`: as `scope` of a suppression. `reference`: of the lead whose link was used, or that was named
 * - `asked_at`: the day on which the person asked. `entered_at`: when it was entered here. `way`: such as `phone` or `link`
 */
const stopRow = z.object({
  what: z.enum(['stop', 'ask', 'allow']),
  for: z.string(),
  asked_at: time.nullable(),
  entered_at: time.nullable(),
  way: z.string().nullable(),
  reason: z.string().nullable(),
  reference: z.string().nullable(),
});
export type StopRow = z.infer<typeof stopRow>;

const toStopRow = ({kind, scope, askedAt, enteredAt, way, reason, lead}: StopEvent): StopRow => ({
  what: kind,
  for: scope,
  asked_at: isoTime(askedAt),
  entered_at: isoTime(enteredAt),
  way,
  reason,
  reference: lead === null ? null : referenceOf(lead),
});

/** A destination that was told, or is to be told, that a consent was revoked or a lead erased. */
const toldRow = deliveryRow
  .pick({destination: true, place: true, content: true, state: true})
  .extend({at: time.nullable()});

/**
 * What happened after a consent was given.
 * - `taken_back`: null if it was not revoked. `for`: `all` or `partner`. `asked_at`, `entered_at`, `way`: as in a `StopRow`
 * - `stops`: all stops, questions and decisions about the number, the oldest first
 * - `legal_hold`: the lawsuit for which the lead, or one that would be erased with it, is kept
 */
export const afterwards = z.object({
  taken_back: z
    .object({
      for: z.enum(revocationScopes),
      asked_at: time.nullable(),
      entered_at: time.nullable(),
      way: z.string().nullable(),
    })
    .nullable(),
  stops: z.array(stopRow),
  told: z.array(toldRow),
  legal_hold: z.object({until: time.nullable(), reason: z.string()}).nullable(),
});
export type Afterwards = z.infer<typeof afterwards>;
export const noneAfterwards: Afterwards = {taken_back: null, stops: [], told: [], legal_hold: null};

type Concerned = Pick<LeadIdentity, 'id' | 'revoked'> & {erasedAt?: number};

/** What happened after the consents, by id of the lead. @param people who sent the leads, as far as that is known */
export async function afterwardsOf(
  {store}: With<ReadStore>,
  leads: readonly Concerned[],
  people: ReadonlyMap<string, KnownPerson>,
): Promise<Map<string, Afterwards>> {
  const ids = idsOf(leads);
  const senders = ids.map((id) => people.get(id) ?? {});
  const digests = (await digestsOf({store}, senders)) ?? [];
  const numbers = [...new Set(digests.flatMap((each) => each.phone ?? []))];
  const events = await store.stopEvents({digests: numbers, leads: ids});
  const kept = await store.keptLeads(Date.now());
  const rows = new Map<string, Afterwards>();
  for (const [index, lead] of leads.entries()) {
    const {id, revoked} = lead;
    const isOwn = ({lead: named, digest, kind}: StopEvent) =>
      named === id ||
      (digest !== '' && digest === digests[index]?.phone && (kind !== 'allow' || named === null));
    const own = events.filter(isOwn);
    const hold = kept.get(id);
    const stop = own.findLast(({kind, askedAt}) => kind !== 'allow' && askedAt === revoked?.at);
    rows.set(id, {
      taken_back: revoked
        ? {
            for: revoked.scope,
            asked_at: isoTime(revoked.at),
            entered_at: isoTime(stop?.enteredAt ?? null),
            way: stop?.way ?? null,
          }
        : null,
      // A question by the link of this lead is a stop for the lead itself.
      stops: own.map((event) => toStopRow(event === stop ? {...event, kind: 'stop'} : event)),
      told: revoked || lead.erasedAt !== undefined ? await toldOf({store}, id) : [],
      legal_hold: hold ? {until: isoTime(hold.until), reason: hold.reason} : null,
    });
  }
  return rows;
}

/** What happened after the consent of one lead. */
export async function afterwardsOfOne(admin: With<ReadStore>, lead: Concerned): Promise<Afterwards> {
  const {people} = await peopleOf(admin, [lead.id]);
  return (await afterwardsOf(admin, [lead], people)).get(lead.id) ?? noneAfterwards;
}

async function toldOf({store}: With<ReadStore>, lead: string): Promise<Afterwards['told']> {
  const useOf = await readAddresses({store});
  const rows = await storedOf({store}, lead, [undefined, ...endedStates]);
  return rows.filter(isForReceivers).map(({destination, address, content, state, settledAt}) => ({
    destination,
    content,
    state,
    at: isoTime(settledAt),
    place: useOf({destination, address})?.place ?? null,
  }));
}

/**
 * A stop or question about a number, for operators and for a regulator.
 * - `what`: `stop`, or `ask` by somebody with another e-mail address, about which an operator must decide
 * - `asked_at`, `entered_at`, `way`: as in a `StopRow`
 * - `leads`: leads with the number, the newest first: the store does not have the number itself. `consented_at`: when this lead's
 *   consent was given, which may be after the stop
 * - `told`: which destinations were told, and when. `not_told`: why none was, in a few words. `heard_at`: when all of them had
 *   been told; null if one was not, or if there is none. `business_days`: from the day of the request until then
 * - `allowances`: when an operator allowed the number again, and why
 */
export const revocationRow = z.object({
  what: z.enum(['stop', 'ask']),
  scope: z.string(),
  asked_at: time.nullable(),
  entered_at: time.nullable(),
  way: z.string().nullable(),
  leads: z.array(
    z.object({
      id: z.string(),
      reference: z.string(),
      partner: z.string().nullable(),
      held: z.boolean(),
      received_at: time.nullable(),
      revoked_at: time.nullable(),
      consented_at: time.nullable(),
    }),
  ),
  told: z.array(toldRow.omit({content: true}).extend({reference: z.string()})),
  not_told: z.string().nullable(),
  heard_at: time.nullable(),
  business_days: z.number().int().nullable(),
  allowances: z.array(z.object({at: time.nullable(), reason: z.string().nullable()})),
});
export type RevocationRow = z.infer<typeof revocationRow>;

/** How many leads of a number are shown, and how many of the newest leads are decrypted because they have no digests yet. */
const [maxLeads, maxOpened] = [20, 1_000];
/** How many leads of a number are searched for the destinations that were told. */
const maxTold = 1_000;

/** Stops and questions, the newest first. @param times of the day of the request, in milliseconds since 1970 */
export async function* listRevocations(
  {store, noteAccess}: With<ReadStore, 'noteAccess'>,
  {since, until}: {since?: number | undefined; until?: number | undefined},
  limit = Infinity,
): AsyncGenerator<RevocationRow[], void, undefined> {
  const asked = (await store.stopsAsked(since ?? 0, until ?? Number.MAX_SAFE_INTEGER)).slice(0, limit);
  const digests = [...new Set(asked.map(({digest}) => digest))].filter(Boolean);
  const decided = (await store.stopEvents({digests})).filter(({kind}) => kind === 'allow');
  const held = new Set(await store.heldLeads());
  const newest = await newestByNumber({store});
  await noteAccess({revoked: true, since, until});
  for (const one of asked) {
    const leads = await leadsOf({store}, one, newest, maxTold);
    await noteAccess({}, idsOf(leads));
    yield [await toRevocationRow({store}, one, leads, {decided, held})];
  }
}

async function toRevocationRow(
  {store}: With<ReadStore>,
  {kind, scope, askedAt, enteredAt, way, digest, lead: named}: StopEvent,
  leads: readonly ReadableLead[],
  {decided, held}: {decided: readonly StopEvent[]; held: ReadonlySet<string>},
): Promise<RevocationRow> {
  const told: RevocationRow['told'] = [];
  const concerned = leads.filter(
    ({id, revoked}) => revoked?.at === askedAt || (revoked !== undefined && id === named),
  );
  let hadIt = false;
  for (const {id} of concerned) {
    for (const {content, ...receiver} of await toldOf({store}, id))
      if (content === 'revoked') told.push({...receiver, reference: referenceOf(id)});
    hadIt ||= (await arrivalsOf({store}, id)).length > 0;
  }
  const allowed = decided.filter(
    (other) => other.digest === digest && digest !== '' && other.enteredAt >= enteredAt,
  );
  const untold = () => {
    if (concerned.length > 0) return hadIt ? 'cannot be told' : 'nobody had it';
    if (leads.length === 0) return 'no lead';
    return kind === 'ask' ? (allowed.length > 0 ? 'let go' : 'not decided') : 'stopped before';
  };
  const times = told.map(({at}) => (at === null ? Infinity : Date.parse(at)));
  const heardAt = times.length === 0 || times.includes(Infinity) ? null : Math.max(...times);
  return {
    what: kind === 'ask' ? kind : 'stop',
    scope,
    asked_at: isoTime(askedAt),
    entered_at: isoTime(enteredAt),
    way,
    leads: leads.slice(0, maxLeads).map((lead) => ({
      id: lead.id,
      reference: referenceOf(lead.id),
      partner: lead.partner,
      held: held.has(lead.id),
      received_at: isoTime(lead.createdAt),
      revoked_at: isoTime(lead.revoked?.at ?? null),
      consented_at: isoTime('consent' in lead ? (lead.consent?.givenAt ?? null) : null),
    })),
    told,
    not_told: told.length > 0 ? null : untold(),
    heard_at: isoTime(heardAt),
    business_days: heardAt === null ? null : businessDaysBetween(askedAt, heardAt),
    allowances: allowed.map((other) => ({at: isoTime(other.enteredAt), reason: other.reason})),
  };
}

type ReadableLead = Exclude<ListedLead, {unreadable: string}>;

/** The leads of a number within the scope, the newest first. Without a digest, the lead that was named. */
async function leadsOf(
  {store}: With<ReadStore>,
  {digest, scope, lead}: {digest: string; scope: string; lead?: string | null},
  newest: ReadonlyMap<string, readonly FullLead[]>,
  limit: number,
): Promise<ReadableLead[]> {
  const filter = digest === '' ? {id: lead ?? ''} : {digest};
  const stored = await store.listLeads(filter, {limit});
  const found = new Map([...(newest.get(digest) ?? []), ...stored].map((each) => [each.id, each]));
  return [...found.values()].flatMap((each) =>
    'unreadable' in each || !isInScopes(senderOf(each), [scope]) ? [] : each,
  );
}

/** The newest leads, by the digests of their numbers. Leads of the last minute have no stored digests yet, so these are decrypted. */
async function newestByNumber({store}: With<ReadStore>): Promise<Map<string, FullLead[]>> {
  const {since} = await store.blindIndexes({});
  const leads = (await store.listLeads({since}, {limit: maxOpened})).filter(
    (lead): lead is FullLead => 'lead' in lead && !isErased(lead),
  );
  const digests = await store.digestsOfPeople(leads.map(({lead}) => personOf(lead)));
  return Map.groupBy(leads, (lead) => digests[leads.indexOf(lead)]?.phone ?? '');
}

/**
 * Numbers about which an operator must decide, because somebody with another e-mail address asked: the newest first, with their
 * leads.
 */
export async function undecidedNumbers({store}: With<ReadStore>, limit: number) {
  const numbers: (Suppression & {leads: FullLead[]})[] = [];
  const undecided = (await store.suppressions()).filter((one) => one.kind === 'number' && isUndecided(one));
  if (undecided.length === 0) return numbers;
  const newest = await newestByNumber({store});
  for (const one of undecided.slice(0, limit)) {
    const leads = (await leadsOf({store}, one, newest, maxLeads)).slice(0, maxLeads);
    const open = leads.flatMap((lead) => ('lead' in lead && !lead.revoked ? lead : []));
    const stops = await stopsOf({store}, open);
    const asked = open.filter(({id}) => one.decidedAt !== null || stops.get(id)?.why === 'asked');
    const isNew = !numbers.some(({digest}) => digest === one.digest);
    if (asked.length > 0 && isNew) numbers.push({...one, leads: asked});
  }
  return numbers;
}
