/** The form as it asks: progress, error summary, the fields of a step or of all, notice and buttons. */
import {html, nothing, type TemplateResult} from 'lit';
import type {LeadType} from '../../contract/fields.ts';
import type {AnswerPart, Notice} from '../submission/types.ts';
import {errorText, fieldView} from './field-view.ts';
import {lock, warning} from './icons.ts';
import type {Errors, InputError, Values} from '../../form/read-fields.ts';
import type {FieldName, Page, Step} from '../../form/pages.ts';
import {fill, sayError, type Words} from '../../form/words/words.ts';

export type FormState = {
  readonly interview: Readonly<{
    page: number;
    values: Values;
    errors: Errors;
    summary: Errors;
    suggestion: string | undefined;
  }>;
  readonly words: Words;
  readonly leadType: LeadType;
  readonly pages: readonly Page[];
  readonly notice: Notice | undefined;
  /** The same lead may be sent again as it is. */
  readonly retryable: boolean | undefined;
  readonly sending: boolean;
  readonly privacyHref: string | undefined;
  /** What the answer file puts above the last button, once it is there. */
  readonly consentView: AnswerPart['consentView'] | undefined;
  /** The page was shown before that: room is kept for it. */
  readonly held: boolean;
};

export type FormHandlers = {
  readonly submit: (event: Event) => void;
  readonly touch: () => void;
  readonly press: () => void;
  readonly input: (event: Event) => void;
  readonly leave: (event: FocusEvent) => void;
  readonly back: () => void;
  readonly none: (name: FieldName) => void;
  readonly accept: () => void;
  readonly goTo: (name: FieldName) => void;
};

export function formView(state: FormState, on: FormHandlers) {
  const {words, pages, leadType} = state;
  const {page, errors} = state.interview;
  const last = page === pages.length - 1;
  const standard = leadType === 'standard';
  const privacy = state.privacyHref
    ? html`<a href=${state.privacyHref} target="_blank" rel="noopener">${words.privacy}</a>`
    : nothing;
  const finish = standard ? words.send : words.seeEstimate;
  return html`
    <form
      novalidate
      @submit=${on.submit}
      @focusin=${on.touch}
      @pointerdown=${on.press}
      @input=${on.input}
      @focusout=${on.leave}
    >
      ${summaryView(state, on)} ${progressView(state)}
      ${pages.map((steps, index) =>
        // A page that is not shown leaves its place in the list empty, so that no input is ever reused.
        index === page ? steps.map((step) => stepView(step, state, on)) : nothing,
      )}
      ${last ? html`<slot name="consent"></slot>` : nothing}
      <div class="use ${last && state.held ? 'roomy' : ''}">
        ${last ? state.consentView?.(state, privacy) : nothing}
        <p class="why" part="privacy">
          ${lock}<span>${standard ? words.useContact : words.use} ${privacy}</span>
        </p>
      </div>
      ${errorText('consent', words, errors.consent)} ${noticeView(state)}
      <div class="actions" part="actions">
        <button
          class="main"
          part="button primary"
          type="submit"
          aria-disabled=${state.sending ? 'true' : 'false'}
        >
          ${
            state.sending
              ? html`<span class="spinner" aria-hidden="true"></span>${words.sending}`
              : state.retryable
                ? words.tryAgain
                : last
                  ? finish
                  : words.next
          }
        </button>
        ${
          page
            ? html`<button class="plain" part="button" type="button" @click=${on.back}>${words.back}</button>`
            : nothing
        }
      </div>
    </form>
  `;
}

function stepView({name, fields}: Step, {words, pages, interview}: FormState, on: FormHandlers) {
  const {page, values, errors, suggestion} = interview;
  return html`
    <section>
      <h2 part="heading" tabindex="-1">
        ${
          pages.length > 1
            ? html`<span class="count" part="count"
                >${fill(words.step, {step: page + 1, of: pages.length})}</span
              > `
            : nothing
        }
        ${words.steps[name]}
      </h2>
      <div class="fields" part="fields">
        ${fields.map((field) =>
          field === 'consent'
            ? nothing
            : fieldView(field, {words, value: values[field], error: errors[field], suggestion, on}),
        )}
      </div>
    </section>
  `;
}

const progressView = ({pages, interview}: FormState) =>
  pages.length > 1
    ? html`<div class="progress" part="progress" aria-hidden="true">
        ${pages.map((_, index) => html`<i class=${index <= interview.page ? 'done' : ''}></i>`)}
      </div>`
    : nothing;

function summaryView({words, interview: {summary, errors}}: FormState, on: FormHandlers) {
  const listed = Object.entries(summary) as [FieldName, InputError][];
  const follow = (event: Event, name: FieldName) => {
    event.preventDefault();
    on.goTo(name);
  };
  return listed.length === 0
    ? nothing
    : alertView(
        'summary',
        words.summary,
        html`<ul>
          ${listed.map(
            ([name, code]) => html`
              <li class=${errors[name] ? '' : 'mended'}>
                <a href="#${name}" @click=${(event: Event) => follow(event, name)}>
                  ${sayError(words, name, code)}
                </a>
              </li>
            `,
          )}
        </ul>`,
      );
}

const noticeView = ({notice}: FormState) =>
  notice ? alertView('notice', notice.title, html`<p>${notice.text}</p>`) : nothing;

/** There is one at a time; it gets the focus when it appears, and so is read out. */
const alertView = (part: 'summary' | 'notice', title: string, content: TemplateResult) => html`
  <div class="alert" part=${part} role="group" aria-labelledby="alert-title" tabindex="-1">
    ${warning}
    <div>
      <p class="alert-title" id="alert-title">${title}</p>
      ${content}
    </div>
  </div>
`;
