/**
 * The parts of an answer that the form and the apply page have in common, as templates of Lit: a template is data, of which the
 * server makes HTML (server/html/lit-markup.ts). The tags are all of Lit that the server loads.
 */
import {html, nothing, svg} from 'lit/html.js';
import {totalAmount, type AmountPart, type Prequalification} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {formatMoney} from '../format-money.ts';
import {fillClass} from '../styles/amount-colors.ts';
import {splitAtPlaceholders, withoutName, type PlaceholderValues} from '../words/partner-text.ts';
import {arithmetic, sortParts, type Explained} from '../words/say-answer.ts';
import type {Words} from '../words/words.ts';

/**
 * A bar that shows how the total is made up, a table that explains each amount, and a list of what it would take for each
 * amount that is zero.
 *
 * @param amounts as they are shown
 * @param ways the links that lead on. They stand directly below what the visitor came for
 * @param printed what the estimate says besides on paper
 */
export function amountsView(
  words: Words,
  amounts: Prequalification,
  explained: Explained,
  ways: unknown,
  printed?: unknown,
) {
  const {available, zeros, locked} = sortParts(words, amounts, explained);
  const hasTotal = amounts[totalAmount] > 0;
  const hasTable = hasTotal && available.length > 0;
  const isRounded = hasTotal && (explained.explanation?.rounding_increment ?? 1) > 1;
  const money = (dollars = 0) => formatMoney(dollars, words.locale);

  /** The widths are shares of the sum of the parts, because the total of an upstream need not be that sum. */
  const barView = () => {
    const sum = available.reduce((dollars, part) => dollars + (amounts[part] ?? 0), 0);
    let start = 0;
    const rectangles = available.map((part) => {
      const x = start;
      const width = ((amounts[part] ?? 0) / sum) * 100;
      start += width;
      return svg`<rect class="${fillClass(part)}" x="${x}%" width="${width}%" height="100%"></rect>`;
    });
    // Hidden from screen readers, because the table below says the same in words.
    return html`<svg class="bar" part="bar" aria-hidden="true">${rectangles}</svg>`;
  };

  /** Each amount has a table body of its own with two rows, so that its sentence has the whole width of the table. */
  const rowsView = (part: AmountPart) => html`
    <tbody part="row">
      <tr>
        <th scope="rowgroup">
          <svg class="swatch" part="swatch" aria-hidden="true">
            <rect class="${fillClass(part)}" width="100%" height="100%"></rect>
          </svg>
          ${words.names[part]}
        </th>
        <td part="amount">${money(amounts[part])}</td>
      </tr>
      <tr>
        <td class="words" part="reason" colspan="2">${arithmetic(words, part, explained)}</td>
      </tr>
    </tbody>
  `;

  const tableView = () => html`
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
      ${available.map(rowsView)}
      <tfoot>
        <tr>
          <th scope="row">${words.total}</th>
          <td>${money(amounts[totalAmount])}</td>
        </tr>
      </tfoot>
    </table>
  `;

  /** Amounts that are zero, each with what it would take, as far as that is known. */
  const zerosView = (parts: typeof zeros) =>
    parts.length === 0
      ? nothing
      : html`<div part="unlock">
          ${parts.map(
            ({part, needed}) => html`
              <details part="row">
                <summary>${words.names[part]}</summary>
                <p class="aside" part="reason">${needed ?? words.reasons.unknown}</p>
              </details>
            `,
          )}
        </div>`;

  return html`
    ${hasTable ? barView() : nothing}
    ${hasTotal || locked.length > 0 ? nothing : html`<p>${words.nothingKnown}</p>`} ${ways}
    ${hasTable ? tableView() : nothing}
    ${
      // Without other amounts to compare with, it says nothing that these are zero.
      hasTable ? zerosView(zeros) : nothing
    }
    ${locked.length > 0 ? html`<h3>${words.unlock}</h3>` : nothing} ${zerosView(locked)}
    <p class="estimate" part="estimate">
      ${words.disclaimer} ${isRounded ? words.rounded : nothing}${printed}
    </p>
  `;
}

type Next = {
  /** The id of the lead. */
  readonly id: string;
  /** As the visitor typed it. Empty after a reload. */
  readonly phone: string;
  /** Empty if it is not known. */
  readonly firstName: string;
  /** What happens next, with the placeholders of form/words/partner-text.ts. */
  readonly text: string | undefined;
  /** The language of the text, if it is known and may be another than that of the form. */
  readonly lang: string | undefined;
};

/** Below an answer: what happens next, and the reference that the visitor can give on the phone. */
export function nextView(words: Words, {id, phone, firstName, text, lang}: Next) {
  const values: PlaceholderValues = {phone, first_name: firstName, reference: referenceOf(id)};
  /**
   * Puts values in the place of their placeholders. A number or code is not broken at the end of a line, and a name may be.
   * Whatever a value holds is text, and keeps its direction to itself, also in a text that runs from right to left.
   */
  const withValues = (template: string) =>
    splitAtPlaceholders(template).map((piece, index) => {
      if (index % 2 === 0) return piece;
      if (piece === 'first_name') return html`<span dir="auto">${values[piece]}</span>`;
      // Of the others, only the phone number may be unknown.
      const value = values[piece as keyof PlaceholderValues];
      return value ? html`<bdi>${value}</bdi>` : words.yourNumber;
    });
  return html`
    <div class="next" part="next">
      ${
        text
          ? html`<h3>${words.whatNext}</h3>
              <p lang="${lang ?? nothing}">${withValues(firstName ? text : withoutName(text))}</p>`
          : nothing
      }
      <p>${withValues(words.reference)}</p>
    </div>
  `;
}
