/**
 * Keeps the draft of a form up to date, as long as the page sets `draft`. It is removed when the lead is answered, and
 * when the form is emptied.
 */
import type {ReactiveController} from 'lit';
import {safeDocument} from '../page/safe-document.ts';
import type {FormHost} from './form-host.ts';
import type {FormState} from './form-state.ts';
import {answersText, keepDraft, keptText} from './kept-draft.ts';

export class Draft implements ReactiveController {
  readonly #host: FormHost;
  readonly #fields: FormState;
  readonly #isAnswered: () => boolean;
  /** The answers of the lead that was answered last. They are no draft until the visitor changes one of them. */
  #sent = '';
  /** The answers and the page of the last time, and what the draft held then. */
  #shown = '';
  #kept: string;

  /** @param isAnswered whether the form shows an answer in place of the fields */
  constructor(host: FormHost, fields: FormState, isAnswered: () => boolean) {
    this.#host = host;
    this.#fields = fields;
    this.#isAnswered = isAnswered;
    this.#kept = keptText(host.element.partner);
    host.element.addController(this);
  }

  hostConnected() {
    this.#host.element.addEventListener('input', this.#keep);
    // Browsers hide a page before the visitor leaves it, and before they end it in the background.
    safeDocument.addEventListener('visibilitychange', this.#onVisibility);
    addEventListener('pageshow', this.#onReturn);
  }

  hostDisconnected() {
    this.#keep();
    this.#host.element.removeEventListener('input', this.#keep);
    safeDocument.removeEventListener('visibilitychange', this.#onVisibility);
    removeEventListener('pageshow', this.#onReturn);
  }

  /** A form that was taken off the page may still render, and must not replace the draft of the one in its place. */
  hostUpdated() {
    if (this.#host.element.isConnected) this.#keep();
  }

  /** A page that is shown again must not replace a newer draft, which another page of the tab may have kept. */
  readonly #onVisibility = () => {
    if (safeDocument.visibilityState === 'hidden') this.#keep();
  };

  /** The browser has kept the page in memory, and shows it again after Back or Forward. */
  readonly #onReturn = ({persisted}: PageTransitionEvent) => {
    if (persisted && this.#isOn && !this.#isAnswered()) this.#fields.restore();
  };

  get #isOn() {
    return this.#host.element.draft && !this.#host.isSandbox();
  }

  readonly #keep = () => {
    if (!this.#isOn) return;
    // Browsers may have filled in fields without an event.
    this.#fields.collect();
    const {values, step, page, filled} = this.#fields;
    const {partner} = this.#host.element;
    const answers = answersText(values);
    if (this.#isAnswered()) this.#sent = answers;
    // Another form of the partner has kept its draft or removed this one, and the visitor has changed nothing here since.
    const shown = answers + page;
    if (shown === this.#shown && keptText(partner) !== this.#kept) return;
    this.#shown = shown;
    const isDraft = answers !== this.#sent && (page > 0 || answers !== filled);
    keepDraft(partner, isDraft ? values : {}, step);
    this.#kept = keptText(partner);
  };
}
