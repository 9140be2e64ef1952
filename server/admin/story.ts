/** What happened to one lead, as sentences, the newest first. */
import {totalAmount, type Amounts} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {formatMoney} from '../../form/format-money.ts';
import type {AuditEntry} from '../leads/audit.ts';
import {collectingTime} from '../config/destinations.ts';
import {endedStates, type DeliveryRow} from '../leads/deliveries.ts';
import type {FullLead, LeadOutline} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {Revocation} from '../leads/stored-lead.ts';
import {explained} from '../observe/causes.ts';
import type {Admin} from './admin.ts';
import {contentWords, storedOf} from './deliveries.ts';
import {printable} from './visible.ts';
import {counted} from './words.ts';

/**
 * Times are milliseconds since 1970. `soon` is not over: it stands first. `next`: when it is tried again. `send`: the destination to
 * which it can be sent now.
 */
export type StoryEvent = {
  at: number;
  kind: 'good' | 'bad' | 'soon' | 'plain';
  title: string;
  text: string | null;
  next: number | null;
  send: string | null;
};

/** What is known of the lead besides its outline. `full` is missing for those who see no persons, and if it cannot be opened. */
export type Told = {
  outline: LeadOutline;
  open: readonly DeliveryRow[];
  full?: FullLead | undefined;
  amounts?: Amounts | null | undefined;
  duplicates?: readonly string[] | undefined;
  supersededBy?: readonly string[] | undefined;
  revoked?: Revocation | undefined;
};

/** Entries of the audit, at most. */
const maxEntries = 20;

const event = (at: number, title: string, more: Partial<StoryEvent> = {}): StoryEvent => ({
  ...{at, kind: 'plain', title, text: null, next: null, send: null},
  ...more,
});

export async function storyOf(admin: Admin, told: Told, seesPersons: boolean): Promise<StoryEvent[]> {
  const {store} = admin;
  const {id, createdAt, erasedAt} = told.outline;
  const ended = await storedOf(
    admin,
    id,
    endedStates.filter((state) => state !== 'skipped'),
  );
  const paused = new Map((await store.pausedDestinations()).map((each) => [each.destination, each.reason]));
  const deliveries = [...told.open, ...ended];
  const [request] = await store.erasureRequests(id);
  const looks = await store.auditEntries({lead: id, since: createdAt}, maxEntries);
  const events = [
    ...ofLead(told, deliveries),
    ...deliveries.map((row) => ofDelivery(admin, row, seesPersons, paused.get(row.destination))),
    ...looks.map((entry) => ofLook(entry, seesPersons)),
    ...(erasedAt === null ? [] : [event(erasedAt, 'Erased')]),
  ];
  if (request)
    events.push(
      event(request.requestedAt, 'Asked to be erased', {kind: 'soon', text: 'An operator decides.'}),
    );
  const isSoon = ({kind}: StoryEvent) => Number(kind === 'soon');
  return (
    events
      .toSorted((one, other) => isSoon(other) - isSoon(one) || other.at - one.at)
      // Somebody who opens it again and again has done so once.
      .filter(({kind, title}, index, all) => kind !== 'plain' || title !== all[index - 1]?.title)
  );
}

function ofLead({outline, full, amounts, revoked, ...others}: Told, deliveries: readonly DeliveryRow[]) {
  const {createdAt, partner, status} = outline;
  const events = [
    event(createdAt, partner === null ? 'Came from a caller of the API' : 'Sent the form', {kind: 'good'}),
  ];
  const upstream = deliveries.find(({content, state}) => content === 'lead' && state === 'delivered');
  const total = amounts ? `: ${formatMoney(amounts[totalAmount], 'en-US')}` : '';
  const version = full?.answer.status === 'done' ? full.answer.policyVersion : null;
  const by = upstream
    ? `by ${upstream.destination}`
    : version !== null && `by the calculator, figures of ${printable(version)}`;
  if (status === 'done' && outline.erasedAt === null)
    // Above the form that was sent in the same millisecond.
    events.unshift(
      event(upstream?.settledAt ?? createdAt, `Answered${total}`, {kind: 'good', text: by || null}),
    );
  if (full?.supersedes) events.push(event(createdAt, `Corrects ${referenceOf(full.supersedes)}`));
  if (full?.duplicateOf) events.push(event(createdAt, `The same as ${referenceOf(full.duplicateOf)}`));
  for (const id of others.duplicates ?? [])
    events.push(event(createdAtOf(id), `Came again as ${referenceOf(id)}`));
  for (const id of others.supersededBy ?? [])
    events.push(event(createdAtOf(id), `Corrected by ${referenceOf(id)}`));
  if (revoked) {
    const text = `For ${revoked.scope === 'all' ? 'everybody' : 'this partner'}.`;
    events.push(event(revoked.at, 'Took the consent back', {kind: 'bad', text}));
  }
  return events;
}

function ofDelivery(
  {config}: Admin,
  row: DeliveryRow,
  seesPersons: boolean,
  pause: string | undefined,
): StoryEvent {
  const {destination, content, state, attempts} = row;
  const what = content === 'confirmation' ? 'the confirmation' : contentWords[content];
  const over = row.settledAt ?? row.happenedAt;
  if (state === 'delivered')
    return event(
      over,
      content === 'confirmation' ? 'Confirmation sent to the visitor' : `${destination} got ${what}`,
      {
        kind: 'good',
      },
    );
  if (state === 'dropped' || state === 'skipped') return event(over, `${destination} does not get ${what}`);
  // What an upstream answers may quote what strangers wrote.
  const error = seesPersons && row.lastError !== null ? explained(row.lastError) : {text: '', remedy: null};
  const tried = attempts > 0 ? `Tried ${counted(attempts, 'time')}` : '';
  const paused = pause === undefined ? '' : `It is paused: ${pause}`;
  const sentences = [error.text, error.remedy, paused, tried].filter((one) => !!one);
  const text = sentences.map((one) => `${printable(String(one)).replace(/\.$/, '')}.`).join(' ') || null;
  const at = row.failingSince ?? row.happenedAt;
  if (state !== 'waiting') {
    const how = {held: 'is held for', refused: 'was refused by', failed: 'was given up for'}[state];
    const title = `${what} ${how} ${destination}`.replace(/^t/, 'T');
    return event(at, title, {kind: 'bad', text, send: state === 'held' ? null : destination});
  }
  const settings = config.destinations.get(destination);
  const isCollected = settings !== undefined && collectingTime(settings) > 0 && attempts === 0;
  return event(
    at,
    isCollected ? `In the next e-mail of ${destination}` : `${destination} does not have ${what} yet`,
    {
      ...{kind: 'soon', text, send: destination},
      next: pause === undefined ? row.nextAttemptAt : null,
    },
  );
}

const actions: Readonly<Record<string, string>> = {
  'leads show': 'opened it',
  'consent show': 'read what was agreed',
  'deliveries show': 'looked at its deliveries',
  'deliveries retry': 'sent it again',
  'deliveries drop': 'dropped it',
  'deliveries settle': 'said that the upstream has it',
  'consent allow': 'let it go although the number said stop',
  'consent revoke': 'took its consent back',
  'leads erase': 'looked at what erasing it takes',
  'leads export': 'exported it',
  'leads requests': 'ended the request to erase it',
};

function ofLook({at, actor, action, filter}: AuditEntry, seesPersons: boolean): StoryEvent {
  const who = actor.replace(/^operator /, '').replace(/^./, (letter) => letter.toUpperCase());
  const did = filter['erasure'] === 'confirmed' ? 'erased it' : (actions[action] ?? action);
  const {reason} = filter;
  // Operators may have written what somebody told them.
  const text = seesPersons && typeof reason === 'string' ? `Because: ${printable(reason)}` : null;
  return event(Date.parse(at), `${printable(who)} ${did}`, {text});
}
