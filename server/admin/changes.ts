/** What can be done with one lead: planned, so that somebody sees what would happen, and then done, unless it has changed meanwhile. */
import {referenceOf} from '../../contract/reference.ts';
import {isForReceivers, type DeliveryRow} from '../leads/deliveries.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import type {LeadIdentity} from '../leads/stored-lead.ts';
import {isErased} from '../store/rows.ts';
import {confirmOf, Refusal, type Admin} from './admin.ts';
import {contentWords, dropDeliveries, retryDeliveries, storedOf, type Changed} from './deliveries.ts';
import {eraseLeads, planErasure} from './erasing.ts';
import {erasureFields} from './erasure-words.ts';
import {leadOf} from './lead-names.ts';
import {allowConsent, revokeConsent} from './revocations.ts';
import {stopsOf} from './stops.ts';
import {printable} from './visible.ts';
import {counted, maxOthers} from './words.ts';

/**
 * - `send`: what waits, was refused or given up is due now
 * - `release`: what is held because a bot may have sent it, or because the destination may have it already
 * - `allow`: what is held of a lead with whose number somebody took a consent back
 * - `drop`: what has not ended is never sent, but for the news of stops and erasures
 * - `revoke`: the consent is taken back for everybody
 * - `erase`: all but the consent goes
 */
export const changes = ['send', 'release', 'allow', 'drop', 'revoke', 'erase'] as const;
export type Change = (typeof changes)[number];

/**
 * `destination`: of `send` and `drop`, the only one. `who`: the name of the person, if it is known. `does`: what will happen, a
 * line each.
 * `confirm`: sent back with the change.
 */
export type ChangePlan = {
  change: Change;
  lead: string;
  reference: string;
  destination: string | null;
  title: string;
  who: string | null;
  does: string[];
  button: string;
  needsReason: boolean;
  confirm: string;
};
/** Stands after a change in the audit that was looked at, and not made. */
export const plannedOnly = ', planned';
export type ChangeInput = {lead: string; change: Change; destination?: string | undefined};

type Open = Pick<DeliveryRow, 'destination' | 'content' | 'state' | 'reason' | 'ambiguous'>;

const isReleasable = ({state, reason}: Open) => state === 'held' && reason !== 'elsewhere';
type OfDeliveries = Exclude<Change, 'revoke' | 'erase'>;
/** Of a lead that is held because of its number, nothing goes out for another reason. */
const concerns: Readonly<Record<OfDeliveries, (row: Open, isSuppressed: boolean) => boolean>> = {
  send: ({state, reason}) => state !== 'held' && reason !== 'elsewhere' && reason !== 'former',
  release: (row, isSuppressed) => isReleasable(row) && !isSuppressed,
  allow: (row, isSuppressed) => isReleasable(row) && isSuppressed,
  drop: (row) => !isForReceivers(row),
};

/** `isAsked`: somebody with another address asked to stop its number, and nobody has decided. */
type LeadState = Pick<LeadIdentity, 'revoked' | 'isSuppressed'> & {
  erasedAt: number | null;
  isAsked?: boolean;
};

/** What can be done now. @param open the deliveries of the lead that have not ended */
export function possibleChanges(
  open: readonly Open[],
  {erasedAt, isSuppressed = false, isAsked = false, revoked}: LeadState,
): Change[] {
  return changes.filter((change) => {
    if (change === 'erase') return erasedAt === null;
    if (change === 'revoke') return erasedAt === null && revoked?.scope !== 'all';
    if (change === 'allow' && isAsked) return true;
    return open.some((row) => concerns[change](row, isSuppressed));
  });
}

const words: Readonly<Record<Change, {title: string; button: string; cannot: string}>> = {
  send: {title: 'Send again', button: 'Send now', cannot: 'Nothing of it waits to be sent.'},
  release: {title: 'Send it on', button: 'Send it on', cannot: 'Nothing of it is held.'},
  allow: {title: 'Send it on', button: 'Send it on', cannot: 'It is not held because of its number.'},
  drop: {
    title: 'Drop',
    button: 'Drop',
    cannot:
      'Nothing of it waits that can be dropped here: that somebody who said stop or was erased must be told goes on.',
  },
  revoke: {title: 'Stop calls', button: 'Stop', cannot: 'Its consent was taken back before.'},
  erase: {title: 'Erase', button: 'Erase for ever', cannot: 'It was erased before.'},
};

/** `does`: what will happen. `facts`: of what it depends. `make` does it, and says in a sentence what was done. */
type Effects = {does: string[]; facts: readonly string[]; make: (reason: string) => Promise<string>};

/** @throws Refusal if it cannot be done now */
export const planChange = async (admin: Admin, input: ChangeInput): Promise<ChangePlan> =>
  (await planned(admin, input)).plan;

/**
 * @returns in a sentence, what was done
 * @throws Refusal if the plan would be another one by now
 */
export async function makeChange(
  admin: Admin,
  {confirm, reason, ...input}: ChangeInput & {confirm: string; reason: string},
): Promise<string> {
  const {plan, make} = await planned(admin, input);
  if (plan.confirm !== confirm)
    throw new Refusal('Nothing was changed, because the lead has changed meanwhile: look again');
  if (plan.needsReason && !reason.trim()) throw new Refusal('Nothing was changed: say why, which is kept.');
  await admin.look({change: input.change});
  return make(reason.trim());
}

async function planned(
  admin: Admin,
  {lead: named, change, destination}: ChangeInput,
): Promise<{plan: ChangePlan; make: Effects['make']}> {
  const {store, look} = admin;
  const lead = await leadOf(admin, named);
  await look({lead, change: `${change}${plannedOnly}`, ...(destination !== undefined && {destination})});
  const record = (await store.findRecords([lead])).get(lead);
  if (!record) throw new Refusal(`There is no lead ${named}.`, 'unknown');
  const open = await storedOf(admin, lead, [undefined]);
  const rows = open.filter((row) => destination === undefined || row.destination === destination);
  const stop = 'lead' in record ? (await stopsOf(admin, [record])).get(lead) : undefined;
  const isAsked = stop?.why === 'asked';
  const state = {...record, isAsked, erasedAt: isErased(record) ? record.erasedAt : null};
  if (!possibleChanges(rows, state).includes(change)) throw new Refusal(words[change].cannot);
  const {does, facts, make} = await (change === 'allow' && isAsked && 'lead' in record
    ? deciding(admin, record)
    : effectsOf(admin, record, change, rows));
  const {title, button} = words[change];
  const {lead: its} = 'lead' in record ? record : {};
  const who = its ? printable(`${its.first_name} ${its.last_name}`) : null;
  const plan = {
    ...{change, lead, reference: referenceOf(lead), destination: destination ?? null},
    ...{title, who, does, button, needsReason: change === 'allow'},
    confirm: confirmOf([change, lead, ...facts]),
  };
  return {plan, make};
}

function effectsOf(
  admin: Admin,
  {id, isSuppressed = false}: LeadIdentity,
  change: Change,
  open: readonly Open[],
): Promise<Effects> {
  if (change === 'erase') return erasing(admin, id);
  if (change === 'revoke') return revoking(admin, id);
  const rows = open.filter((row) => concerns[change](row, isSuppressed));
  const stops = change === 'drop' ? open.filter(isForReceivers) : [];
  return ofDeliveries(admin, id, change, rows, stops);
}

const sent = ({destination, content, ambiguous}: Open) => [
  `${destination} gets ${contentWords[content]} now.`,
  ambiguous > 0 &&
    `${destination} may have it already: nobody knows what became of ${counted(ambiguous, 'attempt')}.`,
];
const dropped = ({destination, content}: Open) => [
  `${destination} never gets ${contentWords[content]}.`,
  content === 'lead' && `If ${destination} was to answer the lead, it counts as refused.`,
];

async function ofDeliveries(
  admin: Admin,
  lead: string,
  change: keyof typeof concerns,
  rows: readonly Open[],
  stops: readonly Open[],
): Promise<Effects> {
  const isDrop = change === 'drop';
  const paused = (isDrop ? [] : await admin.store.pausedDestinations()).filter(({destination}) =>
    rows.some((row) => row.destination === destination),
  );
  return {
    does: [
      change === 'allow' &&
        'Somebody with this number took a consent back before. Later leads with it are held all the same.',
      ...rows.flatMap(isDrop ? dropped : sent),
      ...stops.map(({destination, content}) => `${destination} still gets ${contentWords[content]}.`),
      ...paused.map(
        ({destination: name, reason}) =>
          `${name} is paused (${reason}), so it goes there once ${name} is resumed.`,
      ),
    ].filter((line) => line !== false),
    facts: rows.map(({destination, ...row}) =>
      [destination, row.content, row.state, row.ambiguous].join(' '),
    ),
    async make(reason) {
      if (change === 'allow') await allowConsent(admin, {who: lead, reason});
      const changeSome = isDrop ? dropDeliveries : retryDeliveries;
      // What is held because of its number alone goes by that already. It may be from a bot, too.
      const others = rows.filter((row) => change !== 'allow' || row.reason !== 'suppressed');
      const selections = new Map(others.map((row) => [`${row.destination} ${row.state}`, row]));
      const done: Changed[] = [];
      for (const {destination, state} of selections.values())
        done.push(await changeSome(admin, {lead, destination, state}));
      if (change === 'allow') return `${referenceOf(lead)} is sent now.`;
      const many = done.reduce((sum, {deliveries}) => sum + deliveries, 0);
      if (many === 0) throw new Refusal(done.at(-1)?.why_none ?? words[change].cannot);
      return isDrop
        ? `${counted(many, 'delivery was', 'deliveries were')} dropped.`
        : `${counted(many, 'delivery is', 'deliveries are')} due now.`;
    },
  };
}

/** Decides about a number that somebody with another address asked to stop. */
async function deciding(admin: Admin, {lead: {phone}}: Pick<FullLead, 'lead'>): Promise<Effects> {
  const held = await admin.store.heldLeads();
  return {
    does: [
      'Somebody with another address asked to stop this number. It may be called all the same.',
      'Leads that are held because of that are sent now, and later ones go as usual.',
    ],
    facts: held,
    async make(reason) {
      const {released} = await allowConsent(admin, {who: {phone: phone.e164}, reason});
      return `The number may be called. ${counted(released.length, 'held lead is', 'held leads are')} sent now.`;
    },
  };
}

async function erasing(admin: Admin, lead: string): Promise<Effects> {
  const input = {leads: [lead], all: false, shown: maxOthers};
  const {leads, ids, confirm} = await planErasure(admin, input);
  const going = leads.filter(({changes}) => changes);
  const of = (reference: string, name: string) =>
    going.length > 1 ? `${reference} ${name}` : name.replace(/^./, (letter) => letter.toUpperCase());
  const does = going.flatMap((each) =>
    erasureFields(each).map(([name, value]) => `${of(each.reference, name)}: ${value}`),
  );
  const reference = referenceOf(lead);
  if (ids.length > going.length)
    does.push(
      `${counted(ids.length - going.length, 'more lead that belongs to it goes', 'more leads that belong to it go')}, too: "lead-prequal leads erase ${reference}" lists them all, and asks first`,
    );
  return {
    ...{does, facts: [confirm]},
    async make() {
      let waited = 0;
      for await (const so of eraseLeads(admin, {...input, confirm})) {
        if ('waiting' in so) waited += 1;
        // The second report comes after half a minute.
        if (waited > 1)
          return `${reference} is erased, but old copies are still in the files of the database, which something reads: run "lead-prequal leads erase ${reference}" later.`;
      }
      return `${reference} is erased.`;
    },
  };
}

async function revoking(admin: Admin, lead: string): Promise<Effects> {
  // Whoever stops reading at this point has changed nothing.
  const {value} = await revokeConsent(admin, {who: lead}).next();
  const concerned = value && 'concerns' in value ? value.concerns : [];
  const [named, more] = [concerned.slice(0, maxOthers), concerned.length - maxOthers];
  const which = more > 0 ? [...named, `and ${counted(more, 'other lead')}`] : named;
  return {
    does: [
      `Nothing of ${which.join(', ')} goes out any more.`,
      'Those who had it are told to stop calls and messages.',
      'Later leads with the same number are held until somebody decides.',
    ],
    facts: concerned,
    async make() {
      let many = 0;
      const begin = () => `The consent of ${counted(many, 'lead')} is taken back.`;
      for await (const so of revokeConsent(admin, {who: lead})) {
        if ('concerns' in so && so.concerns.join() !== concerned.join())
          throw new Refusal('Nothing was changed, because another lead came meanwhile: look again');
        if ('revoked' in so) many += 1;
        // Nobody waits here for what a process has begun.
        if ('underWayUntil' in so)
          return `${begin()} A process may be sending something right now, for some seconds.`;
      }
      return `${begin()} Nothing of it goes out any more.`;
    },
  };
}
