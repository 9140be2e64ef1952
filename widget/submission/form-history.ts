/**
 * Each step of the form, and its result, has an entry in the browser's history, so that the browser's Back and Forward go
 * from step to step.
 *
 * An entry has the number of its step beside whatever the page keeps in `history.state`. Entries without a number are
 * the page's own, such as those of links to a heading: they change nothing in the form.
 */
import type {ReactiveController} from 'lit';
import type {FormHost} from '../fields/form-host.ts';
import {isObject} from './exchange.ts';
import {recallReceipt} from './receipt.ts';
import type {Answered} from './submission.ts';
import type {TouchedForm} from './touched-form.ts';

const key = 'lead-prequal-step';

/** The step of the entry that the browser shows, counted from 0. The result comes after the last step. */
function stepOfEntry(): number | undefined {
  const state: unknown = history.state;
  const step = isObject(state) ? state[key] : undefined;
  return typeof step === 'number' ? step : undefined;
}

const stateFor = (step: number) => ({...(history.state as object | null), [key]: step});

export class FormHistory implements ReactiveController {
  /** Those on the page. */
  static readonly #all = new Set<FormHistory>();

  readonly #host: FormHost;
  readonly #form: TouchedForm;
  /** The step of the entry that the browser has shown last. After a reload, the form may be at an earlier step. */
  #shown = stepOfEntry() ?? 0;
  /** The step whose entry the form itself is going back to. */
  #goal: number | undefined;
  /** The answer that the visitor has left with Back. */
  #left: Answered | undefined;

  constructor(host: FormHost, form: TouchedForm) {
    this.#host = host;
    this.#form = form;
    const {element} = host;
    element.addEventListener('prequal-step', ({detail}) => this.#follow(detail.step - 1));
    element.addEventListener('prequal-result', () => this.#follow(this.#resultStep));
    element.addController(this);
    this.#meetDraft();
  }

  hostConnected() {
    FormHistory.#all.add(this);
    addEventListener('popstate', this.#onPopState);
  }

  hostDisconnected() {
    FormHistory.#all.delete(this);
    removeEventListener('popstate', this.#onPopState);
  }

  /**
   * A draft has brought back a later step than the first. On a new page, such as that in another language, the steps
   * before it get entries. An entry that has a number is one that the visitor has gone back to.
   */
  #meetDraft() {
    const {fields} = this.#form;
    const entry = stepOfEntry();
    if (entry !== undefined) fields.page = Math.min(fields.page, entry);
    else if (fields.page > 0) this.#follow(fields.page);
  }

  get #resultStep() {
    return this.#host.pages().length;
  }

  /** The form shows another step: adds entries for it, or goes back to the one that it has. */
  #follow(step: number) {
    const state: unknown = history.state;
    // A state that is no object has no room for the number of the step.
    if (state !== null && !isObject(state)) return;
    const marked = stepOfEntry();
    const entry = marked ?? this.#shown;
    this.#shown = step;
    if (marked === undefined) history.replaceState(stateFor(Math.min(step, entry)), '');
    else if (step < entry) this.#goBack(step, entry);
    for (let next = entry + 1; next <= step; next++) history.pushState(stateFor(next), '');
  }

  #goBack(step: number, entry: number) {
    this.#goal = step;
    history.go(step - entry);
  }

  readonly #onPopState = () => {
    // The entries are those of another form on the page, which the visitor uses.
    if (!this.#form.isUsed && [...FormHistory.#all].some((other) => other.#form.isUsed)) return;
    const step = stepOfEntry();
    const goal = this.#goal;
    this.#goal = undefined;
    if (step === undefined) return;
    const isBack = step < this.#shown;
    this.#shown = step;
    if (goal !== undefined) {
      // The page has added entries of its own between two steps.
      if (step > goal) this.#goBack(goal, step);
      return;
    }
    const {fields, submission} = this.#form;
    const {stage} = submission;
    // What is being sent stays on the screen.
    if (stage.name === 'sending') return;
    if (step >= this.#resultStep) return this.#forwardToResult(step);
    if (stage.name === 'answered') {
      this.#left = stage;
      submission.change();
    } else if (step === fields.page) return;
    else if (isBack && step > fields.page) return this.#goBack(fields.page, step);
    // After a reload the fields of earlier steps may be empty.
    this.#form.showPage(Math.min(step, this.#form.firstPageOf(this.#form.read().errors)));
  };

  #forwardToResult(step: number) {
    const left = this.#left;
    if (left && recallReceipt(left.endpoint)?.id === left.answer.id) {
      this.#form.submission.enterAnswered(left.endpoint, left.answer, left.leadType);
      this.#host.refresh('h2');
    } else if (this.#form.submission.stage.name !== 'answered') {
      this.#goBack(this.#form.fields.page, step);
    }
  }
}
