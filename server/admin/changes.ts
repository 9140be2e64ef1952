/** What can be done with one lead: planned, so that somebody sees what would happen, and then done, unless it has changed meanwhile. */
import {createHash} from 'node:crypto';
import {referenceOf} from '../../contract/reference.ts';
import {suppressedNumber, whyElsewhere, type DeliveryRow} from '../leads/deliveries.ts';
import type {LeadIdentity} from '../leads/stored-lead.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type Admin} from './admin.ts';
import {contentWords, dropDeliveries, retryDeliveries, type Changed} from './deliveries.ts';
import {eraseLeads, planErasure} from './erasing.ts';
import {erasureFields} from './erasure-words.ts';
import {leadOf} from './lead-names.ts';
import {allowConsent, revokeConsent} from './revocations.ts';
import {counted} from './words.ts';

/**
 * - `send`: what waits, was refused or given up is due now
 * - `release`: what is held because a bot may have sent it, or because the destination may have it already
 * - `allow`: what is held because somebody with the number took a consent back
 * - `drop`: what has not ended is never sent
 * - `revoke`: the consent is taken back for everybody
 * - `erase`: all but the consent goes
 */
export const changes = ['send', 'release', 'allow', 'drop', 'revoke', 'erase'] as const;
export type Change = (typeof changes)[number];

/** `destination`: of `send` and `drop`, the only one. `does`: what will happen, a line each. `confirm`: sent back with the change. */
export type ChangePlan = {
  change: Change;
  lead: string;
  reference: string;
  destination: string | null;
  title: string;
  does: string[];
  button: string;
  needsReason: boolean;
  confirm: string;
};
export type ChangeInput = {lead: string; change: Change; destination?: string | undefined};

type Open = Pick<DeliveryRow, 'destination' | 'content' | 'state' | 'lastError' | 'ambiguous'>;

const isOfNumber = ({lastError}: Open) => lastError === suppressedNumber;
const concerns: Readonly<Record<Exclude<Change, 'revoke' | 'erase'>, (row: Open) => boolean>> = {
  send: ({state}) => state !== 'held',
  release: (row) => row.state === 'held' && !isOfNumber(row) && row.lastError !== whyElsewhere(row.content),
  allow: (row) => row.state === 'held' && isOfNumber(row),
  drop: () => true,
};

/** What can be done now. @param open the deliveries of the lead that have not ended */
export function possibleChanges(
  open: readonly Open[],
  {erasedAt, revoked}: {erasedAt: number | null; revoked?: LeadIdentity['revoked']},
): Change[] {
  return changes.filter((change) => {
    if (change === 'erase') return erasedAt === null;
    if (change === 'revoke') return erasedAt === null && revoked?.scope !== 'all';
    return open.some(concerns[change]);
  });
}

const words: Readonly<Record<Change, {title: string; button: string; cannot: string}>> = {
  send: {title: 'Send again', button: 'Send now', cannot: 'Nothing of it waits to be sent.'},
  release: {title: 'Send it on', button: 'Send it on', cannot: 'Nothing of it is held.'},
  allow: {title: 'Send it on', button: 'Send it on', cannot: 'It is not held because of its number.'},
  drop: {title: 'Drop', button: 'Drop', cannot: 'Nothing of it waits.'},
  revoke: {title: 'Take the consent back', button: 'Stop', cannot: 'Its consent was taken back before.'},
  erase: {title: 'Erase', button: 'Erase for ever', cannot: 'It was erased before.'},
};

/** `erasure`: what confirms that of the erasure alone. */
type Planned = {plan: ChangePlan; rows: readonly Open[]; concerned: readonly string[]; erasure: string};

/** @throws Refusal if it cannot be done now */
export const planChange = async (admin: Admin, input: ChangeInput): Promise<ChangePlan> =>
  (await planned(admin, input)).plan;

async function planned(admin: Admin, {lead: named, change, destination}: ChangeInput): Promise<Planned> {
  const {store, look} = admin;
  const lead = await leadOf(admin, named);
  await look({lead, ...(destination !== undefined && {destination})});
  const record = (await store.findRecords([lead])).get(lead);
  if (!record) throw new Refusal(`There is no lead ${named}.`, 'unknown');
  const open = await store.listDeliveries(maxRows, {lead, destination});
  const state = {erasedAt: isErased(record) ? record.erasedAt : null, revoked: record.revoked};
  if (!possibleChanges(open, state).includes(change)) throw new Refusal(words[change].cannot);
  const {rows = [], concerned = [], erasure = '', does} = await effectsOf(admin, lead, change, open);
  const facts = rows.map((row) => [row.destination, row.content, row.state].join(' '));
  const digest = createHash('sha256');
  const {title, button} = words[change];
  const plan = {
    ...{change, lead, reference: referenceOf(lead), destination: destination ?? null},
    ...{title: `${title}: ${referenceOf(lead)}`, does, button, needsReason: change === 'allow'},
    confirm: digest.update([change, lead, ...facts, ...concerned, erasure].join('\n')).digest('base64url'),
  };
  return {plan, rows, concerned, erasure};
}

/** Deliveries of a lead, at most. */
const maxRows = 200;

type Effects = Partial<Omit<Planned, 'plan'>> & {does: string[]};

async function effectsOf(
  admin: Admin,
  lead: string,
  change: Change,
  open: readonly Open[],
): Promise<Effects> {
  if (change === 'erase') return effectsOfErasing(admin, lead);
  if (change === 'revoke') return effectsOfRevoking(admin, lead);
  const rows = open.filter(concerns[change]);
  const paused = new Map((await admin.store.pausedDestinations()).map((each) => [each.destination, each]));
  const isPaused = [...new Set(rows.map(({destination}) => destination))].flatMap((name) => {
    const {reason} = paused.get(name) ?? {};
    return reason === undefined
      ? []
      : `${name} is paused (${reason}), so it goes there once ${name} is resumed.`;
  });
  const does = rows.flatMap(({destination, content, ambiguous}) => {
    const what = contentWords[content];
    if (change === 'drop') {
      const refused = `The lead counts as refused, because ${destination} was to answer it.`;
      return [`${destination} never gets ${what}.`, ...(content === 'lead' ? [refused] : [])];
    }
    const maybe = `${destination} may have it already: nobody knows what became of ${counted(ambiguous, 'attempt')}.`;
    return [`${destination} gets ${what} now.`, ...(ambiguous > 0 ? [maybe] : [])];
  });
  const number =
    'Somebody with this number took a consent back before. Later leads with it are held all the same.';
  const more = change === 'drop' ? [] : isPaused;
  return {rows, does: [...(change === 'allow' ? [number] : []), ...does, ...more]};
}

async function effectsOfErasing(admin: Admin, lead: string): Promise<Effects> {
  const {leads, confirm} = await planErasure(admin, {leads: [lead], all: false});
  const going = leads.filter(({changes}) => changes);
  const of = (reference: string) => (going.length > 1 ? `${reference} ` : '');
  const does = going.flatMap((each) =>
    erasureFields(each).map(([name, value]) => `${of(each.reference)}${name}: ${value}`),
  );
  return {does, erasure: confirm};
}

async function effectsOfRevoking(admin: Admin, lead: string): Promise<Effects> {
  // Whoever stops reading at this point has changed nothing.
  for await (const so of revokeConsent(admin, {who: lead}))
    if ('concerns' in so)
      return {
        concerned: so.concerns,
        does: [
          `Nothing of ${so.concerns.join(', ')} goes out any more.`,
          'Those who had it are told to stop calls and messages.',
          `Later leads with the same number are held until somebody decides.`,
        ],
      };
  throw new Error('A consent was taken back without a word before');
}

/**
 * @returns in a sentence, what was done
 * @throws Refusal if the plan would be another one by now
 */
export async function makeChange(
  admin: Admin,
  {confirm, reason, ...input}: ChangeInput & {confirm: string; reason?: string | undefined},
): Promise<string> {
  const now = await planned(admin, input);
  const {lead, reference, change, needsReason} = now.plan;
  if (now.plan.confirm !== confirm)
    throw new Refusal('Nothing was changed, because the lead has changed meanwhile: look again');
  if (needsReason && !reason?.trim()) throw new Refusal('Nothing was changed: say why, which is kept.');
  if (change === 'revoke') return revoke(admin, now);
  if (change === 'erase') return erase(admin, now);
  if (change === 'allow') {
    await allowConsent(admin, {who: lead, reason: reason?.trim() ?? ''});
    return `${reference} is sent now.`;
  }
  let many = 0;
  let last: Changed | undefined;
  const each = new Map(
    now.rows.map(({destination, state}) => [`${destination} ${state}`, {destination, state}]),
  );
  for (const one of each.values()) {
    last = await (change === 'drop' ? dropDeliveries : retryDeliveries)(admin, {lead, ...one});
    many += last.deliveries;
  }
  if (many === 0) throw new Refusal(last?.why_none ?? words[change].cannot);
  return change === 'drop'
    ? `${counted(many, 'delivery was', 'deliveries were')} dropped.`
    : `${counted(many, 'delivery is', 'deliveries are')} due now.`;
}

async function revoke(admin: Admin, {plan: {lead}, concerned}: Planned): Promise<string> {
  let many = 0;
  for await (const so of revokeConsent(admin, {who: lead})) {
    if ('concerns' in so && so.concerns.join() !== concerned.join())
      throw new Refusal('Nothing was changed, because another lead came meanwhile: look again');
    if ('revoked' in so) many += 1;
    // Nobody waits here for what a process has begun.
    if ('underWayUntil' in so)
      return `The consent of ${counted(many, 'lead')} is taken back. A process may be sending something right now, for some seconds.`;
  }
  return `The consent of ${counted(many, 'lead')} is taken back. Nothing of it goes out any more.`;
}

async function erase(admin: Admin, {plan: {lead, reference}, erasure}: Planned): Promise<string> {
  let waited = 0;
  for await (const so of eraseLeads(admin, {leads: [lead], all: false, confirm: erasure})) {
    if ('waiting' in so) waited += 1;
    // The second report comes after half a minute.
    if (waited > 1)
      return `${reference} is erased, but old copies are still in the files of the database, which something reads: run "lead-prequal leads erase ${reference}" later.`;
  }
  return `${reference} is erased.`;
}
