/** How business days are counted in the United States. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {businessDaysAfter} from '../../../server/admin/business-days.ts';
import {localDay} from '../../../server/admin/words.ts';

const at = (day: string) => new Date(`${day}T23:30:00`).getTime();

/** The day asked, and the last of ten business days after it. */
const rows: readonly [asked: string, why: string, last: string][] = [
  ['2026-08-03', 'a Monday', '2026-08-17'],
  ['2026-08-08', 'a Saturday', '2026-08-21'],
  ['2026-11-27', 'the Friday after Thanksgiving', '2026-12-11'],
  ['2026-11-20', 'before Thanksgiving, the fourth Thursday', '2026-12-07'],
  ['2026-11-05', 'before Veterans Day', '2026-11-20'],
  ['2026-12-21', 'before Christmas and New Year', '2027-01-06'],
  ['2021-12-20', 'before New Year on a Saturday, observed on Friday', '2022-01-05'],
  ['2022-12-19', 'before Christmas and New Year on Sundays, observed on Mondays', '2023-01-04'],
  ['2026-06-30', 'before July 4 on a Saturday, observed on Friday', '2026-07-15'],
  ['2027-06-14', 'before June 19 on a Saturday, observed on Friday', '2027-06-29'],
  ['2026-01-12', 'before the third Monday of January', '2026-01-27'],
  ['2026-02-09', 'before the third Monday of February', '2026-02-24'],
  ['2026-05-18', 'before the last Monday of May, the fourth', '2026-06-02'],
  ['2027-05-24', 'before the last Monday of May, the fifth', '2027-06-08'],
  ['2026-08-31', 'before the first Monday of September', '2026-09-15'],
  ['2026-10-05', 'before the second Monday of October', '2026-10-20'],
  ['2026-03-02', 'over the change of the clocks', '2026-03-16'],
];
for (const [asked, why, last] of rows)
  test(`ten business days after ${asked}, ${why}, end on ${last}`, () => {
    assert.equal(localDay(businessDaysAfter(at(asked), 10)), last);
  });
