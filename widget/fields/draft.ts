/** Keeps the draft of a form up to date, as long as the page sets `draft`. */
import type {ReactiveController} from 'lit';
import {safeDocument} from '../page/safe-document.ts';
import type {FormHost} from './form-host.ts';
import type {FormState} from './form-state.ts';
import {keepDraft} from './known-contact.ts';

export class Draft implements ReactiveController {
  readonly #host: FormHost;
  readonly #fields: FormState;

  constructor(host: FormHost, fields: FormState) {
    this.#host = host;
    this.#fields = fields;
    host.element.addController(this);
  }

  hostConnected() {
    this.#host.element.addEventListener('input', this.#keep);
    // Browsers hide a page before the visitor leaves it, and before they end it in the background.
    safeDocument.addEventListener('visibilitychange', this.#keep);
  }

  hostDisconnected() {
    this.#keep();
    this.#host.element.removeEventListener('input', this.#keep);
    safeDocument.removeEventListener('visibilitychange', this.#keep);
  }

  hostUpdated() {
    this.#keep();
  }

  /** The form is empty after `reset()`, and has no fields once the lead is answered: then the draft is removed. */
  readonly #keep = () => {
    const {element} = this.#host;
    if (!element.draft || this.#host.isSandbox()) return;
    // Browsers may have filled in fields without an event.
    this.#fields.collect();
    keepDraft(element.partner, this.#host.find('form') ? this.#fields.values : {});
  };
}
