/** The line with the total that the answers so far come to, for partners that show it before the contact data. */
import {html, nothing} from 'lit';
import {formatMoney} from '../../form/format-money.ts';
import type {Step} from '../../form/pages.ts';
import {totalSoFar, type TotalSoFar} from '../../form/total-so-far.ts';
import {fill} from '../../form/words/fill.ts';
import {changingText} from '../fields/changing-text.ts';
import type {FormHost} from '../fields/form-host.ts';
import type {FormState} from '../fields/form-state.ts';
import type {Preparation} from './preparation.ts';

/** Milliseconds after a key. A total that changes at each key would distract. */
const pause = 250;

export class SoFar {
  readonly #host: FormHost;
  readonly #fields: FormState;
  readonly #preparation: Preparation;
  #shown: TotalSoFar = {total: 0};
  /** The visitor is in an amount. Screen readers wait with the total until the amount is complete. */
  #isTyping = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: FormHost, fields: FormState, preparation: Preparation) {
    this.#host = host;
    this.#fields = fields;
    this.#preparation = preparation;
  }

  get #figures() {
    const isAsked = this.#host.leadType() === 'prequalification';
    return isAsked ? this.#preparation.config?.estimate : undefined;
  }

  /** Whole US dollars. Zero where the partner does not show the total. */
  get total() {
    return this.#figures ? this.#shown.total : 0;
  }

  /** The visitor types an amount. */
  type() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.update(true), pause);
  }

  /** The visitor has answered a question, or shows another page. */
  update(isTyping = false) {
    clearTimeout(this.#timer);
    const figures = this.#figures;
    if (!figures) return;
    const {total, bankruptcy} = totalSoFar(this.#fields.values, figures);
    const shown = this.#shown;
    if (total === shown.total && bankruptcy === shown.bankruptcy && isTyping === this.#isTyping) return;
    this.#shown = {total, bankruptcy};
    this.#isTyping = isTyping;
    this.#host.refresh();
  }

  /**
   * The line above a step, which screen readers say when it changes. On a single page it is above the funds. The first of
   * several pages has none, because nothing can be said yet there, and because the figures may arrive while the visitor is
   * on it.
   */
  above({name}: Step) {
    const isHere = this.#host.pages().length > 1 ? this.#fields.page > 0 : name === 'funds';
    if (!isHere || !this.#figures) return nothing;
    const {words} = this.#host;
    const {total, bankruptcy} = this.#shown;
    const amount = formatMoney(total, words.locale);
    return html`<p class="so-far" part="so-far" role="status" aria-busy=${this.#isTyping}>
      ${changingText(total > 0 ? fill(words.soFar, {amount}) : words.soFarNothing)}
      ${bankruptcy && html`<span class="aside">${changingText(words[bankruptcy])}</span>`}
    </p>`;
  }
}
