/**
 * The part of the store that keeps who took a consent back. A lead whose consent was taken back goes nowhere any more, and
 * later leads with its telephone number are held until an operator decides. Both outlive the erasure of the lead.
 */

import type {LeadIdentity} from './stored-lead.ts';

/** For whom a consent was taken back: for the partner of the lead, or for all. */
export const revocationScopes = ['partner', 'all'] as const;
export type RevocationScope = (typeof revocationScopes)[number];

/** For whom a number is suppressed: the key of a partner, `-` for the callers of `/json/leads`, `*` for all. */
export const everybody = '*';
export const scopeOf = (partner: string | null) => partner ?? '-';
export const partnerOf = (scope: string) => (scope === '-' ? null : scope);
export const breadthOf = (scope: string): RevocationScope => (scope === everybody ? 'all' : 'partner');

/**
 * A number whose later leads are held. Its digest finds its leads (`LeadFilter`). `decidedAt`: when an operator let them go
 * again, for `reason`. Times are milliseconds since 1970.
 */
export type Suppression = {
  digest: string;
  scope: string;
  since: number;
  decidedAt: number | null;
  reason: string | null;
};

export type RevocationStore = {
  /** The digests of numbers in E.164. @throws SealError when their key cannot be opened */
  numberDigests(phones: readonly string[]): Promise<string[]>;
  /**
   * Suppresses the numbers with these digests. From its commit on, later leads with them are held. It waits for leads that
   * are being stored, so that leads which are found after it are all that may be sent.
   */
  suppress(digests: readonly string[], scope: string, now: number): Promise<void>;
  /**
   * Takes the consent of one lead back: its deliveries in the outbox end, and those who had news of it are told, once no
   * process may be sending it any more. The lead may be erased already, or be unreadable.
   * @param how `present` as of `ErasureStore.erase`
   * @returns false if it was taken back before, for as many
   */
  revoke(
    id: string,
    how: {now: number; scope: RevocationScope; present: readonly string[] | undefined},
  ): Promise<boolean>;
  /** Until when a process may be sending one of these leads, or news of it. Milliseconds since 1970, 0 if none is. */
  underWayUntil(ids: readonly string[]): Promise<number>;
  /** The newest first. @param digests only those of these numbers */
  suppressions(digests?: readonly string[]): Promise<Suppression[]>;
  /** Lets later leads with the number of a digest go again. @returns false if it was not suppressed */
  allow(digest: string, reason: string, now: number): Promise<boolean>;
  /** The ids of leads that are held because of their numbers, and have deliveries that wait. */
  heldLeads(): Promise<string[]>;
  /** Sends such a lead as if it had come now. @returns false if it was not held */
  release(id: string, now: number): Promise<boolean>;
  /**
   * What stands in the link by which the visitor takes back the consent of this lead. It is made with a key of the store, and
   * never expires.
   */
  revokeToken(id: string): Promise<string>;
  isRevokeToken(id: string, token: string): Promise<boolean>;
  /** Notes that somebody asked to be erased. The first time counts. */
  requestErasure(id: string, now: number): Promise<void>;
  /** Those that are not erased yet, the oldest first. @param lead only that of this lead */
  erasureRequests(lead?: string): Promise<{lead: string; requestedAt: number}[]>;
  /** @returns false if there was none */
  endErasureRequest(id: string): Promise<boolean>;
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
  /** Undefined also if an operator lets later leads with the number go again. */
  revokedAt: number | undefined;
  /** False if nothing is kept of the number, so that later leads with it cannot be held. */
  isNumberKnown: boolean;
  requestedAt: number | undefined;
  erasedAt: number | undefined;
};

/** How the link was used: by the button of its page, or by the one click of a mail provider (RFC 8058). */
export type LinkWay = 'link' | 'unsubscribe';

/** What visitors do by their links (admin/revocations.ts). */
export type LinkDesk = {
  /** @param link the end of the address. Undefined if the link is none of ours, or the lead is gone */
  find(link: string): Promise<LinkedLead | undefined>;
  /** Takes the consent back for the partner of the lead. Resolves when nothing new begins. */
  stop(lead: LinkedLead, way: LinkWay): Promise<void>;
  /** Notes the request to erase the lead. */
  requestErasure(lead: LinkedLead): Promise<void>;
};
