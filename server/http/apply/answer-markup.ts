/** The answer to a lead as HTML. It has the structure of widget/submission/answer-view.ts, and its sentences come from form/. */
import {DateTime} from 'luxon';
import {totalAmount} from '../../../contract/amounts.ts';
import type {ContactLink, PartnerLink} from '../../../contract/embed.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {shownAmounts} from '../../../form/shown-amounts.ts';
import {amountsView, nextView} from '../../../form/views/answer.ts';
import {fill} from '../../../form/words/fill.ts';
import {contentFor} from '../../../form/words/partner-text.ts';
import {
  explainState,
  greeting,
  stateIcons,
  stateOf,
  usualNext,
  waysOn,
  type Result,
} from '../../../form/words/say-answer.ts';
import {wayLabel, type Words} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import {litMarkup} from '../../html/lit-markup.ts';
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

export function answerMarkup(words: Words, answered: Answered): Html {
  const {answer, firstName: name, phone, nextStep} = answered;
  const amounts = shownAmounts(answer);
  const total = amounts?.[totalAmount] ?? 0;
  const state = stateOf(answered);
  const {title} = words[state];
  const isRefused = answer.status === 'refused';
  const partnerText = isRefused ? undefined : contentFor(nextStep, words.locale);
  const date = DateTime.now().setLocale(words.locale).toLocaleString(DateTime.DATE_FULL);
  const printed = html` <span class="printed"
    >${[fill(words.madeOn, {date}), ...answered.contact.map(({text}) => text)].join(' · ')}</span
  >`;
  const explains = !amounts && !(state === 'thanks' && partnerText);
  return html`<section class="answer ${!amounts && `end ${answer.status}`}" aria-labelledby="result-title">
    ${!amounts && html`<svg class="badge" viewBox="0 0 24 24" aria-hidden="true"><path d="${stateIcons[state]}" /></svg>`}
    <h2 id="result-title" part="heading" tabindex="-1" autofocus>
      ${amounts ? greeting(words, amounts) : fill(words.named, {title, name})}
      ${total > 0 && html`<strong class="total ${total >= 10_000_000 && 'long'}">${formatMoney(total, words.locale)}</strong>`}
    </h2>
    ${explains && html`<p>${explainState(words, answered)}</p>`}
    ${amounts ? litMarkup(amountsView(words, amounts, answer, ways(words, answered), printed)) : ways(words, answered)}
    ${litMarkup(
      nextView(words, {
        id: answer.id,
        phone,
        firstName: name,
        text: partnerText?.content ?? usualNext(words, amounts),
        lang: partnerText?.lang,
      }),
    )}
    ${actions(words, answered, amounts !== null || isRefused)}
  </section>`;
}

function ways(words: Words, {answer, cta, contact}: Answered): Html {
  const link = contentFor(cta, words.locale);
  const main =
    link &&
    html`<a class="main" href="${link.content.href}" ${link.lang !== undefined && html`lang="${link.lang}"`}
      >${link.content.label}</a
    >`;
  const reach = contact.map(
    ({href, text}) => html`<a class="main" href="${href}" target="_self">${wayLabel(words)(text)}</a>`,
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
