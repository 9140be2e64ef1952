/** What came of a lead. The frame stays when the amounts arrive, and with it the focus. */
import type {AmountPart, Prequalification} from '../../contract/amounts.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import {resultView} from './amounts-view.ts';
import type {Takeaway, Kit, Shown} from './types.ts';

export type Answered = Shown & {
  readonly answer: EmbedAnswer;
  readonly leadType: LeadType | undefined;
  readonly minimums: Partial<Record<AmountPart, number>>;
  /** Nobody asks any more whether a pending result is there. */
  readonly late: boolean;
  /** Once it has been loaded, which a result does not wait for. */
  readonly takeaway: Takeaway | undefined;
};

/** A tick, a clock's hands, an exclamation mark. */
const marks = {
  thanks: 'm6.5 12.5 4 4 7.5-8.5',
  pending: 'M12 6.5V12l3.5 2.5',
  late: 'M12 6.5V12l3.5 2.5',
  refused: 'M12 6.5v7M12 17v.5',
};

type State = Pick<Answered, 'answer' | 'leadType' | 'late'>;

/** The states without amounts. */
function endOf({answer: {status}, leadType, late}: State): keyof typeof marks {
  // Who asked for no amounts waits for none.
  if (status === 'pending' && leadType !== 'standard') return late ? 'late' : status;
  return status === 'refused' ? status : 'thanks';
}

export function answerView(kit: Kit, answered: Answered) {
  const {html, nothing, fill, money, words} = kit;
  const {firstName: name} = answered;
  const amounts = answered.answer.prequalification;
  const total = amounts?.total_qualified_amount ?? 0;
  const end = endOf(answered);
  const {title, text} = words[end];
  return html`
    <section class="answer ${amounts ? '' : `end ${end}`}" aria-labelledby="result-title">
      ${
        amounts
          ? nothing
          : html`<svg class="badge" part="badge" viewBox="0 0 24 24" aria-hidden="true">
              <path d=${marks[end]}></path>
            </svg>`
      }
      <h2 id="result-title" part="heading" tabindex="-1">
        ${amounts ? greeting(kit, amounts) : name ? fill(words.named, {title, name}) : title}
        ${total > 0 ? html`<strong class="total" part="total"><span>${money(total)}</span></strong>` : nothing}
      </h2>
      ${amounts ? resultView(kit, amounts, answered) : html`<p>${text}</p>`}
      ${actionsView(kit, answered, Boolean(amounts) || end === 'refused')}
    </section>
  `;
}

const greeting = ({fill, words}: Kit, {first_name: name, total_qualified_amount: total}: Prequalification) =>
  fill(total > 0 ? words.upTo : words.nothing, {name});

/** What a visitor can do once there is an answer: the partner's next step first. */
function actionsView({html, nothing, words}: Kit, answered: Answered, mayChange: boolean) {
  const {answer, takeaway, link, change, startOver, firstName} = answered;
  return html`
    ${mayChange && !firstName ? html`<p class="estimate">${words.notKept}</p>` : nothing}
    <div class="actions" part="actions">
      ${link ? html`<a class="main" part="button primary" href=${link.href}>${link.label}</a>` : nothing}
      ${
        mayChange
          ? html`<button class="plain" part="button" type="button" @click=${change}>
              ${firstName ? words.change : words.answerAgain}
            </button>`
          : nothing
      }
      <div class="take">
        ${answer.prequalification && takeaway?.view(answer.prequalification)}
        <button class="quiet" part="button" type="button" @click=${startOver}>${words.startOver}</button>
      </div>
    </div>
  `;
}

/** In a sentence, for those who hear it. */
export function spoken(kit: Kit, state: State): string {
  const amounts = state.answer.prequalification;
  if (!amounts) return kit.words[endOf(state)].text;
  const total = amounts.total_qualified_amount;
  return `${greeting(kit, amounts)} ${total > 0 ? kit.money(total) : ''}`;
}
