/** The answer to a lead as HTML. It has the structure of widget/submission/answer-view.ts, and its sentences come from form/. */
import {totalAmount, type AmountPart, type Prequalification} from '../../../contract/amounts.ts';
import type {ContactLink, PartnerLink} from '../../../contract/embed.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {shownAmounts} from '../../../form/shown-amounts.ts';
import {fillClass} from '../../../form/styles/amount-colors.ts';
import {fill} from '../../../form/words/fill.ts';
import {contentFor, splitAtPlaceholders} from '../../../form/words/partner-text.ts';
import {
  arithmetic,
  explainState,
  greeting,
  sortParts,
  stateIcons,
  stateOf,
  usualNext,
  waysOn,
  type Explained,
  type Result,
} from '../../../form/words/say-answer.ts';
import type {Words} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import {hidden} from './form-markup.ts';
import {carried} from './form-post.ts';

type ByLanguage<Text> = Readonly<Record<string, Text>>;

export type Answered = Result & {
  firstName: string;
  phone: string;
  /** The partner's words about what happens next, its link, and how to reach it. */
  nextStep: ByLanguage<string> | undefined;
  cta: ByLanguage<PartnerLink> | undefined;
  contact: readonly ContactLink[];
  /** Where the form is, and what it takes along when the visitor changes the answers: its values and a token. */
  action: string;
  carries: Readonly<Record<string, string>>;
};

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Kept, because making one takes longer than the rest of the page. */
function dateFormat(locale: string): Intl.DateTimeFormat {
  const known = dateFormats.get(locale) ?? new Intl.DateTimeFormat(locale, {dateStyle: 'long'});
  dateFormats.set(locale, known);
  return known;
}

export function answerMarkup(words: Words, answered: Answered): Html {
  const {answer, firstName: name, phone, nextStep} = answered;
  const amounts = shownAmounts(answer);
  const total = amounts?.[totalAmount] ?? 0;
  const state = stateOf(answered);
  const {title} = words[state];
  const isRefused = answer.status === 'refused';
  const partnerText = isRefused ? undefined : contentFor(nextStep, words.locale);
  const date = dateFormat(words.locale).format();
  const explains = !amounts && !(state === 'thanks' && partnerText);
  return html`<section class="answer ${!amounts && `end ${answer.status}`}" aria-labelledby="result-title">
    ${!amounts && html`<svg class="badge" viewBox="0 0 24 24" aria-hidden="true"><path d="${stateIcons[state]}" /></svg>`}
    <h2 id="result-title" tabindex="-1" autofocus>
      ${amounts ? greeting(words, amounts) : fill(words.named, {title, name})}
      ${total > 0 && html`<strong class="total ${total >= 10_000_000 && 'long'}">${formatMoney(total, words.locale)}</strong>`}
    </h2>
    ${explains && html`<p>${explainState(words, answered)}</p>`}
    ${amounts ? amountsMarkup(words, amounts, answered, date) : ways(words, answered)}
    ${nextMarkup(words, {
      text: partnerText?.content ?? usualNext(words, amounts),
      lang: partnerText?.lang,
      values: {phone, first_name: name, reference: referenceOf(answer.id)},
    })}
    ${actions(words, answered, amounts !== null || isRefused)}
  </section>`;
}

function amountsMarkup(words: Words, amounts: Prequalification, answered: Answered, date: string): Html {
  const explained = answered.answer;
  const {available, zeros, locked} = sortParts(words, amounts, explained);
  const hasTotal = amounts[totalAmount] > 0;
  const hasTable = hasTotal && available.length > 0;
  const isRounded = hasTotal && (explained.explanation?.rounding_increment ?? 1) > 1;
  return html`${hasTable && bar(amounts, available)}
    ${!hasTotal && locked.length === 0 && html`<p>${words.nothingKnown}</p>`} ${ways(words, answered)}
    ${hasTable && table(words, amounts, available, explained)} ${hasTable && zerosMarkup(words, zeros)}
    ${locked.length > 0 && html`<h3>${words.unlock}</h3>`} ${zerosMarkup(words, locked)}
    <p class="estimate">
      ${words.disclaimer} ${isRounded && words.rounded}
      <span class="printed"
        >${[fill(words.madeOn, {date}), ...answered.contact.map(({text}) => text)].join(' · ')}</span
      >
    </p>`;
}

function table(
  words: Words,
  amounts: Prequalification,
  available: readonly AmountPart[],
  explained: Explained,
): Html {
  const money = (dollars = 0) => formatMoney(dollars, words.locale);
  return html`<table>
    <caption>
      ${words.bar}
    </caption>
    <thead class="unseen">
      <tr>
        <th scope="col">${words.kind}</th>
        <th scope="col">${words.amount}</th>
      </tr>
    </thead>
    ${available.map(
      (part) =>
        html`<tbody>
          <tr>
            <th scope="rowgroup">
              <svg class="swatch" aria-hidden="true">
                <rect class="${fillClass(part)}" width="100%" height="100%" />
              </svg>
              ${words.names[part]}
            </th>
            <td>${money(amounts[part])}</td>
          </tr>
          <tr>
            <td class="words" colspan="2">${arithmetic(words, part, explained)}</td>
          </tr>
        </tbody>`,
    )}
    <tfoot>
      <tr>
        <th scope="row">${words.total}</th>
        <td>${money(amounts[totalAmount])}</td>
      </tr>
    </tfoot>
  </table>`;
}

/** The widths are shares of the sum of the parts, because the total of an upstream need not be that sum. */
function bar(amounts: Prequalification, available: readonly AmountPart[]): Html {
  const sum = available.reduce((dollars, part) => dollars + (amounts[part] ?? 0), 0);
  let start = 0;
  const rectangles = available.map((part) => {
    const [x, width] = [start, ((amounts[part] ?? 0) / sum) * 100];
    start += width;
    return html`<rect class="${fillClass(part)}" x="${x}%" width="${width}%" height="100%" />`;
  });
  return html`<svg class="bar" aria-hidden="true">${rectangles}</svg>`;
}

const zerosMarkup = (words: Words, zeros: readonly {part: AmountPart; needed: string | undefined}[]) =>
  zeros.length > 0 &&
  html`<div>
    ${zeros.map(
      ({part, needed}) =>
        html`<details>
          <summary>${words.names[part]}</summary>
          <p class="aside">${needed ?? words.reasons.unknown}</p>
        </details>`,
    )}
  </div>`;

type Next = {
  text: string | undefined;
  lang: string | undefined;
  values: Readonly<Record<string, string>>;
};

function nextMarkup(words: Words, {text, lang, values}: Next): Html {
  // A name may be broken at the end of a line, and a number or code may not. Whatever a value holds keeps its direction.
  const filled = (template: string) =>
    splitAtPlaceholders(template).map((piece, index) => {
      if (index % 2 === 0) return html`${piece}`;
      return piece === 'first_name'
        ? html`<span dir="auto">${values[piece]}</span>`
        : html`<bdi>${values[piece]}</bdi>`;
    });
  const what =
    text !== undefined &&
    html`<h3>${words.whatNext}</h3>
      <p ${lang !== undefined && html`lang="${lang}"`}>${filled(text)}</p>`;
  return html`<div class="next">
    ${what}
    <p>${filled(words.reference)}</p>
  </div>`;
}

function ways(words: Words, {answer, cta, contact}: Answered): Html {
  const link = contentFor(cta, words.locale);
  const main =
    link &&
    html`<a class="main" href="${link.content.href}" ${link.lang !== undefined && html`lang="${link.lang}"`}
      >${link.content.label}</a
    >`;
  const reach = contact.map(
    ({href, text}) => html`<a class="main" href="${href}" target="_self">${text}</a>`,
  );
  return html`<div class="actions ways">${waysOn(answer, main, reach)}</div>`;
}

function actions(words: Words, {action, carries}: Answered, mayChange: boolean): Html {
  const change =
    mayChange &&
    html`<form method="post" action="${action}" target="_self" accept-charset="utf-8">
      ${Object.entries(carries).map(([name, value]) => hidden(name, value))}
      <button type="submit" name="${carried.change}" value="1">${words.change}</button>
    </form>`;
  return html`<div class="actions">
    ${change}
    <div class="take"><a href="${action}" target="_self">${words.startOver}</a></div>
  </div>`;
}
