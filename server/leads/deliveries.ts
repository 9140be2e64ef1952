/**
 * The types of deliveries. A delivery is stored together with its lead. It is in the outbox while it is waiting, held
 * or refused, and leaves the outbox when it is delivered, or dropped by an operator. All times are milliseconds since
 * 1970.
 */
import type {FormFieldName} from '../../contract/fields.ts';
import type {Lead} from './lead-schema.ts';
import type {NewestOutcome} from './outcomes.ts';
import type {DoneAnswer, LeadIdentity, LeadRecord, Revocation, Tombstone} from './stored-lead.ts';

/**
 * What a delivery takes to its destination.
 * - `lead`: the lead itself, for a destination of kind `lead-api`
 * - `created`: an event: the lead was stored
 * - `answered`: an event: a lead without an answer has got its amounts
 * - `refused`: an event: a lead without an answer was refused
 * - `held`: what servers before 1.8 told mailboxes and rooms of a lead that may be a bot's. Nothing sends it any more
 * - `confirmation`: an e-mail to the visitor, for a destination of kind `confirmation`
 * - `erased`: an event for each destination that may have had one of the lead: it was erased
 * - `revoked`: an event for the same destinations: the visitor revoked the consent
 * - `outcome`: an event for the webhooks that ask for it: what became of the lead (leads/outcomes.ts)
 *
 * A destination of any other kind than `lead-api` and `confirmation` gets only events.
 */
export const deliveryContents = [
  'lead',
  'created',
  'answered',
  'refused',
  'held',
  'confirmation',
  'erased',
  'revoked',
  'outcome',
] as const;
export type DeliveryContent = (typeof deliveryContents)[number];
/** What is stored together with the lead. */
export type FirstContent = Extract<DeliveryContent, 'lead' | 'created' | 'confirmation'>;

/** Identifies a delivery, because a destination gets each content of a lead once. */
export type DeliveryKey = {lead: string; destination: string; content: DeliveryContent};

/**
 * Which recipients of an e-mail do not have it, once some have it. `left` are tried again. `refused` are not: the mail
 * server refuses them for good. Each of these texts is an address and the status, such as `old@example.com (550)`.
 */
export type Recipients = {left: readonly string[]; refused: readonly string[]};

/** A delivery that is stored together with its lead. */
export type NewDelivery = {
  destination: string;
  content: FirstContent;
  /** True if the destination answers the lead, false if it only receives the lead. */
  givesAnswer: boolean;
  state: 'waiting' | 'held';
  /** For which kind and address of the destination it is (`addressOf` in config/destinations.ts). Null: for any. */
  address?: string | null;
  nextAttemptAt: number;
  /** If given, the process that stores the lead also delivers it. No other process may do so until this time. */
  leaseEnd?: number | undefined;
};

/**
 * A delivery that there will be if the amounts are those of a rule, or none of another one (leads/routing.ts).
 * - `least`: the total from which on there is. Null: if no other one of the lead becomes a delivery
 */
export type OpenRoute = Pick<NewDelivery, 'destination' | 'content' | 'address'> & {least: number | null};

/**
 * What a delivery takes to its destination: the lead, an event of it, or an event for those who had it, which names nobody.
 * `contact` is for mailboxes alone that have the names of leads. `outcome` is the one that stood then. Undefined if the lead was erased or cannot be read.
 */
export type Delivered =
  | {lead: LeadRecord; content: Exclude<DeliveryContent, ForReceivers>; outcome?: NewestOutcome | undefined}
  | {lead: Tombstone; content: 'erased'}
  | {lead: LeadIdentity & {revoked: Revocation}; content: 'revoked'; contact: Contact | undefined};
export type Contact = Pick<Lead, 'first_name' | 'last_name' | 'phone' | 'email'>;

/**
 * A delivery that a process has claimed and attempts now.
 * - `happenedAt`: when the lead was stored, or got the answer that the delivery is about
 * - `failingSince`: when the first of the attempts failed that count towards giving up; null if none has failed
 * - `remoteId`: the id that the destination gave to the lead; null while it is unknown
 * - `attempts`: the number of earlier attempts
 * - `ambiguousCounted`: how many of the attempts left it unknown whether the destination has the lead. Attempts during
 *   an outage of the destination are not counted
 * - `recipients`: null while no recipient of an e-mail has it, and for all other destinations
 * - `address`: as of a `NewDelivery`. Null for one that was stored before version 1.5, too
 * - `leaseEnd`: from this time on, another process may claim the delivery
 */
export type DueDelivery = Delivered & {
  destination: string;
  happenedAt: number;
  failingSince: number | null;
  remoteId: string | null;
  attempts: number;
  ambiguousCounted: number;
  recipients: Recipients | null;
  address: string | null;
  leaseEnd: number;
};

/**
 * Events of stops and erasures. Such an event must not reach an address that had nothing of the lead: no operator can accept
 * another one for it. It is never given up: it ends when it arrives, or when an operator drops it by name
 * (`DeliveryFilter.stops`).
 */
export const onlyForReceivers: readonly DeliveryContent[] = ['erased', 'revoked'];
export type ForReceivers = Extract<DeliveryContent, 'erased' | 'revoked'>;
export const isForReceivers = <Given extends {content: DeliveryContent}>(
  given: Given,
): given is Extract<Given, {content: ForReceivers}> => onlyForReceivers.includes(given.content);

/**
 * Why a delivery is held or waits, where that is no error of an attempt. It is stored in place of an
 * error, and stays as that does until the next attempt.
 * - `suspect`: held, because a bot may have sent the lead
 * - `suppressed`: held, because the number is among those that revoked a consent, or could not be compared
 * - `elsewhere`: held until an operator accepts it, because the destination has another address or type now
 * - `former`: the event of a stop or an erasure waits for the former address, because no other one may hear it
 */
export const deliveryReasons = ['suspect', 'suppressed', 'elsewhere', 'former'] as const;
export type DeliveryReason = (typeof deliveryReasons)[number];

/** What operators read in place of an error: nothing of a suspect, because its lead says why it is one. */
export const reasonWords = {
  suspect: null,
  suppressed:
    'Somebody with this number took the consent back before: "lead-prequal consent allow" sends it, with a reason',
  elsewhere:
    'The destination has another address or type than when this was stored: "lead-prequal destinations accept" sends it to the new one',
  former:
    'The destination had the lead at another address, and the one of now must not hear of it: tell the former one by hand, then drop this',
} as const satisfies Record<DeliveryReason, string | null>;

/**
 * A lease that the store may have given in a commit whose reply was lost, so that this process has begun nothing under
 * it. `lead` is missing if the commit would have claimed deliveries of any leads.
 */
export type UnusedLease = {leaseEnd: number} & ({lead: string} | {dueAgain: number});

/**
 * What `claimDue` is to claim.
 * - `dueAgain`: when the deliveries are due again if nobody reports, a random time after `leaseEnd`, or at once. The two times
 *   together tell this claim from those of other processes
 * - `limit`: how many deliveries, at most
 * - `maxSends`: a lead that may have been sent so often is held, and not claimed
 * - `unused`: these leases end first, so that nobody takes the deliveries for ones that may have been sent
 * - `onlyForReceivers`: nothing but the events of stops and erasures
 */
export type Claim = {
  now: number;
  leaseEnd: number;
  dueAgain?: number;
  limit: number;
  maxSends: number;
  unused?: readonly UnusedLease[];
  onlyForReceivers?: boolean;
};

/**
 * How an attempt failed, and when the next attempt is due (`until`).
 * - `tried`: a request was sent to the destination
 * - `ambiguous`: it is unknown whether the destination has the lead now
 * - `isCounted`: this attempt counts towards the limit of ambiguous attempts, after which the delivery is held
 * - `state`: `held` if the next attempt must wait for an operator's decision, `failed` if the delivery is given up, else
 *   `waiting`
 * - `reason`: in place of an error, if nothing was attempted because of it
 * - `excerpt`: the first characters of the reply, for operators. They may hold personal data
 * - `recipients`: null if the attempt changed nothing about them
 */
export type Postponed = {
  until: number;
  error: string | null;
  tried: boolean;
  ambiguous: boolean;
  isCounted: boolean;
  state: 'waiting' | 'held' | 'failed';
  reason?: DeliveryReason;
  excerpt: string | null;
  recipients: Recipients | null;
};

/**
 * What a destination decided about a lead.
 * - `delivered`: the destination has the lead; `answer` is null if the destination only receives leads. `note` says what
 *   came back, for an operator who tests the destination. `recipients` is missing if all of them have the e-mail
 * - `refused`: the destination will never accept the lead. The delivery stays in the outbox, where operators read
 *   `reason`. `fields` are those that the destination named, if any
 * - `dropped`: a confirmation will not be sent any more. It leaves the outbox, because an operator can do nothing about it
 * - `skipped`: nothing is sent, because the destination has not chosen this type of event, or people were told of the same
 *   lead before
 */
export type Settlement =
  | {state: 'delivered'; answer: DoneAnswer | null; note?: string; recipients?: Recipients}
  | {state: 'refused'; reason: string; fields?: readonly FormFieldName[]}
  | {state: 'dropped'; reason: string}
  | {state: 'skipped'; reason: string};

/** What a visitor's confirmation needs besides the lead. It is stored with the lead, and forgotten after a day. */
export type ConfirmationRequest = {
  partner: string;
  /** A digest of the address, under which no other confirmation may be sent for a day. */
  address: string;
  /** Digests of the visitor's network, and of those around it that have limits of their own, the narrowest first. */
  networks: readonly string[];
  /** The language of the form, such as `es-US`. */
  language: string;
};

/** Milliseconds after its lead in which a confirmation may be sent. Later, a visitor would wonder about it. */
export const confirmationLifetime = 3_600_000;

/** How many confirmations may be sent within an hour. */
export type ConfirmationLimits = {
  /** To each of `ConfirmationRequest.networks`. */
  ofNetworks: readonly number[];
  ofPartner: number;
  /** How many of `ofPartner` are kept for networks around which there was none within an hour. */
  kept: number;
};

/**
 * Whether a confirmation may be sent, and if not, which limit is reached.
 * - `address`: the address has had one within the last day
 * - `network`, `partner`: `ConfirmationLimits`
 */
export const confirmationDecisions = ['granted', 'address', 'network', 'partner'] as const;
export type ConfirmationDecision = (typeof confirmationDecisions)[number];

/**
 * The states of a delivery in the outbox. All but `waiting` wait for an operator.
 * - `held`: an operator must decide whether it may be sent
 * - `refused`: the destination will never accept it
 * - `failed`: it was given up after days of failing
 */
export const openStates = ['waiting', 'held', 'refused', 'failed'] as const;
export type OpenState = (typeof openStates)[number];

/**
 * A destination that gets nothing until an operator resumes it. `isGone`: no operator has paused it, but it asked for nothing
 * more (410). Then events of stops and erasures are still tried.
 */
export type PausedDestination = {destination: string; pausedAt: number; reason: string; isGone?: boolean};

/** When an operator last ended the break that a destination had asked for, or got because it failed. */
export type BreakEnd = {destination: string; endedAt: number};

/**
 * The states of a delivery that has ended.
 * - `dropped`: by an operator, or a confirmation by itself
 * - `skipped`: an event of a type that the destination has not chosen, or of a lead that people had before. It stands in the
 *   store all the same, because `announce` tells of an answer those destinations that have a delivery of the lead
 */
export const endedStates = ['delivered', 'dropped', 'skipped'] as const;

export const deliveryStates = [...openStates, ...endedStates] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const hasEnded = (state: DeliveryState | undefined): boolean =>
  endedStates.some((ended) => ended === state);

/** A delivery as operators see it. */
export type DeliveryRow = DeliveryKey & {
  state: DeliveryState;
  happenedAt: number;
  attempts: number;
  /** How many attempts left it unknown whether the destination has the lead, including those during outages. */
  ambiguous: number;
  nextAttemptAt: number;
  /** Until this time a process may be working on the delivery; 0 if none is. */
  leasedUntil: number;
  failingSince: number | null;
  reason: DeliveryReason | null;
  /** If there is a reason, this is the reason in words. */
  lastError: string | null;
  /** The id that the destination gave to the lead. */
  remoteId: string | null;
  recipients: Recipients | null;
  /** When the delivery ended, or null while it is in the outbox. */
  settledAt: number | null;
  address: string | null;
  /** Where it may have arrived, too, before an operator accepted `address`. */
  formerAddresses: readonly string[];
};

/** Where an address of a destination is (`placeOf` in config/destinations.ts), and its first and last use, 0 before that. */
export type AddressUse = {
  destination: string;
  address: string;
  place: string;
  firstUsed: number;
  lastUsed: number;
};

/**
 * Selects deliveries. Without `state` these are the deliveries in the outbox. `since` (inclusive) and `until`
 * (exclusive) are times at which leads were created.
 */
export type DeliveryFilter = {
  lead?: string | undefined;
  destination?: string | undefined;
  content?: DeliveryContent | undefined;
  state?: DeliveryState | undefined;
  /** Only deliveries whose last attempt failed. */
  failing?: boolean | undefined;
  /** True: only events of stops and erasures. False: all but those. */
  stops?: boolean | undefined;
  /** Only deliveries that are for another address of their destination than this one. */
  elsewhere?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
};

/**
 * The events of stops, or of erasures, that one address of a destination has not heard. `since`: when the first of them happened.
 * `latestAttempt`: when the last of them is due.
 */
export type Unheard = {
  destination: string;
  content: ForReceivers;
  address: string | null;
  leads: number;
  since: number;
  latestAttempt: number;
};

/** `oldest` is the id of the oldest lead. An id is a UUID version 7, so its first 48 bits are the time of the lead. */
export type OutboxCount = {destination: string; state: OpenState; deliveries: number; oldest: string};

/**
 * What `settleAs` did. All outcomes but `settled` change nothing.
 * - `absent`: the lead waits for no destination that takes leads
 * - `several`: the lead waits for several such destinations, and the call did not name one
 * - `stopped`: the lead is held because of its number
 * - `under-way`: a process is working on the delivery right now
 * - `taken-already`: the id that the destination gave to the lead is stored already
 */
export type Settled = 'settled' | 'absent' | 'several' | 'stopped' | 'under-way' | 'taken-already';
