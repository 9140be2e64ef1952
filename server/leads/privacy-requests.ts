/**
 * What people ask for besides a stop, by the link of a lead, by telephone or by letter, until an operator has ended it; and
 * leads that a lawsuit keeps.
 */
import {dayLength} from '../config/timings.ts';

/** To be erased, to know what is stored, to have something corrected. */
export const requestKinds = ['erase', 'know', 'correct'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** Times are milliseconds since 1970. `way`: how it came, such as `link` or `phone` */
export type PrivacyRequest = {
  lead: string;
  kind: RequestKind;
  askedAt: number;
  enteredAt: number;
  way: string;
};

/** Days until it must be answered: Cal. Civ. Code 1798.130(a)(2), and Colorado, Connecticut, Virginia alike. */
export const daysToAnswer = 45;
export const dueAt = ({askedAt}: Pick<PrivacyRequest, 'askedAt'>): number =>
  askedAt + daysToAnswer * dayLength;

/** Until then, in milliseconds since 1970, the retention job leaves the lead and its consent. `reason`: nothing personal */
export type LegalHold = {lead: string; until: number; reason: string; enteredAt: number};

export type PrivacyRequestReader = {
  /** Those that wait, the oldest first. @param lead only those of this lead */
  requests(lead?: string): Promise<PrivacyRequest[]>;
  /** Those that have not ended, of these leads. */
  legalHolds(leads: readonly string[], now: number): Promise<ReadonlyMap<string, LegalHold>>;
};

export type PrivacyRequestStore = PrivacyRequestReader & {
  /** The first day counts. @returns false if one of this kind waits already, or if there is no such lead */
  addRequest(request: PrivacyRequest): Promise<boolean>;
  /** @returns false if there was none */
  endRequest(lead: string, kind: RequestKind): Promise<boolean>;
  /** In place of the one that the lead has. */
  keepForLaw(hold: LegalHold): Promise<void>;
};
