/** What the configuration says about keeping leads and consents. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import type {RetentionDefaults} from '../../../server/config/retention.ts';
import {retentionOf} from '../../../server/leads/retention.ts';

const day = 24 * 3_600_000;
const partner = (key: string, fields: object = {}) =>
  onePartner({key, origins: ['https://www.partner.example'], cid: '1001', ...fields});

const retention = (defaults: Partial<RetentionDefaults>) =>
  retentionOf({
    retention: {retainDays: undefined, keepConsentYears: 5, graceDays: 30, ...defaults},
    partners: [
      partner('plain'),
      partner('short', {retain_days: 30, keep_consent_years: 2}),
      partner('kept', {retain_days: 'forever'}),
    ],
  });

suite('how long leads are kept', () => {
  const kept: [partner: string | null, byDefault: number | undefined, with100Days: number | undefined][] = [
    ['plain', undefined, 100 * day],
    ['short', 30 * day, 30 * day],
    ['kept', undefined, undefined],
    ['that is gone', undefined, 100 * day],
    [null, undefined, 100 * day],
  ];
  for (const [key, byDefault, with100Days] of kept)
    test(`leads of ${key === null ? 'callers' : `the partner ${key}`}, with a default and without`, () => {
      assert.equal(retention({}).keptFor(key), byDefault);
      assert.equal(retention({retainDays: 100}).keptFor(key), with100Days);
    });
  test('the shortest time is that of a partner, or the default', () => {
    assert.equal(retention({retainDays: 100}).shortest, 30 * day);
    assert.equal(retention({retainDays: 10}).shortest, 10 * day);
    const partners = [partner('plain'), partner('kept', {retain_days: 'forever'})] as const;
    const defaults = {retainDays: undefined, keepConsentYears: 5, graceDays: 30};
    assert.equal(retentionOf({retention: defaults, partners: [...partners]}).shortest, undefined);
  });
});

suite('how long a consent is kept', () => {
  const givenAt = Date.UTC(2024, 1, 29, 12);
  const kept: [partner: string | null, years: number | undefined, until: number][] = [
    ['plain', undefined, Date.UTC(2029, 2, 1, 12)],
    ['short', undefined, Date.UTC(2026, 2, 1, 12)],
    [null, 4, Date.UTC(2028, 1, 29, 12)],
    [null, 0, givenAt],
  ];
  for (const [key, years, until] of kept)
    test(`of ${key ?? 'callers'}, ${years ?? 'no'} years by default: until ${new Date(until).toISOString()}`, () => {
      const {keepConsent} = retention(years === undefined ? {} : {keepConsentYears: years});
      assert.equal(keepConsent({partner: key, givenAt}, until - 1), until > givenAt);
      assert.equal(keepConsent({partner: key, givenAt}, until), false);
    });
});
