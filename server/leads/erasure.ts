/** The part of the store that erases what is personal of leads. A row without anything personal stays of each lead. */

import type {SaltedDigests} from './evidence.ts';
import type {Lead} from './lead-schema.ts';
import type {Consent, Tombstone} from './stored-lead.ts';

/** What is kept of an erased lead: the consent, who gave it, and for which telephone number. */
export type KeptConsent = Pick<Lead, 'first_name' | 'last_name' | 'phone'> & {
  consent: Consent;
  /** The digests by which the person is found, and known (persons.ts). */
  emailDigest?: string | undefined;
  addressDigest?: string | undefined;
  /** Those of its statement. Missing if it has none. */
  digests?: SaltedDigests;
};

/** What would go with a lead, and who had it. */
export type ErasableLead = Omit<Tombstone, 'erasedAt'> & {
  /** When it was erased. Null if it was not. */
  erasedAt: number | null;
  /** How it belongs to the lead that was named. */
  because: 'named' | 'duplicate' | 'correction';
  /** Whether a consent would be kept, or is. False also if the lead cannot be read. */
  hasConsent: boolean;
  /** The destinations that may have had an event of the lead, and are told that it was erased, if they have the same address. */
  told: readonly string[];
  /** The ids that upstreams gave to the lead. They cannot be told. */
  remoteIds: readonly {destination: string; remoteId: string | null}[];
  /** Until when a process may be sending it. Milliseconds since 1970, 0 if none is. */
  leasedUntil: number;
};

/**
 * Whether a consent stays when its lead is erased, with the name and the phone number of who gave it. `givenAt`: when the
 * lead came, in milliseconds since 1970. A caller may say another time of its consent, which decides nothing.
 */
export type KeepConsent = (consent: {partner: string | null; givenAt: number}, now: number) => boolean;

/** What the retention job goes by. */
export type Retention = {
  /**
   * The shortest time in milliseconds for which leads of any partner are kept. Undefined if no leads are ever erased.
   */
  shortest: number | undefined;
  /** Milliseconds for which leads of the partner are kept. Undefined if they are never erased. */
  keptFor: (partner: string | null) => number | undefined;
  /** So many milliseconds later, a lead is erased although deliveries of it have not ended. */
  grace: number;
  keepConsent: KeepConsent;
};

/**
 * Why the retention job left a lead that was kept long enough, and when its grace is over. `reason`: the state of a delivery to
 * `destination`. If that is `-`, it is `unreadable`, `duplicate` for the original of one, or `lawsuit`.
 */
export type Overdue = {destination: string; reason: string; erasedAt: number};

/** Where a slice of the retention job ended. */
export type RetentionPlace = {of: 'leads' | 'consents'; id: string};

export type ErasureReader = {
  /**
   * What erasing these leads would take, with the leads that belong to them: duplicates, originals, and corrections. Ids
   * without a lead are left out. Ordered by id.
   */
  erasable(ids: readonly string[]): Promise<ErasableLead[]>;
  /** What is kept of erased leads, by id, or why it cannot be opened. */
  keptConsents(ids: readonly string[]): Promise<ReadonlyMap<string, KeptConsent | Error>>;
};

export type ErasureStore = ErasureReader & {
  /**
   * Erases one lead: everything personal in its rows goes, deliveries that wait are dropped, and `told` are told once no
   * process may be sending it any more (`isUnderWay` in store/claim-queries.ts). A lead that was erased before only loses
   * its kept consent, if `keepConsent` says so. Duplicates that are left go with it.
   * @param present the addresses that can be told, such as `crm 0123456789abcdef`, and `crm ` for one that is not known.
   *   Without it, an event for any address is stored
   * @returns false if there was nothing to erase
   */
  erase(id: string, now: number, keepConsent: KeepConsent, present?: readonly string[]): Promise<boolean>;
  /**
   * One slice of the retention job: erases leads that were kept long enough and have no delivery in the outbox, and consents that were
   * kept long enough. After the grace, deliveries that no process may be sending are dropped. Tells nobody, because the
   * receivers have rules of their own. A lead that cannot be opened stays, because its consent could not be kept.
   * @param after where the slice before ended. Undefined for the first one
   * @returns `next` is undefined after the last slice. `unreadable` are the ids of leads that stayed
   */
  applyRetention(
    now: number,
    retention: Retention,
    after?: RetentionPlace,
  ): Promise<{
    leads: number;
    consents: number;
    unreadable: readonly string[];
    overdue: readonly Overdue[];
    next: RetentionPlace | undefined;
  }>;
};
