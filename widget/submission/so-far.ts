/** The line with the total that the answers so far come to, for partners that show it before the contact data. */
import {html, nothing} from 'lit';
import {formatMoney} from '../../form/format-money.ts';
import {leastTotal} from '../../form/least-total.ts';
import {fill} from '../../form/words/fill.ts';
import type {FormHost} from '../fields/form-host.ts';
import type {FormState} from '../fields/form-state.ts';
import type {Preparation} from './preparation.ts';

export class SoFar {
  readonly #host: FormHost;
  readonly #fields: FormState;
  readonly #preparation: Preparation;
  /** Whole US dollars. It changes when an answer is complete, because a number that changes at each key distracts. */
  #total = 0;
  /** The last page that the visitor has come to. A question on a page before it is not open any more. */
  #furthest = 0;

  constructor(host: FormHost, fields: FormState, preparation: Preparation) {
    this.#host = host;
    this.#fields = fields;
    this.#preparation = preparation;
  }

  get #figures() {
    const isAsked = this.#host.leadType() === 'prequalification';
    return isAsked ? this.#preparation.config?.estimate : undefined;
  }

  reset() {
    this.#furthest = 0;
    this.update();
  }

  /** The visitor has answered a question, or shows another page. */
  update() {
    const figures = this.#figures;
    if (!figures) return;
    const {values, page} = this.#fields;
    this.#furthest = Math.max(this.#furthest, page);
    const bankruptcyIsOpen =
      this.#furthest <= this.#host.pages().findIndex((steps) => steps.some(hasBankruptcy));
    const total = leastTotal(values, figures, bankruptcyIsOpen);
    if (total === this.#total) return;
    this.#total = total;
    this.#host.refresh();
  }

  /**
   * The line above the fields. The first of several pages has none, because nothing can be said yet there, and because the
   * figures may arrive while the visitor is on it.
   */
  above() {
    return this.#fields.page === 0 ? nothing : this.#view();
  }

  /** The line below the fields of a single page, so that a visitor who has filled them in sees it. */
  below() {
    return this.#host.pages().length > 1 ? nothing : this.#view();
  }

  /** Screen readers say the line when it changes. */
  #view() {
    if (!this.#figures) return nothing;
    const {words} = this.#host;
    const amount = formatMoney(this.#total, words.locale);
    return html`<p
      class="so-far"
      part="so-far"
      role="status"
      .textContent=${this.#total > 0 ? fill(words.soFar, {amount}) : words.soFarNothing}
    ></p>`;
  }
}

const hasBankruptcy = ({fields}: {fields: readonly string[]}) => fields.includes('bankruptcy');
