/**
 * The amounts of a result: a bar that shows how the total is made up, a table that explains each amount, and a list of
 * what it would take for each amount that is zero.
 */
import {html, nothing, svg} from 'lit';
import {amountParts, totalAmount, type AmountPart, type Prequalification} from '../../contract/amounts.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import {fundsBehind} from '../../form/funds-behind.ts';
import {formatMoney} from '../../form/format-money.ts';
import {roundMinimum} from '../../form/say-minimum.ts';
import {fillClass} from '../../form/styles/amount-colors.ts';
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import {lookUp} from './exchange.ts';

/** The answer with its exact amounts. Reasons are undefined if an older server leaves them out. */
type Explained = Pick<EmbedAnswer, 'prequalification' | 'explanation'> &
  Partial<Pick<EmbedAnswer, 'reasons'>>;

/** @param amounts as they are shown */
export function amountsView(words: Words, amounts: Prequalification, explained: Explained) {
  // An upstream may not know all parts.
  const available = amountParts.filter((part) => amounts[part]);
  const zeros = amountParts
    .filter((part) => amounts[part] === 0)
    .map((part) => ({part, needed: requirement(words, part, explained)}));
  const locked = zeros.filter(({needed}) => needed);
  const hasTotal = amounts[totalAmount] > 0;
  const hasTable = hasTotal && available.length > 0;
  const isRounded = hasTotal && (explained.explanation?.rounding_increment ?? 1) > 1;
  return html`
    ${hasTable ? tableView(words, amounts, available, explained) : nothing}
    ${
      // Without other amounts to compare with, it says nothing that these are zero.
      hasTable
        ? zerosView(
            words,
            zeros.filter(({needed}) => !needed),
          )
        : nothing
    }
    ${locked.length > 0 ? html`<h3>${words.unlock}</h3>` : nothing} ${zerosView(words, locked)}
    ${hasTotal || locked.length > 0 ? nothing : html`<p>${words.nothingKnown}</p>`}
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
    ${barView(amounts, available)}
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
    : html`<dl part="unlock">
        ${zeros.map(
          ({part, needed}) => html`
            <div part="row">
              <dt>${words.names[part]}</dt>
              <dd class="aside" part="reason">${needed ?? words.reasons.unknown}</dd>
            </div>
          `,
        )}
      </dl>`;

/** Says what an amount above zero is, how it was calculated, and what it assumes. */
function arithmetic(words: Words, part: AmountPart, explained: Explained): string {
  const {prequalification: exact, reasons, explanation} = explained;
  const figures = explanation?.parts[part] ?? {};
  const {method, percent = 0} = figures;
  const calculation = fill(lookUp(words.methods, method) ?? '', {
    percent,
    rest: 100 - percent,
    funds: formatMoney(fundsBehind(figures, exact?.[part] ?? 0) ?? 0, words.locale),
  });
  const assumption = reasons?.[part] === 'assumes_no_bankruptcy' ? words.reasons.assumes_no_bankruptcy : '';
  return `${words.about[part]} ${calculation} ${assumption}`;
}

/** Says what it would take for an amount of zero. Undefined if that is not known, as for the amounts of an upstream. */
function requirement(words: Words, part: AmountPart, {reasons, explanation}: Explained): string | undefined {
  const {minimum_score: score, minimum_funds: minimum} = explanation?.parts[part] ?? {};
  const needs = words.needs[part];
  const known = [
    score ? fill(words.reasons.from_score, {score}) : '',
    minimum
      ? fill(words.reasons.below_minimum, {
          minimum: formatMoney(roundMinimum(minimum), words.locale),
          needs,
        })
      : '',
  ].filter(Boolean);
  if (known.length > 0) return known.join(' ');
  const reason = reasons?.[part];
  // A newer server may give reasons that these words do not know.
  const why = lookUp(words.reasons, reason === 'below_minimum' ? 'below_some_minimum' : reason);
  return why && fill(why, {needs});
}
