/** The amounts of a result: a bar that shows how the total is made up, and a table that explains each amount. */
import {html, nothing, svg} from 'lit';
import {
  amountParts,
  totalAmount,
  type AmountPart,
  type Prequalification,
  type Reason,
  type Reasons,
} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/money.ts';
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import {fillClass, presentations} from './amount-parts.ts';
import {lookUp} from './exchange.ts';

export type AmountsToShow = {
  readonly amounts: Prequalification;
  /** Undefined if an older server leaves them out. */
  readonly reasons: Reasons | undefined;
  /** The smallest amount above zero of each kind, where the partner's configuration gives it. */
  readonly minimums: Partial<Record<AmountPart, number>>;
};

export function amountsView(words: Words, {amounts, reasons, minimums}: AmountsToShow) {
  return html`
    ${barView(amounts)}
    <table part="table">
      <caption>
        ${words.bar}
      </caption>
      <thead class="unseen">
        <tr>
          <th scope="col">${words.kind}</th>
          <th scope="col">${words.amount}</th>
        </tr>
      </thead>
      ${amountParts.map((part) => {
        const dollars = amounts[part];
        // An upstream may not know all parts.
        if (dollars === undefined) return nothing;
        return rowsView(
          words,
          part,
          dollars,
          sentence(words, part, dollars, reasons?.[part], minimums[part]),
        );
      })}
      <tfoot>
        <tr>
          <th scope="row">${words.total}</th>
          <td>${formatMoney(amounts[totalAmount], words.locale)}</td>
        </tr>
      </tfoot>
    </table>
    <p class="estimate" part="estimate">${words.disclaimer}</p>
  `;
}

/** The widths are shares of the sum of the parts, because the total of an upstream need not be that sum. */
function barView(amounts: Prequalification) {
  const sum = amountParts.reduce((dollars, part) => dollars + (amounts[part] ?? 0), 0);
  if (sum === 0) return nothing;
  let start = 0;
  const rectangles = amountParts.map((part) => {
    const x = start;
    const width = ((amounts[part] ?? 0) / sum) * 100;
    start += width;
    return svg`<rect class=${fillClass(part)} x="${x}%" width="${width}%" height="100%"></rect>`;
  });
  // Hidden from screen readers, because the table below says the same in words.
  return html`<svg class="bar" part="bar" aria-hidden="true">${rectangles}</svg>`;
}

/** Each amount has a table body of its own with two rows, so that its sentence has the whole width of the table. */
function rowsView(words: Words, part: AmountPart, dollars: number, sentence: string) {
  return html`
    <tbody part="row" class=${dollars === 0 ? 'zero' : ''}>
      <tr>
        <th scope="rowgroup">
          <svg class="swatch" part="swatch" aria-hidden="true">
            <rect class=${fillClass(part)} width="100%" height="100%"></rect>
          </svg>
          ${words.names[part]}
        </th>
        <td part="amount">${formatMoney(dollars, words.locale)}</td>
      </tr>
      <tr>
        <td class="words" part="reason" colspan="2">${sentence}</td>
      </tr>
    </tbody>
  `;
}

/** A sentence that says what the amount is and what it assumes or, if it is zero, why it is zero. */
function sentence(
  words: Words,
  part: AmountPart,
  dollars: number,
  given: Reason | undefined,
  minimum: number | undefined,
): string {
  // A newer server may give reasons that these words do not know.
  const known = lookUp(words.reasons, given) === undefined ? undefined : given;
  const about = words.about[part];
  if (dollars > 0 && !known) return about;
  const why = fill(words.reasons[reasonText(part, known, minimum)], {
    needs: words.needs[part],
    minimum: formatMoney(minimum ?? 0, words.locale),
  });
  return dollars > 0 ? `${about} ${why}` : why;
}

/** The name of the text that explains a reason. */
function reasonText(part: AmountPart, reason: Reason | undefined, minimum: number | undefined) {
  if (reason !== 'below_minimum') return reason ?? 'unknown';
  return minimum === undefined ? 'below_some_minimum' : presentations[part].belowMinimum;
}
