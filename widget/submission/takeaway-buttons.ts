/**
 * The buttons to copy and to print the result. Few visitors use them, so the file that they need is loaded when the mouse
 * or the focus reaches one of them. A finger gives no such sign, so the first press anywhere in the result loads it, too.
 * Safari allows copying only right after a press, and would not wait for a file that is loaded by the press itself.
 */
import {html, nothing} from 'lit';
import type {FormHost} from '../fields/form-host.ts';
import type * as TakeawayFile from '../takeaway/index.ts';

type Action = 'copy' | 'print';
type Outcome = 'copied' | 'notCopied' | 'tryAgain';

/** Milliseconds for which a button says what the press has done. */
const outcomeShown = 4_000;

export class TakeawayButtons {
  readonly #host: FormHost;
  readonly #load: () => Promise<typeof TakeawayFile>;
  /** The words that replace a button's label after a press. */
  #outcomes: Partial<Record<Action, Outcome>> = {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: FormHost, load: () => Promise<typeof TakeawayFile>) {
    this.#host = host;
    this.#load = load;
  }

  view() {
    return html`
      ${
        // On a page without TLS, browsers give no access to the clipboard.
        navigator.clipboard ? this.#button('copy') : nothing
      }
      ${this.#button('print')}
    `;
  }

  #button(action: Action) {
    return html`<button
      class="quiet"
      part="button"
      type="button"
      @pointerenter=${this.prepare}
      @focus=${this.prepare}
      @click=${() => void this.#press(action)}
    >
      ${this.#host.words[this.#outcomes[action] ?? action]}
    </button>`;
  }

  /** Loads their file. A failure is ignored, because a press tries again. */
  readonly prepare = () => void this.#load().catch(() => {});

  async #press(action: Action) {
    const {element, words} = this.#host;
    const outcome = await this.#load().then<Outcome | undefined, Outcome>(
      (file) => file[action](element, words),
      () => 'tryAgain',
    );
    if (!outcome) return;
    this.#outcomes[action] = outcome;
    this.#host.announce(words[outcome]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#outcomes = {};
      this.#host.refresh();
    }, outcomeShown);
  }
}
