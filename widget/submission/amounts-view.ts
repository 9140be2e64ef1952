/** The amounts: how the total is made up, and what would change a zero. */
import {
  amountParts,
  totalAmount,
  type AmountPart,
  type Prequalification,
  type Reason,
} from '../../contract/amounts.ts';
import {own} from './own.ts';
import type {Kit} from './types.ts';
import type {Answered} from './answer-view.ts';

export function resultView(kit: Kit, amounts: Prequalification, answered: Answered) {
  const {html, money, nothing, words} = kit;
  return html`
    ${barView(kit, amounts)}
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
      ${amountParts.map((part, index) =>
        // An upstream may not know all parts.
        amounts[part] === undefined ? nothing : rowsView(kit, part, index, amounts[part], answered),
      )}
      <tfoot>
        <tr>
          <th scope="row">${words.total}</th>
          <td>${money(amounts[totalAmount])}</td>
        </tr>
      </tfoot>
    </table>
    <p class="estimate" part="estimate">${words.disclaimer}</p>
  `;
}

/** Widths of what is there, not of the total: an upstream's total need not be the sum. */
function barView({html, nothing}: Kit, amounts: Prequalification) {
  const sum = amountParts.reduce((dollars, part) => dollars + (amounts[part] ?? 0), 0);
  if (sum === 0) return nothing;
  let start = 0;
  const [a, b, c, d] = amountParts.map((part) => {
    const width = ((amounts[part] ?? 0) / sum) * 100;
    const x = start;
    start += width;
    return {x: `${x}%`, width: `${width}%`};
  });
  // The table below says the same in words.
  return html`<svg class="bar" part="bar" aria-hidden="true">
    <rect class="fill-0" x=${a?.x} width=${a?.width} height="100%"></rect>
    <rect class="fill-1" x=${b?.x} width=${b?.width} height="100%"></rect>
    <rect class="fill-2" x=${c?.x} width=${c?.width} height="100%"></rect>
    <rect class="fill-3" x=${d?.x} width=${d?.width} height="100%"></rect>
  </svg>`;
}

/** A body of its own for each amount, so that its sentence has the table's whole width. */
function rowsView(kit: Kit, part: AmountPart, index: number, dollars: number, {answer, minimums}: Answered) {
  const {html, money, words} = kit;
  const given = answer.reasons?.[part];
  // A newer server may give reasons that these words do not know.
  const code = own(words.reasons, given) === undefined ? undefined : given;
  const why = reason(kit, part, code, minimums[part]);
  const about = words.about[part];
  return html`
    <tbody part="row" class=${dollars === 0 ? 'zero' : ''}>
      <tr>
        <th scope="rowgroup">
          <svg class="swatch" part="swatch" aria-hidden="true">
            <rect class="fill-${index}" width="100%" height="100%"></rect>
          </svg>
          ${words.names[part]}
        </th>
        <td part="amount">${money(dollars)}</td>
      </tr>
      <tr>
        <td class="words" part="reason" colspan="2">
          ${dollars === 0 ? why : code ? `${about} ${why}` : about}
        </td>
      </tr>
    </tbody>
  `;
}

/** Why an amount is zero, or what a larger one assumes. */
function reason({fill, money, words}: Kit, part: AmountPart, code: Reason | undefined, minimum?: number) {
  const {reasons} = words;
  const text =
    code !== 'below_minimum'
      ? reasons[code ?? 'unknown']
      : minimum === undefined
        ? reasons.below_some_minimum
        : part === 'sba_qualified_amount'
          ? reasons.below_minimum_loan
          : reasons.below_minimum;
  return fill(text, {needs: words.needs[part], minimum: money(minimum ?? 0)});
}
