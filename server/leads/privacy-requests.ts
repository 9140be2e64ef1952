/** What people ask for besides a stop, by the link of a lead, by telephone or by letter; and leads that a lawsuit keeps. */
import {dayLength} from '../config/timings.ts';

/** To be erased, to know what is stored, to have something corrected. */
export const requestKinds = ['erase', 'know', 'correct'] as const;
export type RequestKind = (typeof requestKinds)[number];

/**
 * Times are milliseconds since 1970. Lead, kind and `enteredAt` name it.
 * - `way`: how it came, such as `link` or `phone`
 * - `endedAt`: null while it waits. `answer`: what was done, or why not
 */
export type PrivacyRequest = {
  lead: string;
  kind: RequestKind;
  askedAt: number;
  enteredAt: number;
  way: string;
  endedAt: number | null;
  answer: string | null;
};

/** Days until it must be answered: Cal. Civ. Code 1798.130(a)(2), and Colorado, Connecticut, Virginia alike. */
export const daysToAnswer = 45;
export const dueAt = ({askedAt}: Pick<PrivacyRequest, 'askedAt'>): number =>
  askedAt + daysToAnswer * dayLength;

/** Milliseconds for which one that has ended is kept, of 31 days a month: 24 months, by 11 CCR 7101. */
export const endedKept = 24 * 31 * dayLength;

/** Until then, in milliseconds since 1970, the retention job leaves the lead, its consent, and all that an erasure would take with them. `reason`: nothing personal */
export type LegalHold = {lead: string; until: number; reason: string; enteredAt: number};

export type PrivacyRequestReader = {
  /** The oldest first. @param which `lead`: only those of this lead; `isEnded`: only those that have ended, or that wait */
  requests(which?: {lead?: string; isEnded?: boolean}): Promise<PrivacyRequest[]>;
  /** Those that have not ended, the first to end first. */
  legalHolds(now: number): Promise<LegalHold[]>;
  /** By lead: the one that keeps it longest, its own or that of a lead with which it would be erased. */
  keptLeads(now: number): Promise<ReadonlyMap<string, LegalHold>>;
};

export type PrivacyRequestStore = PrivacyRequestReader & {
  /** Adds it, or changes what is known of it. */
  putRequest(request: PrivacyRequest): Promise<void>;
  /** In place of the one that the lead has. */
  keepForLaw(hold: LegalHold): Promise<void>;
};
