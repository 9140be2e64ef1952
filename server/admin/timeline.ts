/** The timeline of one lead: what happened to it, as sentences, the newest first. */
import {totalAmount, type Amounts} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {formatMoney} from '../../form/format-money.ts';
import type {AuditEntry, AuditStore} from '../leads/audit.ts';
import {endedStates, type DeliveryRow} from '../leads/deliveries.ts';
import type {FullLead, LeadOutline} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {DeliveryReader} from '../leads/ports.ts';
import {outcomeWords, type OutcomeEntry} from '../leads/outcomes.ts';
import {dueAt, type PrivacyRequestReader, type RequestKind} from '../leads/privacy-requests.ts';
import {everybody} from '../leads/revocation.ts';
import type {Revocation} from '../leads/stored-lead.ts';
import {explained} from '../observe/causes.ts';
import type {With} from './admin.ts';
import {actorIn, didOf} from './audit-words.ts';
import {contentWords, storedOf} from './deliveries.ts';
import {outcomeText} from './outcomes.ts';
import type {StopRow} from './stops.ts';
import {printable, visible} from './visible.ts';
import {actorName, counted, localDay, maxOthers} from './words.ts';

/**
 * Times are milliseconds since 1970. An event of the kind `soon` is still to come, and is listed first. `next`: the time of the
 * next attempt. `send`: the destination to which it can be sent now. `lead`: the id of another lead that the title names. `by`: who
 * recorded it. `note`: what that person wrote.
 */
export type TimelineEvent = {
  at: number;
  kind: 'good' | 'bad' | 'soon' | 'plain';
  title: string;
  text: string | null;
  next: number | null;
  send: string | null;
  lead: string | null;
  by: string | null;
  note: string | null;
};

/** What is known of the lead. `full` is missing if it cannot be decrypted, or if the operator may not see personal data. */
type Known = {
  outline: LeadOutline;
  open: readonly DeliveryRow[];
  full?: FullLead | undefined;
  amounts?: Amounts | null | undefined;
  duplicates?: readonly string[] | undefined;
  supersededBy?: readonly string[] | undefined;
  revoked?: Revocation | undefined;
  /** What came of calls, the oldest first. */
  outcomes: readonly OutcomeEntry[];
  /** Stops, questions and decisions about the number. */
  stops?: readonly StopRow[] | undefined;
};

/** The maximum number of entries from the audit. */
const maxEntries = 20;

const nothingMore = {text: null, next: null, send: null, lead: null, by: null, note: null};
const event = (at: number, title: string, more: Partial<TimelineEvent> = {}): TimelineEvent => ({
  ...{at, kind: 'plain', title, ...nothingMore},
  ...more,
});

const askedFor = {
  erase: 'Asked to be erased',
  know: 'Asked what is stored',
  correct: 'Asked to correct something',
} as const satisfies Record<RequestKind, string>;

export async function timelineOf(
  admin: With<DeliveryReader & PrivacyRequestReader & AuditStore>,
  known: Known,
  seesPersons: boolean,
): Promise<TimelineEvent[]> {
  const {store} = admin;
  const {id, createdAt, erasedAt} = known.outline;
  const shownStates = endedStates.filter((state) => state !== 'skipped');
  const ended = await storedOf(admin, id, shownStates);
  const paused = new Map((await store.pausedDestinations()).map((each) => [each.destination, each.reason]));
  const deliveries = [...known.open, ...ended];
  const requests = await store.requests({lead: id, isEnded: false});
  const accesses = await store.auditEntries({lead: id, since: createdAt, isListed: false}, maxEntries);
  const [sent, ...others] = ofLead(known, deliveries);
  // The sort is stable: of events with the same time, a consequence is listed above its cause.
  const events = [
    ...(erasedAt === null ? [] : [event(erasedAt, 'Erased')]),
    ...others,
    ...deliveries.map((row) => ofDelivery(row, seesPersons, paused.get(row.destination))),
    ...accesses.filter(({action}) => action !== 'leads note').map((entry) => ofAccess(entry, seesPersons)),
    ...outcomesIn(known.outcomes, seesPersons),
    ...(sent ? [sent] : []),
  ];
  const hold = seesPersons && (await store.keptLeads(Date.now())).get(id);
  if (hold) {
    const text = `Until ${localDay(hold.until)}: ${printable(hold.reason)}`;
    events.push(event(hold.enteredAt, 'Kept for a lawsuit', {kind: 'soon', text}));
  }
  for (const {kind, askedAt} of requests) {
    const text = `An operator decides, by ${localDay(dueAt({askedAt}))}.`;
    events.push(event(askedAt, askedFor[kind], {kind: 'soon', text}));
  }
  const isSoon = ({kind}: TimelineEvent) => Number(kind === 'soon');
  return (
    events
      .toSorted((one, other) => isSoon(other) - isSoon(one) || other.at - one.at)
      // Repeated visits by the same operator are one event.
      .filter(({kind, by, title}, index, all) => kind !== 'plain' || by || title !== all[index - 1]?.title)
  );
}

const outcomesIn = (entries: readonly OutcomeEntry[], seesPersons: boolean): TimelineEvent[] =>
  entries
    .filter(({undoes}) => undoes === null)
    .map(({id, at, actor, outcome, amount, note}) => {
      const isUndone = entries.some(({undoes}) => undoes === id);
      const what = outcome === null ? 'Note' : outcomeText({outcome, amount: seesPersons ? amount : null});
      const kind = outcome !== null && !isUndone && kindOf[outcomeWords[outcome][1]];
      return event(at, `${what}${isUndone ? ', taken back' : ''}`, {
        kind: kind || 'plain',
        by: actorName(actor),
        note: seesPersons && note !== null ? visible(note) : null,
      });
    });
const kindOf = {ok: 'good', no: 'bad', wait: 'plain', gone: 'plain'} as const;

/** The events of the lead itself. The first one says that the lead was sent. */
function ofLead({outline, full, amounts, revoked, ...others}: Known, deliveries: readonly DeliveryRow[]) {
  const {createdAt, partner, status, supersedes, revokedAt} = outline;
  const came = partner === null ? 'Came from a caller of the API' : 'Sent the form';
  const events = [event(createdAt, came, {kind: 'good'})];
  const upstream = deliveries.find(({content, state}) => content === 'lead' && state === 'delivered');
  const total = amounts ? `: ${formatMoney(amounts[totalAmount], 'en-US')}` : '';
  const version = full?.answer.status === 'done' ? full.answer.policyVersion : null;
  const by = upstream
    ? `by ${upstream.destination}`
    : version !== null && `by the calculator, figures of ${printable(version)}`;
  if (status === 'done' && outline.erasedAt === null)
    events.push(
      event(upstream?.settledAt ?? createdAt, `Answered${total}`, {kind: 'good', text: by || null}),
    );
  const naming = (at: number, what: string, lead: string) =>
    events.push(event(at, `${what} ${referenceOf(lead)}`, {lead}));
  if (supersedes !== null) naming(createdAt, 'Corrects', supersedes);
  if (full?.duplicateOf) naming(createdAt, 'The same as', full.duplicateOf);
  const later = [
    ['Came again as', others.duplicates],
    ['Corrected by', others.supersededBy],
  ] as const;
  for (const [what, ids = []] of later) {
    const [newest, earlier] = [ids.slice(-maxOthers), ids.slice(0, -maxOthers)];
    for (const id of newest) naming(createdAtOf(id), what, id);
    const last = earlier.at(-1);
    if (last !== undefined)
      events.push(event(createdAtOf(last), `${what} ${counted(earlier.length, 'earlier lead')}`));
  }
  const said = (others.stops ?? []).map((row) => ofStop(row));
  if (revokedAt !== null && !said.some(({at}) => at === revokedAt)) {
    const text = revoked ? `For ${revoked.scope === 'all' ? 'everybody' : 'this partner'}.` : null;
    events.push(event(revokedAt, 'Said stop', {kind: 'bad', text}));
  }
  return [...events, ...said];
}

const stopTitles = {
  stop: 'Said stop',
  ask: 'Somebody with another address asked to stop the number',
  allow: 'The number was let go',
} as const;

function ofStop({what, for: scope, asked_at, entered_at, way, reason}: StopRow): TimelineEvent {
  const entered = entered_at === asked_at ? null : `entered on ${entered_at?.slice(0, 10)}`;
  const facts = [scope === everybody ? 'for everybody' : 'for this partner', way && `by ${way}`, entered];
  const text = `${facts.filter(Boolean).join(', ').replace(/^f/, 'F')}.${reason === null ? '' : ` ${reason}`}`;
  const at = Date.parse(asked_at ?? '');
  return event(at, stopTitles[what], {kind: what === 'allow' ? 'plain' : 'bad', text: printable(text)});
}

function ofDelivery(row: DeliveryRow, seesPersons: boolean, pause: string | undefined): TimelineEvent {
  const {destination, content, state, attempts} = row;
  const what = content === 'confirmation' ? 'the confirmation' : contentWords[content];
  const over = row.settledAt ?? row.happenedAt;
  if (state === 'delivered') {
    const got =
      content === 'confirmation' ? 'Confirmation sent to the visitor' : `${destination} got ${what}`;
    return event(over, got, {kind: 'good'});
  }
  if (state === 'dropped' || state === 'skipped') return event(over, `${destination} does not get ${what}`);
  // The reply of an upstream may quote personal data.
  const error = seesPersons && row.lastError !== null ? explained(row.lastError) : {text: '', remedy: null};
  const tried = attempts > 0 ? `Tried ${counted(attempts, 'time')}` : '';
  const paused = pause === undefined ? '' : `It is paused${seesPersons ? `: ${pause}` : ''}`;
  const sentences = [error.text, error.remedy, paused, tried].filter((one) => !!one);
  const text = sentences.map((one) => `${printable(String(one)).replace(/\.$/, '')}.`).join(' ') || null;
  const at = row.failingSince ?? row.happenedAt;
  if (state !== 'waiting') {
    const how = {held: 'is held for', refused: 'was refused by', failed: 'was given up for'}[state];
    const title = `${what} ${how} ${destination}`.replace(/^t/, 'T');
    return event(at, title, {kind: 'bad', text, send: state === 'held' ? null : destination});
  }
  // The time of a delivery that is due at once is in the past, and may be 0.
  const next = pause === undefined && row.nextAttemptAt > Date.now() ? row.nextAttemptAt : null;
  return event(at, `${destination} does not have ${what} yet`, {kind: 'soon', text, send: destination, next});
}

function ofAccess(entry: AuditEntry, seesPersons: boolean): TimelineEvent {
  const {at, filter} = entry;
  const {reason} = filter;
  // An operator's reason may contain personal data.
  const text = seesPersons && typeof reason === 'string' ? `Because: ${printable(reason)}` : null;
  return event(Date.parse(at), printable(`${actorIn(entry)} ${didOf(entry)}`), {text});
}
