/** The result as a text for the clipboard. */
import {amountParts, totalAmount, type Prequalification} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/money.ts';
import type {Words} from '../../form/words/words.ts';

/** A line for each amount, as in the table of the result. */
export function asText(element: HTMLElement, words: Words, amounts: Prequalification): string {
  const line = (name: string, dollars: number) => `${name}: ${formatMoney(dollars, words.locale)}`;
  const sampleMark = element.shadowRoot?.querySelector('.sample')?.textContent;
  return [
    // The text of a sample begins with the line that says so, because it may be pasted where that line is not seen.
    ...(sampleMark ? [sampleMark] : []),
    `${words.bar}:`,
    ...amountParts.flatMap((part) => {
      const dollars = amounts[part];
      // An upstream may not know all parts.
      return dollars === undefined ? [] : [line(words.names[part], dollars)];
    }),
    line(words.total, amounts[totalAmount]),
    words.disclaimer,
  ].join('\n');
}
