/** What the visitor sees in the place of the fields once there is an answer. */
import {html, nothing, type TemplateResult} from 'lit';
import type {Prequalification} from '../../contract/amounts.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import {formatMoney} from '../../form/format-money.ts';
import {isField} from '../../form/read-fields.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {fill} from '../../form/words/fill.ts';
import {langOf, tagFor} from '../../form/words/text-in-language.ts';
import type {Words} from '../../form/words/words.ts';
import {amountsView} from './amounts-view.ts';
import {nextView} from './next-view.ts';
import type {TakeawayButtons} from '../takeaway/takeaway-buttons.ts';

/** The answer to a lead. */
export type Result = {
  readonly answer: EmbedAnswer;
  readonly leadType: LeadType | undefined;
  /** The answer is pending, and the form no longer asks the server for it. */
  readonly late: boolean;
};

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

/** The icons of the states without amounts, as paths: a tick, the hands of a clock, an exclamation mark. */
const icons = {
  thanks: 'm6.5 12.5 4 4 7.5-8.5',
  pending: 'M12 6.5V12l3.5 2.5',
  late: 'M12 6.5V12l3.5 2.5',
  refused: 'M12 6.5v7M12 17v.5',
  refusedContact: 'M12 6.5v7M12 17v.5',
};

/** The state of an answer without amounts, which is also the name of its texts. */
function stateOf({answer: {status}, leadType, late}: Result): keyof typeof icons {
  const isStandard = leadType === 'standard';
  // A standard lead has no amounts, so it is never shown as pending.
  if (status === 'pending' && !isStandard) return late ? 'late' : 'pending';
  if (status !== 'refused') return 'thanks';
  return isStandard ? 'refusedContact' : 'refused';
}

/** The fields that a refusal names. A newer server may name some that this form does not have. */
export const refusedFields = ({status, refused_fields: fields = []}: EmbedAnswer) =>
  status === 'refused' ? fields.filter(isField) : [];

/** What the visitor reads in the place of amounts. */
function explainState(words: Words, result: Result): string {
  const fields = refusedFields(result.answer).map((name) => words.labels[name]);
  return fields.length > 0
    ? fill(words.refusedFields, {fields: fields.join(', ')})
    : words[stateOf(result)].text;
}

/** The section and its title stay the same when amounts arrive for a pending lead, so that the focus stays, too. */
export function answerView(words: Words, answered: Answered) {
  const {answer, firstName: name, phone, nextStep} = answered;
  const amounts = shownAmounts(answer);
  const total = amounts?.total_qualified_amount ?? 0;
  const state = stateOf(answered);
  const {title} = words[state];
  const isRefused = answer.status === 'refused';
  const tag = isRefused ? undefined : tagFor(nextStep, words.locale);
  const partnerText = tag && nextStep[tag];
  const usualText = amounts ? (total > 0 ? words.weContact : words.weContactAnyway) : undefined;
  return html`
    <section class="answer ${amounts ? '' : `end ${answer.status}`}" aria-labelledby="result-title">
      ${
        amounts
          ? nothing
          : html`<svg class="badge" part="badge" viewBox="0 0 24 24" aria-hidden="true">
              <path d=${icons[state]}></path>
            </svg>`
      }
      <h2 id="result-title" part="heading" tabindex="-1">
        ${amounts ? greeting(words, amounts) : name ? fill(words.named, {title, name}) : title}
        ${
          total > 0
            ? html`<strong class="total ${total < 10_000_000 ? '' : 'long'}" part="total"
                ><span>${formatMoney(total, words.locale)}</span></strong
              >`
            : nothing
        }
      </h2>
      ${amounts ? amountsView(words, amounts, answer) : state === 'thanks' && partnerText ? nothing : html`<p>${explainState(words, answered)}</p>`}
      ${nextView(words, {
        id: answer.id,
        phone,
        // The answer has the name after a reload, too, if it has amounts.
        firstName: amounts?.first_name || name,
        text: partnerText ?? usualText,
        lang: langOf(tag),
      })}
      ${actionsView(words, answered, amounts !== null || isRefused)}
    </section>
  `;
}

const greeting = (words: Words, {first_name: name, total_qualified_amount: total}: Prequalification) =>
  fill(total > 0 ? words.upTo : words.nothing, {name});

/** The links and buttons below an answer, with the partner's link first. */
function actionsView(words: Words, answered: Answered, mayChange: boolean) {
  const {answer, takeaway, link, change, startOver, firstName} = answered;
  return html`
    ${mayChange && !firstName ? html`<p class="estimate">${words.notKept}</p>` : nothing}
    <div class="actions" part="actions">
      ${link ? html`<a class="main" part="button primary" href=${link.href} lang=${link.lang ?? nothing}>${link.label}</a>` : nothing}
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
