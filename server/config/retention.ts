/** How long leads and consents are kept, as it is configured. leads/retention.ts says what follows from it. */

/** What holds for leads of callers, and for partners that say nothing else. */
export type RetentionDefaults = {
  /** After how many days leads are erased. Undefined if they are kept for ever. */
  retainDays: number | undefined;
  /** How many years a consent stays when its lead is erased. */
  keepConsentYears: number;
  /** So many days after its time, a lead is erased although deliveries of it have not ended: these are dropped. */
  graceDays: number;
};

/** Instead of a number of days: the leads of the partner are kept although the server has a default. */
export const forEver = 'forever';

/** A hundred years. More is a mistake, and times beyond some limit are none. */
export const [maxRetainDays, maxKeepConsentYears] = [36_500, 100];
