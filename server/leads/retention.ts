/** Makes of the configuration what the retention job and erasures go by. */
import type {Partner} from '../config/partners.ts';
import {forEver, type RetentionDefaults} from '../config/retention.ts';
import {dayLength} from '../config/timings.ts';
import type {KeepConsent, Retention} from './erasure.ts';

/** The parts of a `Config`. */
export type RetentionConfig = {
  retention: RetentionDefaults;
  partners: readonly Pick<Partner, 'key' | 'retainDays' | 'keepConsentYears'>[];
};

type GivenConsent = Parameters<KeepConsent>[0];

/** A partner that is not configured any more goes by the defaults, as the callers do. */
export function retentionOf({retention, partners}: RetentionConfig): Retention {
  const byKey = new Map(partners.map((partner) => [partner.key, partner]));
  const configured = (partner: string | null) => (partner === null ? undefined : byKey.get(partner));
  const inMilliseconds = (days: number | typeof forEver | undefined) =>
    days === undefined || days === forEver ? undefined : days * dayLength;
  const keptFor = (partner: string | null) =>
    inMilliseconds(configured(partner)?.retainDays ?? retention.retainDays);
  const limits = [null, ...byKey.keys()].map(keptFor).filter((limit) => limit !== undefined);

  return {
    shortest: limits.length > 0 ? Math.min(...limits) : undefined,
    keptFor,
    grace: retention.graceDays * dayLength,
    keepConsent: (consent, now) => now < consentEnd({retention, partners}, consent),
  };
}

/** Until when a consent stays when its lead is erased. Milliseconds since 1970, 0 if it goes with the lead. */
export function consentEnd({retention, partners}: RetentionConfig, {partner, givenAt}: GivenConsent): number {
  const configured = partners.find(({key}) => key === partner);
  const years = configured?.keepConsentYears ?? retention.keepConsentYears;
  return years > 0 ? yearsAfter(givenAt, years) : 0;
}

/** The time that is some years later, on the same day and at the same time of day, in UTC. */
function yearsAfter(time: number, years: number): number {
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
