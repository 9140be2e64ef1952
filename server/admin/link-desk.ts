/**
 * What visitors can do by the link of their lead. The link is in their confirmation and in events: it proves a mailbox, but no
 * telephone number. So a stop takes effect at once for leads with this number and this mailbox. Other leads with the number may
 * be of somebody else: an operator must decide about them, and new ones are held meanwhile.
 */
import {randomUUIDv7} from 'node:crypto';
import type {AuditStore} from '../leads/audit.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import {leadIdForm} from '../leads/lead-ids.ts';
import {digestOfBoth} from '../leads/persons.ts';
import type {ReadStore} from '../leads/ports.ts';
import type {PrivacyRequestStore} from '../leads/privacy-requests.ts';
import {
  isInScopes,
  linkWays,
  scopesOf,
  type LinkDesk,
  type LinkWay,
  type StopEvent,
  type RevocationStore,
} from '../leads/revocation.ts';
import {isErased} from '../store/rows.ts';
import {idsOf, type With} from './admin.ts';
import {noting} from './audit.ts';
import {writeDown} from './erasing.ts';
import {peopleOf, readPerson, senderOf} from './persons.ts';
import {putRequest, requestsOf} from './privacy-requests.ts';
import {beginStop, isRevokedFor, revokeEach, type Meaning} from './revocations.ts';

const linkEnd = new RegExp(String.raw`^(${leadIdForm})\.([\w-]+)$`);

/**
 * Reads the lead of a link: who sent it, what was said about its number, and when an operator last allowed leads with this number
 * and this address (`consent allow`). A decision about the number alone does not count, as it was not about this person.
 */
async function readLink({store}: With<ReadStore>, id: string) {
  const {people, records} = await peopleOf({store}, [id]);
  const lead = records.get(id);
  if (!lead) return undefined;
  const person = people.get(id);
  const [digests = {}] = person ? await store.digestsOfPeople([person]) : [];
  const both = digestOfBoth(digests);
  const own = [digests.phone, both].filter((digest) => digest !== undefined);
  const scopes = scopesOf(senderOf(lead));
  const known = (await store.suppressions(own)).filter((one) => isInScopes(senderOf(lead), [one.scope]));
  const decidedAt = Math.max(0, ...known.map((one) => (one.digest === both ? (one.decidedAt ?? 0) : 0)));
  const isPressed = (event: StopEvent) =>
    event.lead === id && linkWays.some((way) => way === event.way) && event.enteredAt > decidedAt;
  const pressed = (await store.stopEvents({leads: [id]})).findLast(isPressed);
  const isOlder = lead.createdAt < decidedAt;
  // An interrupted press is stored, but has not revoked this lead yet, which is revoked last. Pressing again finishes the stop.
  const pressedAt = lead.revoked !== undefined || isOlder ? pressed?.askedAt : undefined;
  return {lead, person, digests, both, scopes, known, isOlder, pressedAt};
}
type Link = NonNullable<Awaited<ReturnType<typeof readLink>>>;
type Desk = With<
  ReadStore & AuditStore & KeyStore & RevocationStore & PrivacyRequestStore,
  'config' | 'noteAccess'
>;

export function createLinkDesk({store, config}: Omit<Desk, 'noteAccess'>): LinkDesk {
  const notingOf = (what: string) => noting(store, {actor: 'visitor', action: `link: ${what}`});
  const running = new Map<string, Promise<void>>();
  /** One press at a time for each number, so that a later one finds what the earlier ones have done. */
  async function inTurn(id: string, work: () => Promise<void>) {
    const {phone: key = id} = (await readLink({store}, id))?.digests ?? {};
    const last = (running.get(key) ?? Promise.resolve()).catch(() => undefined).then(work);
    running.set(key, last);
    await last.finally(() => {
      if (running.get(key) === last) running.delete(key);
    });
  }
  async function stop(id: string, way: LinkWay) {
    const link = await readLink({store}, id);
    if (!link || link.pressedAt !== undefined) return;
    const admin = {store, config, noteAccess: notingOf(way === 'link' ? 'stop' : way)};
    await admin.noteAccess({scope: link.scopes[0]}, [id]);
    await (link.isOlder ? ask(admin, link, way) : stopBoth(admin, link, way));
  }
  return {
    async find(text) {
      const [, id, token = ''] = linkEnd.exec(text) ?? [];
      if (id === undefined || !(await store.isRevokeToken(id, token))) return undefined;
      const link = await readLink({store}, id);
      if (!link) return undefined;
      const {lead, person, pressedAt} = link;
      const [request] = await requestsOf({store}, id, 'erase');
      return {
        id,
        createdAt: lead.createdAt,
        partner: lead.partner,
        requestedAt: request?.askedAt,
        isNumberKnown: person !== undefined,
        revokedAt: pressedAt,
        erasedAt: isErased(lead) ? lead.erasedAt : undefined,
      };
    },
    stop: ({id}, way) => inTurn(id, () => stop(id, way)),
    requestErasure: ({id}) =>
      inTurn(id, async () => {
        if ((await requestsOf({store}, id, 'erase')).length > 0) return;
        await notingOf('erase')({lead: id});
        const now = Date.now();
        const asked = {askedAt: now, enteredAt: now, way: 'link'};
        await putRequest({store, config}, {lead: id, kind: 'erase', ...asked});
      }),
  };
}

/** Only notes the request. It counts as a stop for leads of this person. About other leads with the number, an operator decides. */
async function ask(admin: Desk, {lead: {id: lead}, digests, scopes}: Link, way: LinkWay) {
  const [id, now] = [randomUUIDv7(), Date.now()];
  const said = {scope: scopes[0] ?? '', lead, askedAt: now, way};
  const {phone: digest = ''} = digests;
  const line = {...said, of: digest, at: now, does: 'again', kind: 'number', event: id} as const;
  await writeDown(admin, digest === '' ? [] : [line], 'Nothing was changed, because');
  await admin.store.noteStops([{...said, id, kind: 'ask', digest, enteredAt: now, reason: null}]);
}

async function stopBoth(admin: Desk, link: Link, way: LinkWay) {
  const {store} = admin;
  const {lead, person, digests, both, scopes, known} = link;
  const now = Date.now();
  const stop = {scopes, now, askedAt: now, way, lead: lead.id};
  const first = await leadsWithNumber(admin, link);
  // Another link of the same person may have stopped all of these leads already.
  const isHeld = known.some((one) => one.digest === both && one.decidedAt === null);
  if (isHeld && first.own.every((one) => isRevokedFor(one, scopes))) return ask(admin, link, way);
  await store.useKeys();
  // If the number itself was stopped by an operator, no decision is needed.
  const isStopped = known.some(
    (one) => one.kind === 'number' && one.decidedAt === null && one.askedAt === null,
  );
  const numbers = isStopped || person?.phone === undefined ? [] : [person.phone];
  await beginStop(admin, {
    ...stop,
    numbers,
    digest: digests.phone,
    asks: true,
    byMailbox: true,
    both: both === undefined ? [] : [both],
    leads: first.own,
  });
  // Leads that arrived since the first reading are either held already, or found by this second one.
  const {own, others} = await leadsWithNumber(admin, link);
  const open = new Set((await store.openDeliveriesOf(others)).map(({lead: id}) => id));
  if (open.size > 0) await store.hold([...open]);
  for await (const {revoked} of revokeEach(admin, own, stop)) void revoked;
}

/** Leads of this partner or client with the link's number. `own`: those that also have its mailbox, the link's first. `others`: ids. */
async function leadsWithNumber({store}: With<ReadStore>, {lead, person, both, scopes}: Link) {
  const own: Meaning[] = [lead];
  const others: string[] = [];
  if (person?.phone === undefined) return {own, others};
  // Writes nothing to the audit: the entry of the stop names the leads that change.
  const {found, kept} = await readPerson({store}, {phone: person.phone});
  const leads = [...found, ...kept].filter((one) => one.id !== lead.id && isInScopes(senderOf(one), scopes));
  const {people} = await peopleOf({store}, idsOf(leads));
  const digests = await store.digestsOfPeople(leads.map(({id}) => people.get(id) ?? {}));
  for (const [index, one] of leads.entries())
    if (digestOfBoth(digests[index] ?? {}) === both) own.push(one);
    else others.push(one.id);
  return {own, others};
}
