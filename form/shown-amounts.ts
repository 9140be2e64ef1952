/** The amounts as people see them. Programs get whole dollars. */
import {amountParts, totalAmount, type Amounts, type Explanation} from '../contract/amounts.ts';

/**
 * Rounds each amount down as the explanation says, and adds the total up again. An amount of less than the increment
 * stays as it is, because 0 would say that there is nothing. The amounts of an upstream have no explanation and stay.
 *
 * @returns null if the answer has no amounts
 */
export function shownAmounts<Known extends Amounts>({
  prequalification: exact,
  explanation,
}: {
  readonly prequalification: Known | null;
  readonly explanation?: Pick<Explanation, 'rounding_increment'> | undefined;
}): Known | null {
  if (!exact || !explanation) return exact;
  const shown: Amounts = {...exact, [totalAmount]: 0};
  for (const part of amountParts) {
    const dollars = exact[part] ?? 0;
    shown[part] = dollars - (dollars % explanation.rounding_increment) || dollars;
    shown[totalAmount] += shown[part];
  }
  return shown as Known;
}
