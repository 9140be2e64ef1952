/** The view of the form before there is an answer: progress, the fields of a page, and buttons. */
import {html, nothing} from 'lit';
import type {Page, Step} from '../form/pages.ts';
import {fill} from '../form/words/fill.ts';
import {stepTitle, type WordsSoFar} from '../form/words/words.ts';
import type {ContactLink} from '../contract/embed.ts';
import type {FormEvent, TouchedForm} from './submission/touched-form.ts';
import type {ArrivalState} from './loading/arrival.ts';
import {noticeView} from './fields/alert-view.ts';
import {changingText} from './fields/changing-text.ts';
import {contactView} from './fields/contact-view.ts';
import {creditScoreField} from './fields/choice-field.ts';

export type FormView = {
  readonly words: WordsSoFar;
  readonly pages: readonly Page[];
  readonly privacyHref: string | undefined;
  /** Of the first step. */
  readonly trustLine: string | undefined;
  /** What `rest` adds to the first screen. Undefined until `rest` has arrived. */
  readonly touched: TouchedForm | undefined;
  readonly arrival: ArrivalState;
  /** How to reach the partner, as the page itself says it. */
  readonly contact: Iterable<ContactLink>;
  /** The address of the apply page. Undefined where the form must not link to it. */
  readonly applyHref: string | undefined;
  readonly onEvent: (event: FormEvent & Event) => void;
  /** The visitor presses the main button, or Enter in a field. */
  readonly onPress: (event: PointerEvent) => void;
  readonly onSubmit: (event: Event) => void;
};

export function formView(view: FormView) {
  const {words, pages, touched, arrival, onEvent} = view;
  const page = touched?.fields.page ?? 0;
  const isSending = touched?.submission.isSending ?? false;
  const isBusy = arrival === 'awaited' || isSending;
  const privacy = view.privacyHref
    ? html`<a href=${view.privacyHref} target="_blank" rel="noopener">${words.privacy}</a>`
    : nothing;
  return html`
    <form
      novalidate
      autocapitalize="words"
      autocorrect="off"
      spellcheck="false"
      @submit=${view.onSubmit}
      @focusin=${onEvent}
      @keydown=${onEvent}
      @pointerdown=${onEvent}
      @input=${onEvent}
      @focusout=${onEvent}
    >
      ${touched?.summary()} ${progressView(pages, page)}
      ${pages.map((steps, index) =>
        // The list has an item for each page, also for hidden ones, so that Lit never reuses an input for another page.
        index === page ? steps.map((step) => stepView(step, page, view)) : nothing,
      )}
      ${touched?.consentSlot()}
      <div ?inert=${isSending} class="use">
        ${touched?.consentView(privacy)}
        <p class="why" part="privacy">
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path
              d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H3v8h10V7h-1.5V4.5A3.5 3.5 0 0 0 8 1Zm2 6H6V4.5a2 2 0 1 1 4 0V7Z"
            /></svg
          ><span>${changingText(touched?.use() ?? words.short)} ${privacy}</span>
        </p>
        <b part="trust">${page ? nothing : view.trustLine}</b>
      </div>
      ${touched?.consent.errorView()} ${arrival === 'failed' ? loadFailedNotice(view) : touched?.notice()}
      <div class="actions ${touched?.awaitsConsent ? 'waiting' : ''}" part="actions">
        ${touched?.ways()}
        <button
          class="main"
          part="button primary"
          type="submit"
          aria-disabled=${isBusy}
          @click=${view.onPress}
        >
          ${changingText(touched?.mainLabel() ?? firstLabel(view))}
        </button>
        ${arrival === 'failed' ? contactView(view.contact) : touched?.besideMain()}
      </div>
    </form>
  `;
}

type WayOn = Pick<FormView, 'words' | 'applyHref'>;

const applyLinkView = ({words, applyHref}: WayOn) =>
  applyHref ? html`<a href=${applyHref} target="_blank" rel="noopener">${words.openForm}</a>` : nothing;

const loadFailedNotice = (view: WayOn) => noticeView(view.words.loadFailed, applyLinkView(view));

/** Stands in place of the fields if the rest of the form did not arrive, and the first screen needs it. */
export const loadFailedView = (
  view: Pick<FormView, 'words' | 'contact' | 'applyHref' | 'arrival'>,
  onRetry: () => void,
) => html`
  ${loadFailedNotice(view)}
  <div class="actions" part="actions">
    <button
      class="main"
      part="button primary"
      type="button"
      aria-disabled=${view.arrival === 'awaited'}
      @click=${onRetry}
    >
      ${changingText(firstLabel(view))}
    </button>
    ${contactView(view.contact)}
  </div>
`;

/** What the main button says as long as `rest` is not there. */
function firstLabel({words, arrival}: Pick<FormView, 'words' | 'arrival'>) {
  if (arrival === 'awaited') return words.loading;
  return arrival === 'failed' ? words.tryAgain : words.next;
}

function stepView(step: Step, page: number, {words, pages, touched}: FormView) {
  const {name, title, fields} = step;
  const count = pages.length > 1 && fill(words.step, {step: page + 1, of: pages.length});
  return html`
    ${touched?.soFar.above(step)}
    <section class=${title ? nothing : 'alone'} data-step=${name} ?inert=${touched?.submission.isSending}>
      <h2 tabindex="-1">
        ${count ? html`<span class="count" part="count">${count}</span>` : nothing}
        <span part="heading">${touched?.title(step) ?? stepTitle(words, step)}</span>
      </h2>
      <div class="fields" part="fields">
        ${fields.map((field) => touched?.fields.view(field) ?? creditScoreField(words))}
      </div>
    </section>
  `;
}

const progressView = (pages: readonly Page[], page: number) =>
  pages.length > 1
    ? html`<div class="progress" part="progress" aria-hidden="true">
        ${pages.map((_, index) => html`<i part=${index <= page ? 'bar-done' : 'bar-open'}></i>`)}
      </div>`
    : nothing;
