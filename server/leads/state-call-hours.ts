/**
 * The hours in which a person may be called, by state, on the clock of whoever is called. Read from statutes, agencies and
 * public tables in November 2026, and for counsel to confirm. Where these differ, the narrower hours stand here.
 */

/** Hours of the day from 0 to 24. Calls may begin at `from`, and must end before `to`. */
export type Hours = readonly [from: number, to: number];

/** Null on days without calls. */
export type Week = readonly [weekdays: Hours | null, saturday: Hours | null, sunday: Hours | null];

/** @property holidaysOf the name of the state, if it forbids calls on its holidays */
type Rule = {hours: Week; holidaysOf?: string; source: string};

const everyDay = (from: number, to: number): Week => [
  [from, to],
  [from, to],
  [from, to],
];

/**
 * In every state the product uses 8 to 20, narrowed by the rule of the state and never widened. Prior consent arguably lifts
 * the federal hours (47 CFR 64.1200(c)(1), 8 to 21), but nobody has confirmed that it does.
 */
const baseline: Hours = [8, 20];

/** The states and territories with hours of their own for live calls. Everywhere else the baseline is narrow enough. */
const rules: Readonly<Record<string, Rule>> = {
  AL: {hours: [[8, 20], [8, 20], null], holidaysOf: 'Alabama', source: 'Ala. Admin. Code 770-X-5-.17'},
  CT: {hours: everyDay(9, 20), source: 'Conn. Gen. Stat. 42-288a, as amended by P.A. 23-98'},
  FL: {hours: everyDay(8, 20), source: 'Fla. Stat. 501.616(6)'},
  KY: {hours: everyDay(10, 21), source: 'KRS 367.46955(16)'},
  LA: {hours: [[8, 20], [8, 20], null], holidaysOf: 'Louisiana', source: 'PSC General Order R-29617 §V'},
  MA: {hours: everyDay(8, 20), source: 'M.G.L. c. 159C §3; 201 CMR 12.02'},
  MD: {hours: everyDay(8, 20), source: 'Md. Code, Com. Law 14-4502(c)'},
  MI: {hours: everyDay(9, 21), source: 'MCL 750.540e(1)(f)'},
  MN: {hours: everyDay(9, 21), source: 'Minn. Stat. 325E.30'},
  // The statute says 8 to 20 "Central Standard Time", and 8 CST is 9 on the clock from March to November. The product starts
  // at 9 all year, so that nobody has to know the date to know the hours.
  MS: {hours: [[9, 20], [9, 20], null], source: 'Miss. Code 77-3-723'},
  NM: {hours: everyDay(9, 21), source: 'N.M. Stat. 57-12-22(B)(5)'},
  NV: {hours: everyDay(9, 20), source: 'NRS 598.0918(3)'},
  OK: {hours: everyDay(8, 20), source: '15 O.S. 775C.4'},
  OR: {hours: everyDay(8, 20), source: 'ORS 646.563, as amended by HB 3865'},
  PA: {
    hours: [[9, 19], [9, 19], null],
    holidaysOf: 'Pennsylvania',
    source: '73 P.S. 2245(a), Act 47 of 2026',
  },
  PR: {hours: everyDay(9, 21), source: 'Law 210-2003, 10 L.P.R.A. 4033'},
  RI: {hours: [[9, 18], [10, 17], null], holidaysOf: 'Rhode Island', source: 'R.I. Gen. Laws 5-61-3.6'},
  SD: {hours: [[9, 21], [9, 21], null], source: 'SDCL 37-30A-3(2), by one table, text not seen'},
  TX: {
    hours: [
      [9, 21],
      [9, 21],
      [12, 21],
    ],
    source: 'Tex. Bus. & Com. Code 301.051',
  },
  UT: {hours: [[8, 21], [8, 21], null], holidaysOf: 'Utah', source: 'Utah Code 13-25a-103(3)'},
  WA: {hours: everyDay(8, 20), source: 'RCW 80.36.390 and 19.158.110'},
  WY: {hours: everyDay(8, 20), source: 'Wyo. Stat. 40-12-302(d)'},
};

/** The rules of some states. None named means that it may be any of them, so that the rules of all count. */
const rulesOf = (states: readonly string[]): readonly Rule[] =>
  states.length === 0 ? Object.values(rules) : states.flatMap((state) => rules[state] ?? []);

function narrower(one: Hours | null, other: Hours | null): Hours | null {
  if (one === null || other === null) return null;
  const [from, to] = [Math.max(one[0], other[0]), Math.min(one[1], other[1])];
  return from < to ? [from, to] : null;
}

/** The hours that fit each of these states; of no states, the hours that fit every state. */
export function weekOf(states: readonly string[]): Week {
  const narrowest = (day: 0 | 1 | 2) =>
    rulesOf(states).reduce<Hours | null>((hours, rule) => narrower(hours, rule.hours[day]), baseline);
  return [narrowest(0), narrowest(1), narrowest(2)];
}

/** The names of those among these states that forbid calls on their holidays; of no states, of all that do. */
export const holidaysOf = (states: readonly string[]): readonly string[] =>
  rulesOf(states).flatMap((rule) => rule.holidaysOf ?? []);
