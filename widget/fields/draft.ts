/**
 * Keeps the draft of a form up to date, as long as the page sets `draft`. It is removed when the lead is answered, and
 * when the form is emptied. A form that the visitor does not use changes no answer of the draft, because a page may have the
 * form twice, such as once for each width of the screen.
 */
import type {ReactiveController} from 'lit';
import {safeDocument} from '../page/safe-document.ts';
import type {FormHost} from './form-host.ts';
import type {FormState} from './form-state.ts';
import {answersText, keepDraft, keptText, prolongDraft} from './kept-draft.ts';

export class Draft implements ReactiveController {
  readonly #host: FormHost;
  readonly #fields: FormState;
  readonly #isUsed: () => boolean;
  readonly #isAnswered: () => boolean;
  /** The answers of the lead that was answered last. They are no draft until the visitor changes one of them. */
  #sent = '';
  /** The answers and the page of the last time, and what the draft held then. */
  #shown = '';
  #kept: string;

  /**
   * @param isUsed whether the visitor has done something in the form
   * @param isAnswered whether the form shows an answer in place of the fields
   */
  constructor(host: FormHost, fields: FormState, isUsed: () => boolean, isAnswered: () => boolean) {
    this.#host = host;
    this.#fields = fields;
    this.#isUsed = isUsed;
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
    if (!this.#isUsed()) return prolongDraft(partner);
    const isDraft = answers !== this.#sent && (page > 0 || answers !== filled);
    keepDraft(partner, isDraft ? values : {}, step);
    this.#kept = keptText(partner);
  };
}
