/** The total that the answers so far come to, while the visitor still answers. */
import {calculate} from '../calculator/calculator.ts';
import {totalAmount} from '../contract/amounts.ts';
import {financialFields} from '../contract/fields.ts';
import type {PolicyFigures} from '../contract/policy.ts';
import type {FieldName} from './pages.ts';
import {readFields, type Values} from './read-fields.ts';
import {shownAmounts} from './shown-amounts.ts';

const names = Object.keys(financialFields) as FieldName[];

/** The answers that give the least. */
const least = {credit_score: 'Below 620', retirement: 0, cash: 0, investments: 0} as const;

export type TotalSoFar = {
  /** Whole US dollars, rounded down as the result is. */
  readonly total: number;
  /** What is said of a bankruptcy, by the name of the words. */
  readonly bankruptcy?: 'assumesNoBankruptcy' | 'loweredByBankruptcy' | undefined;
};

/** What the result would be now. Questions that are open give the least, but a bankruptcy counts as the result counts it. */
export function totalSoFar(values: Values, figures: PolicyFigures): TotalSoFar {
  const {lead} = readFields(names, values);
  const shownTotal = (answers: object) => {
    const {amounts, reasons} = calculate({...least, ...lead, ...answers}, figures);
    const explanation = {rounding_increment: figures.display_rounding_increment, parts: {}};
    const shown = shownAmounts({prequalification: {first_name: '', ...amounts}, explanation});
    return {total: shown?.[totalAmount] ?? 0, reasons: Object.values(reasons)};
  };
  const {total, reasons} = shownTotal({});
  if (reasons.includes('assumes_no_bankruptcy')) return {total, bankruptcy: 'assumesNoBankruptcy'};
  const isLower = lead['bankruptcy'] === true && total < shownTotal({bankruptcy: false}).total;
  return {total, bankruptcy: isLower ? 'loweredByBankruptcy' : undefined};
}
