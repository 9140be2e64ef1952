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
const worst = {credit_score: 'Below 620', retirement: 0, cash: 0, investments: 0} as const;

/**
 * The least that the total can be, whatever the open questions are answered with. It is rounded down as the result is.
 *
 * @param bankruptcyIsOpen whether the visitor has not come past the question, which need not be answered
 * @returns whole US dollars
 */
export function leastTotal(values: Values, figures: PolicyFigures, bankruptcyIsOpen: boolean): number {
  const {lead} = readFields(names, values);
  const isOpen = bankruptcyIsOpen && values.bankruptcy === undefined;
  const {amounts} = calculate({...worst, bankruptcy: isOpen ? true : undefined, ...lead}, figures);
  const explanation = {rounding_increment: figures.display_rounding_increment, parts: {}};
  return shownAmounts({prequalification: {first_name: '', ...amounts}, explanation})?.[totalAmount] ?? 0;
}
