/**
 * The part of the store that keeps who revoked a consent. A lead whose consent was revoked goes nowhere any more, and
 * later leads with its telephone number are held until an operator decides. Both outlive the erasure of the lead.
 */

import type {LeadIdentity, RevocationScope} from './stored-lead.ts';
import type {KnownPerson, BlindIndexes} from './persons.ts';

/**
 * For whom a number is suppressed: the key of a partner, `-:` and the `cid` for the callers of `/json/leads` who send for that
 * client, `*` for all. Before version 2.0, all callers had the scope `-`, which still means all of them.
 */
export const everybody = '*';
export const allCallers = '-';
const callersOf = (cid: string) => `${allCallers}:${encodeURIComponent(cid)}`;
/** Whose lead it is. */
type Sender = {partner: string | null; cid: string};
/** What a stop for the sender of a lead reaches: a partner's holds callers' leads of its client, too, and never those of another partner. */
export const scopesOf = ({partner, cid}: Sender): string[] =>
  partner === null ? [callersOf(cid)] : [partner, callersOf(cid)];
/** The scopes besides `everybody` that hold a lead of the sender. */
export const holdersOf = ({partner, cid}: Sender): [own: string, wider: string] =>
  partner === null ? [callersOf(cid), allCallers] : [partner, partner];
export const isInScopes = (sender: Sender, scopes: readonly string[]): boolean =>
  [everybody, ...holdersOf(sender)].some((scope) => scopes.includes(scope));
export const breadthOf = (scopes: readonly string[]): RevocationScope =>
  scopes.includes(everybody) ? 'all' : 'partner';

/**
 * What is known of a digest.
 * - `number`: somebody with the number said stop: later leads with it are held
 * - `both`: the same, only for leads that also have the address of whoever said so by a link
 * - `mailbox`: the address of a lead that was stopped. Later leads with it are not held
 */
export const suppressionKinds = ['number', 'both', 'mailbox'] as const;
export type SuppressionKind = (typeof suppressionKinds)[number];

/**
 * Times are milliseconds since 1970.
 * - `since`: the day on which it was asked
 * - `askedAt`: of a mailbox: the stop was asked for from it, so whoever calls about a later lead with it is told. Of a number:
 *   somebody with another e-mail address asked, by a link. Its leads are held until an operator decides. If later than
 *   `decidedAt`, an old link was used again, which holds nothing
 * - `decidedAt`, `reason`: when an operator allowed the number, and why
 */
export type Suppression = {
  digest: string;
  scope: string;
  kind: SuppressionKind;
  since: number;
  askedAt: number | null;
  decidedAt: number | null;
  reason: string | null;
};
/** Whether later leads are held. */
export const holds = ({kind, decidedAt}: Suppression): boolean => kind !== 'mailbox' && decidedAt === null;
/** Whether an operator must decide. */
export const isUndecided = ({kind, askedAt, decidedAt}: Suppression): boolean =>
  kind === 'number' && askedAt !== null && (decidedAt === null || decidedAt < askedAt);

/**
 * By which way somebody said stop at a link: `link`: a press of the button on its page; `unsubscribe`: one click in a mail program
 * (RFC 8058). Commands take the words of operators, such as `phone`.
 */
export const linkWays = ['link', 'unsubscribe'] as const;
export type LinkWay = (typeof linkWays)[number];

/**
 * One of the things that were said about a number. Nothing is ever changed or taken away. Times are milliseconds since 1970.
 * - `kind`: `stop`; `ask`, which an operator must decide; `allow`, an operator's decision
 * - `digest`: of the number. Empty if it is not known
 * - `lead`: the lead by whose link it was said, or that was named
 * - `askedAt`: when the person said so, which an operator may enter later, at `enteredAt`
 */
export type StopEvent = {
  id: string;
  kind: 'stop' | 'ask' | 'allow';
  digest: string;
  scope: string;
  lead: string | null;
  askedAt: number;
  enteredAt: number;
  way: string | null;
  reason: string | null;
};

/** Which digests a stop suppresses, and for whom. `asks`: the numbers are only to be decided about. `byMailbox`: it came by the mailbox. */
export type Suppressing = Record<SuppressionKind, readonly string[]> & {
  scopes: readonly string[];
  asks?: boolean;
  byMailbox?: boolean;
  since: number;
};

export type StopReader = {
  /** The digests of people, in their order. @throws DecryptionError when their key cannot be opened */
  digestsOfPeople(people: readonly KnownPerson[]): Promise<BlindIndexes[]>;
  /** The oldest first: of these numbers, or by the links of these leads. */
  stopEvents(of: {
    digests?: readonly string[];
    leads?: readonly string[];
    ids?: readonly string[];
  }): Promise<StopEvent[]>;
  /** What was asked in this time, the newest first: everything but operators' decisions. */
  stopsAsked(since: number, until: number): Promise<StopEvent[]>;
  /** Until when a process may be sending one of these leads, or an event of it. Milliseconds since 1970, 0 if none is. */
  underWayUntil(ids: readonly string[]): Promise<number>;
  /** The newest first. @param digests only these */
  suppressions(digests?: readonly string[]): Promise<Suppression[]>;
  /** The ids of leads that are held because of their numbers, and have deliveries that wait. */
  heldLeads(): Promise<string[]>;
  isRevokeToken(id: string, token: string): Promise<boolean>;
  /**
   * Up to which time the lines of the file of erasures are known here. 0 if that was never noted. `wasWritten`: there was a file with
   * lines of this store.
   */
  erasuresKnown(): Promise<{until: number; wasWritten: boolean}>;
};

export type RevocationStore = StopReader & {
  /**
   * Suppresses what has these digests, and notes the events. From its commit on, later leads with them are held. It waits for
   * leads that are being stored, so that leads which are found after it are all that may be sent.
   */
  suppress(suppressing: Suppressing, events: readonly StopEvent[]): Promise<void>;
  /** Notes what was said, where nothing is suppressed by it. */
  noteStops(events: readonly StopEvent[]): Promise<void>;
  /**
   * Revokes the consent of one lead: its deliveries in the outbox end, and those who had an event of it are told, once no
   * process may be sending it any more. The lead may be erased already, or be unreadable.
   * @param how `now`: the day on which it was asked; `present` as of `ErasureStore.erase`
   * @returns false if it was revoked before, for as many
   */
  revoke(
    id: string,
    how: {now: number; scope: RevocationScope; present: readonly string[] | undefined},
  ): Promise<boolean>;
  /** Holds what waits of these leads, as if their number had been suppressed before they came. */
  hold(ids: readonly string[]): Promise<void>;
  /** Lets later leads with these digests go again, and notes the events. */
  allow(
    digests: readonly string[],
    scopes: readonly string[],
    now: number,
    reason: string,
    events: readonly StopEvent[],
  ): Promise<void>;
  /** Sends such a lead as if it had come now. @returns false if it was not held */
  release(id: string, now: number): Promise<boolean>;
  /**
   * What stands in the link by which the visitor revokes the consent of this lead. It is made with a key of the store, and
   * never expires.
   */
  revokeToken(id: string): Promise<string>;
  /** Notes that lines up to this time are about to be written, or were carried out. */
  noteErasuresUntil(at: number): Promise<void>;
};

/** Where the links lead by which visitors say stop. */
export const revokePath = '/revoke';

/** Makes the link of a lead. */
export type RevokeLink = (id: string) => Promise<string>;
export const revokeLinkOf =
  (store: Pick<RevocationStore, 'revokeToken'>, publicUrl: string): RevokeLink =>
  async (id) =>
    `${publicUrl}${revokePath}/${id}.${await store.revokeToken(id)}`;

/** The lead of a link, and what was asked for it. Times are milliseconds since 1970. */
export type LinkedLead = Pick<LeadIdentity, 'id' | 'createdAt' | 'partner'> & {
  /** When this link was last pressed. Undefined also if an operator has decided since. Nothing else that is known of the number. */
  revokedAt: number | undefined;
  /** False if nothing is kept of the number, so that later leads with it cannot be held. */
  isNumberKnown: boolean;
  requestedAt: number | undefined;
  erasedAt: number | undefined;
};

/** What visitors do by their links (admin/revocations.ts). */
export type LinkDesk = {
  /** @param link the end of the address. Undefined if the link is none of ours, or the lead is gone */
  find(link: string): Promise<LinkedLead | undefined>;
  /** Revokes the consent for the partner of the lead. Resolves when nothing new begins. Does nothing if it was done. */
  stop(lead: LinkedLead, way: LinkWay): Promise<void>;
  /** Notes the request to erase the lead. */
  requestErasure(lead: LinkedLead): Promise<void>;
};
