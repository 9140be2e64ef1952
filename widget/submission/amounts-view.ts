/**
 * The amounts of a result: a bar that shows how the total is made up, a table that explains each amount, and a list of
 * what it would take for each amount that is zero.
 */
import {html, nothing, svg} from 'lit';
import {totalAmount, type AmountPart, type Prequalification} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/format-money.ts';
import {fillClass} from '../../form/styles/amount-colors.ts';
import {arithmetic, sortParts, type Explained} from '../../form/words/say-answer.ts';
import type {Words} from '../../form/words/words.ts';

/**
 * @param amounts as they are shown
 * @param ways the links that lead on. They stand directly below what the visitor came for
 */
export function amountsView(words: Words, amounts: Prequalification, explained: Explained, ways: unknown) {
  const {available, zeros, locked} = sortParts(words, amounts, explained);
  const hasTotal = amounts[totalAmount] > 0;
  const hasTable = hasTotal && available.length > 0;
  const isRounded = hasTotal && (explained.explanation?.rounding_increment ?? 1) > 1;
  return html`
    ${hasTable ? barView(amounts, available) : nothing}
    ${hasTotal || locked.length > 0 ? nothing : html`<p>${words.nothingKnown}</p>`} ${ways}
    ${hasTable ? tableView(words, amounts, available, explained) : nothing}
    ${
      // Without other amounts to compare with, it says nothing that these are zero.
      hasTable ? zerosView(words, zeros) : nothing
    }
    ${locked.length > 0 ? html`<h3>${words.unlock}</h3>` : nothing} ${zerosView(words, locked)}
    <p class="estimate" part="estimate">${words.disclaimer} ${isRounded ? words.rounded : nothing}</p>
  `;
}

function tableView(
  words: Words,
  amounts: Prequalification,
  available: readonly AmountPart[],
  explained: Explained,
) {
  return html`
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
      ${available.map((part) => rowsView(words, part, amounts[part] ?? 0, arithmetic(words, part, explained)))}
      <tfoot>
        <tr>
          <th scope="row">${words.total}</th>
          <td>${formatMoney(amounts[totalAmount], words.locale)}</td>
        </tr>
      </tfoot>
    </table>
  `;
}

/** The widths are shares of the sum of the parts, because the total of an upstream need not be that sum. */
function barView(amounts: Prequalification, available: readonly AmountPart[]) {
  const sum = available.reduce((dollars, part) => dollars + (amounts[part] ?? 0), 0);
  let start = 0;
  const rectangles = available.map((part) => {
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
    <tbody part="row">
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

/** Amounts that are zero, each with what it would take, as far as that is known. */
const zerosView = (words: Words, zeros: readonly {part: AmountPart; needed: string | undefined}[]) =>
  zeros.length === 0
    ? nothing
    : html`<div part="unlock">
        ${zeros.map(
          ({part, needed}) => html`
            <details part="row">
              <summary>${words.names[part]}</summary>
              <p class="aside" part="reason">${needed ?? words.reasons.unknown}</p>
            </details>
          `,
        )}
      </div>`;
