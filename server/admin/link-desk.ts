/**
 * What visitors do by the link of a lead. It stands in their confirmation and in events, and proves a mailbox, but no number. So it
 * stops at once what has this number and this mailbox. Whatever else has the number may be of somebody else: an operator must
 * decide about it, and later leads are held meanwhile.
 */
import {randomUUIDv7} from 'node:crypto';
import {leadIdForm} from '../leads/lead-ids.ts';
import {digestOfBoth} from '../leads/persons.ts';
import {
  isInScopes,
  linkWays,
  scopesOf,
  type LinkDesk,
  type LinkWay,
  type StopEvent,
} from '../leads/revocation.ts';
import {isErased} from '../store/rows.ts';
import {finish, type Admin} from './admin.ts';
import {noting} from './audit.ts';
import {writeDown} from './erasing.ts';
import {leadsOfPerson, peopleOf, senderOf} from './persons.ts';
import {beginStop, isRevokedFor, revokeEach, type Meaning} from './revocations.ts';

const linkEnd = new RegExp(String.raw`^(${leadIdForm})\.([\w-]+)$`);

/** What is known of the lead of a link: who sent it, what was said about the number, and what an operator has decided. */
async function readLink({store}: Pick<Admin, 'store'>, id: string) {
  const lead = (await store.findRecords([id])).get(id);
  if (!lead) return undefined;
  const {people} = await peopleOf({store}, [id]);
  const person = people.get(id);
  const [digests = {}] = person ? await store.digestsOfPeople([person]) : [];
  const both = digestOfBoth(digests);
  const own = [digests.phone, both].filter((digest) => digest !== undefined);
  const scopes = scopesOf(senderOf(lead));
  const known = (await store.suppressions(own)).filter((one) => isInScopes(senderOf(lead), [one.scope]));
  const decidedAt = Math.max(0, ...known.map((one) => one.decidedAt ?? 0));
  const isPressed = ({lead: of, way, enteredAt}: StopEvent) =>
    of === id && linkWays.some((each) => each === way) && enteredAt > decidedAt;
  const pressed = (await store.stopEvents({leads: [id]})).findLast(isPressed);
  // A press that was interrupted is noted, and has not stopped the lead, which comes last. Pressed again, it goes on.
  const isDone = lead.revoked !== undefined || lead.createdAt < decidedAt;
  const pressedAt = isDone ? pressed?.askedAt : undefined;
  return {lead, person, digests, both, scopes, known, decidedAt, pressedAt};
}
type Link = NonNullable<Awaited<ReturnType<typeof readLink>>>;

export function createLinkDesk({store, config}: Omit<Admin, 'look'>): LinkDesk {
  const lookFor = (what: string) => noting(store, {actor: 'visitor', action: `link: ${what}`});
  /** By number: a press waits for those before it, and then finds that there is nothing left to do, or little. */
  const running = new Map<string, Promise<void>>();
  async function stop(id: string, way: LinkWay) {
    const link = await readLink({store}, id);
    if (!link || link.pressedAt !== undefined) return;
    const admin = {store, config, look: lookFor(way === 'link' ? 'stop' : way)};
    await admin.look({scope: link.scopes[0]}, [id]);
    await (link.lead.createdAt < link.decidedAt ? askAgain(admin, link, way) : stopBoth(admin, link, way));
  }
  return {
    async find(text) {
      const [, id, token = ''] = linkEnd.exec(text) ?? [];
      if (id === undefined || !(await store.isRevokeToken(id, token))) return undefined;
      const link = await readLink({store}, id);
      if (!link) return undefined;
      const {lead, person, pressedAt} = link;
      const [request] = await store.erasureRequests(id);
      return {
        ...{id, createdAt: lead.createdAt, partner: lead.partner, requestedAt: request?.requestedAt},
        ...{isNumberKnown: person !== undefined, revokedAt: pressedAt},
        erasedAt: isErased(lead) ? lead.erasedAt : undefined,
      };
    },
    async stop({id}, way) {
      const {phone: key = id} = (await readLink({store}, id))?.digests ?? {};
      const before = running.get(key) ?? Promise.resolve();
      const work = before.catch(() => undefined).then(() => stop(id, way));
      running.set(key, work);
      await work.finally(() => {
        if (running.get(key) === work) running.delete(key);
      });
    },
    async requestErasure({id}) {
      await lookFor('erase')({lead: id});
      await store.requestErasure(id, Date.now());
    },
  };
}

/** An operator has let the number go since the lead of this link came. That holds, and the operator is asked once more. */
async function askAgain(admin: Admin, link: Link, way: LinkWay) {
  const event = askOf(link, way);
  const {digest: of, scope, lead, askedAt, enteredAt: at, id} = event;
  const line = {of, at, does: 'again', scope, kind: 'number', askedAt, way, event: id, lead} as const;
  await writeDown(admin, of === '' ? [] : [line], 'Nothing was changed, because');
  await admin.store.noteStops([event]);
}

/** For leads of this person it is a stop, and for others with the number a question. */
function askOf({lead, digests, scopes}: Link, way: LinkWay): StopEvent {
  const now = Date.now();
  const of = {digest: digests.phone ?? '', scope: scopes[0] ?? '', lead: lead.id};
  return {id: randomUUIDv7(), kind: 'ask', ...of, askedAt: now, enteredAt: now, way, reason: null};
}

async function stopBoth(admin: Admin, link: Link, way: LinkWay) {
  const {store} = admin;
  const {lead, person, digests, both, scopes, known} = link;
  const now = Date.now();
  const stop = {scopes, now, askedAt: now, way, lead: lead.id};
  const first = await leadsWithNumber(admin, link);
  // Another link of the same person may have done all the rest already.
  const isHeld = known.some((one) => one.digest === both && one.decidedAt === null);
  if (isHeld && first.own.every((one) => isRevokedFor(one, scopes)))
    return store.noteStops([askOf(link, way)]);
  await store.useKeys();
  // Where the number itself said stop, nobody needs to decide about it.
  const isStopped = known.some(
    (one) => one.kind === 'number' && one.decidedAt === null && one.askedAt === null,
  );
  const numbers = isStopped || person?.phone === undefined ? [] : [person.phone];
  await beginStop(admin, {
    ...{...stop, numbers, digest: digests.phone, asks: true, marks: true},
    ...{both: both === undefined ? [] : [both], leads: first.own},
  });
  // Leads that came meanwhile are held, or are found now.
  const {own, others} = await leadsWithNumber(admin, link);
  for (const {lead: id} of await store.openDeliveriesOf(others)) await store.hold(id);
  for await (const {revoked} of revokeEach(admin, own, stop)) void revoked;
}

/** The leads of the partner or client with the number of the link: those that have its mailbox, too, its own first; and ids of others. */
async function leadsWithNumber({store}: Admin, {lead, person, both, scopes}: Link) {
  const own: Meaning[] = [lead];
  const others: string[] = [];
  if (person?.phone === undefined) return {own, others};
  // The entry of the audit names those that change.
  const look = () => Promise.resolve();
  const job = leadsOfPerson({store, look}, {}, {phone: person.phone});
  const {found, kept} = await finish(job, () => undefined);
  const leads = [...found, ...kept].filter((one) => one.id !== lead.id && isInScopes(senderOf(one), scopes));
  const {people} = await peopleOf(
    {store},
    leads.map(({id}) => id),
  );
  const digests = await store.digestsOfPeople(leads.map(({id}) => people.get(id) ?? {}));
  for (const [index, one] of leads.entries())
    if (digestOfBoth(digests[index] ?? {}) === both) own.push(one);
    else others.push(one.id);
  return {own, others};
}
