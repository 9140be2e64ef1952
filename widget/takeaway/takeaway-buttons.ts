/** The buttons to copy and to print the result. */
import {html, nothing} from 'lit';
import {fill} from '../../form/words/fill.ts';
import {changingText} from '../fields/changing-text.ts';
import type {FormHost} from '../fields/form-host.ts';
import {copy, type Letterhead} from './copy.ts';
import {print} from './print.ts';

type Outcome = Awaited<ReturnType<typeof copy>>;

/** Milliseconds for which the button says whether the result was copied. */
const outcomeShown = 4_000;

export class TakeawayButtons {
  readonly #host: FormHost;
  /** The words that replace the label of the button after a press. */
  #outcome: Outcome | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly #sender: () => readonly (string | undefined)[];

  /** @param sender the partner's name, number and address, as far as they are known */
  constructor(host: FormHost, sender: () => readonly (string | undefined)[]) {
    this.#host = host;
    this.#sender = sender;
  }

  view() {
    const {words} = this.#host;
    // On a page without TLS, browsers give no access to the clipboard.
    const label = navigator.clipboard ? words[this.#outcome ?? 'copy'] : undefined;
    return html`
      ${label ? button(label, () => void this.#copy()) : nothing}
      ${button(words.print, () => print(this.#host.element, this.#host.words, this.#letterhead))}
    `;
  }

  get #letterhead(): Letterhead {
    const {words} = this.#host;
    const date = new Intl.DateTimeFormat(words.locale, {dateStyle: 'long'}).format();
    return {sender: this.#sender().filter(Boolean).join(' · '), date: fill(words.madeOn, {date})};
  }

  async #copy() {
    this.#outcome = await copy(this.#host.element, this.#letterhead);
    this.#host.announce(this.#host.words[this.#outcome]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#outcome = undefined;
      this.#host.refresh();
    }, outcomeShown);
  }
}

const button = (label: string, onClick: () => void) =>
  html`<button class="quiet" part="button quiet" type="button" @click=${onClick}>
    ${changingText(label)}
  </button>`;
