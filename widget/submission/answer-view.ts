/** What the visitor sees in the place of the fields once there is an answer. */
import {html, nothing, type TemplateResult} from 'lit';
import type {ContactLink} from '../../contract/embed.ts';
import {formatMoney} from '../../form/format-money.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {amountsView, nextView} from '../../form/views/answer.ts';
import {fill} from '../../form/words/fill.ts';
import {
  explainState,
  greeting,
  stateIcons,
  stateOf,
  usualNext,
  waysOn,
  type Result,
} from '../../form/words/say-answer.ts';
import {contentFor} from '../../form/words/partner-text.ts';
import {wayLabel, type Words} from '../../form/words/words.ts';
import {changingText} from '../fields/changing-text.ts';
import {contactView} from '../fields/contact-view.ts';
import type {TakeawayButtons} from '../takeaway/takeaway-buttons.ts';

/** A link below the answer. */
export type Link = {
  readonly href: string;
  readonly label: string;
  /** The language of the label, if it is known and may be another than that of the form. */
  readonly lang?: string | undefined;
};

/** What the answer is shown with: what the visitor typed, and what the visitor can do next. */
export type AnswerContext = {
  /** As the visitor typed it. Empty after a reload, as is the phone number. */
  readonly firstName: string;
  readonly phone: string;
  /** The link from `cta-href` and `cta-label`, or else that of the partner. */
  readonly link: Link | undefined;
  /** How to reach the partner. */
  readonly contact: Iterable<ContactLink>;
  readonly change: () => void;
};

export type Answered = Result &
  AnswerContext & {
    /** The partner's words about what happens next, by language. */
    readonly nextStep: Readonly<Record<string, string>>;
    /** The buttons to copy and to print the result. */
    readonly takeaway: TakeawayButtons;
    /** The button that erases the result. */
    readonly startOver: TemplateResult;
  };

/** The section and its title stay the same when amounts arrive for a pending lead, so that the focus stays, too. */
export function answerView(words: Words, answered: Answered) {
  const {answer, firstName: name, phone, nextStep} = answered;
  const amounts = shownAmounts(answer);
  const total = amounts?.total_qualified_amount ?? 0;
  const state = stateOf(answered);
  const {title} = words[state];
  const isRefused = answer.status === 'refused';
  const link =
    answered.link &&
    html`<a
      class="main"
      part="button primary"
      href=${answered.link.href}
      lang=${answered.link.lang ?? nothing}
      >${answered.link.label}</a
    >`;
  const ways = html`<div class="actions ways" part="actions">
    ${waysOn(answer, link, contactView(answered.contact, wayLabel(words)))}
  </div>`;
  const partnerText = isRefused ? undefined : contentFor(nextStep, words.locale);
  return html`
    <section class="answer ${amounts ? '' : `end ${answer.status}`}" aria-labelledby="result-title">
      ${
        amounts
          ? nothing
          : html`<svg class="badge" part="badge" viewBox="0 0 24 24" aria-hidden="true">
              <path d=${stateIcons[state]}></path>
            </svg>`
      }
      <h2 id="result-title" part="heading" tabindex="-1">
        ${changingText(amounts ? greeting(words, amounts) : name ? fill(words.named, {title, name}) : title)}
        ${
          total > 0
            ? html`<strong class="total ${total < 10_000_000 ? '' : 'long'}" part="total"
                ><span>${formatMoney(total, words.locale)}</span></strong
              >`
            : nothing
        }
      </h2>
      ${
        amounts
          ? amountsView(words, amounts, answer, ways)
          : [
              state === 'thanks' && partnerText
                ? nothing
                : html`<p>${changingText(explainState(words, answered))}</p>`,
              ways,
            ]
      }
      ${nextView(words, {
        id: answer.id,
        phone,
        // The answer has the name after a reload, too, if it has amounts.
        firstName: amounts?.first_name || name,
        text: partnerText?.content ?? usualNext(words, amounts),
        lang: partnerText?.lang,
      })}
      ${actionsView(words, answered, amounts !== null || isRefused)}
    </section>
  `;
}

/** The buttons below an answer. */
function actionsView(words: Words, answered: Answered, mayChange: boolean) {
  const {answer, takeaway, change, startOver, firstName} = answered;
  return html`
    ${mayChange && !firstName ? html`<p class="estimate">${words.notKept}</p>` : nothing}
    <div class="actions" part="actions">
      ${
        mayChange
          ? html`<button part="button" type="button" @click=${change}>
              ${firstName ? words.change : words.answerAgain}
            </button>`
          : nothing
      }
      <div class="take">${answer.prequalification ? takeaway.view() : nothing} ${startOver}</div>
    </div>
  `;
}

/** The result in one sentence, for screen readers. */
export function resultSentence(words: Words, result: Result): string {
  const amounts = shownAmounts(result.answer);
  if (!amounts) return explainState(words, result);
  const total = amounts.total_qualified_amount;
  return `${greeting(words, amounts)} ${total > 0 ? formatMoney(total, words.locale) : ''}`;
}
