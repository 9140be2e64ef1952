/**
 * The button that erases the result. It asks first, by changing its label, because `confirm()` does nothing in a sandboxed
 * frame.
 */
import {html} from 'lit';
import {changingText} from '../fields/changing-text.ts';
import type {FormHost} from '../fields/form-host.ts';
import {DoublePress} from '../page/double-press.ts';

export class StartOver {
  readonly #host: FormHost;
  readonly #press = new DoublePress();
  /** The visitor has pressed the button once. */
  #asks = false;

  constructor(host: FormHost) {
    this.#host = host;
  }

  /** @param erase is called when the visitor presses the button a second time */
  view(erase: () => void) {
    const {words} = this.#host;
    const onClick = (event: PointerEvent) => {
      if (this.#press.isSecondHalf(event)) return;
      if (this.#asks) erase();
      else this.#host.announce(words.erase);
      this.#asks = !this.#asks;
    };
    return html`<button
      class="quiet"
      part="button quiet"
      type="button"
      @click=${onClick}
      @blur=${this.#takeBack}
    >
      ${changingText(this.#asks ? words.erase : words.startOver)}
    </button>`;
  }

  /** The visitor has left the button, and is asked again the next time. */
  readonly #takeBack = () => {
    this.#asks = false;
    this.#host.refresh();
  };
}
