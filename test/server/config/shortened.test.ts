/** Which changes of a configuration would erase something earlier. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {keptUnder, shortened, type Kept} from '../../../server/config/reloaded.ts';
import {baseConfig, listedOrigin} from '../../support/test-server.ts';

type Years = {retain_days?: number | 'forever'; keep_consent_years?: number};

const partner = (name: string, years: Years = {}) =>
  onePartner({key: name, origins: [listedOrigin], cid: '1001', ...years});
/** What a process reports: as JSON, in which nothing is undefined. */
const kept = (
  retainDays: number | undefined,
  keepConsentYears = 5,
  partners: Record<string, Years> = {acme: {}},
  graceDays = 30,
): Kept => {
  const [first, ...others] = Object.entries(partners).map(([name, years]) => partner(name, years));
  const config = {
    ...baseConfig('/nowhere'),
    retention: {retainDays, keepConsentYears, graceDays},
    partners: [first!, ...others] as const,
  };
  return JSON.parse(JSON.stringify(keptUnder(config))) as Kept;
};

suite('what a change of the configuration takes away', () => {
  const cases: Record<string, [before: Kept, after: Kept, lines: string[]]> = {
    'days by default': [kept(90), kept(30), ['retain_days would fall from 90 to 30']],
    'leads that were kept for ever': [
      kept(undefined),
      kept(30),
      ['retain_days would fall from forever to 30'],
    ],
    'years of consents': [kept(90, 40), kept(90, 5), ['keep_consent_years would fall from 40 to 5']],
    both: [
      kept(90, 40),
      kept(30, 0),
      ['retain_days would fall from 90 to 30', 'keep_consent_years would fall from 40 to 0'],
    ],
    "a partner's own numbers": [
      kept(90, 5, {acme: {retain_days: 'forever', keep_consent_years: 7}}),
      kept(90, 5, {acme: {retain_days: 365, keep_consent_years: 6}}),
      [
        'retain_days of the partner acme would fall from forever to 365',
        'keep_consent_years of the partner acme would fall from 7 to 6',
      ],
    ],
    'a number that a partner gets for the first time': [
      kept(undefined),
      kept(undefined, 5, {acme: {retain_days: 365}}),
      ['retain_days of the partner acme would fall from forever to 365'],
    ],
    'a number that a partner has no longer': [
      kept(90, 5, {acme: {retain_days: 365}}),
      kept(90),
      ['retain_days of the partner acme would fall from 365 to 90'],
    ],
    'a partner that has another key': [
      kept(90, 5, {acme: {keep_consent_years: 10}}),
      kept(90, 5, {'acme-2': {keep_consent_years: 10}}),
      ['keep_consent_years of the partner acme would fall from 10 to 5'],
    ],
    'a default that rises beside a partner whose own number goes': [
      kept(30, 5, {acme: {retain_days: 'forever'}}),
      kept(365),
      ['retain_days of the partner acme would fall from forever to 365'],
    ],
    'the grace': [kept(90), kept(90, 5, {acme: {}}, 7), ['retain_grace_days would fall from 30 to 7']],
  };
  for (const [what, [before, after, lines]] of Object.entries(cases))
    test(`is named: ${what}`, () => assert.deepEqual(shortened(before, after), lines));

  const harmless: [what: string, before: Kept, after: Kept][] = [
    ['the same again', kept(90, 5, {acme: {retain_days: 30}}), kept(90, 5, {acme: {retain_days: 30}})],
    ['more days and years', kept(30, 5), kept(90, 40)],
    ['leads that are kept for ever from now on', kept(30), kept(undefined)],
    ['a partner whose own number becomes the default', kept(30, 5, {acme: {retain_days: 90}}), kept(90)],
    ['a partner that goes and goes by a longer default', kept(90, 5, {acme: {retain_days: 30}}), kept(90)],
    ['a longer grace', kept(90), kept(90, 5, {acme: {}}, 60)],
    ['a partner that is new', kept(90), kept(90, 5, {acme: {}, globex: {retain_days: 30}})],
  ];
  for (const [what, before, after] of harmless)
    test(`is nothing by ${what}`, () => assert.deepEqual(shortened(before, after), []));
});
