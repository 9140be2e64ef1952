/** The later file with what a visitor takes along from a result: a copy as text, or a print. */
import {html, nothing} from 'lit';
import type {Prequalification} from '../../contract/amounts.ts';
import type {Words} from '../../form/words/words.ts';
import {adopt} from '../styles/adopt.ts';
import {asText} from './as-text.ts';
import {countUp} from './count-up.ts';
import {print} from './print.ts';
import {takeawayStyles} from './styles.ts';

type TakeawayContext = {
  /** The element that shows the result. */
  readonly element: HTMLElement;
  /** In the language that the page has now. They are read whenever they are needed. */
  readonly words: Words;
  /** Has the screen reader say this, and renders again. */
  announce(words: string): void;
};

export function createTakeaway(context: TakeawayContext) {
  adopt(context.element, [takeawayStyles]);
  /** The label of the copy button, which says what came of a click on it. */
  let copyLabel: 'copy' | 'copied' | 'notCopied' = 'copy';

  async function copy(amounts: Prequalification) {
    copyLabel = await navigator.clipboard.writeText(asText(context.element, context.words, amounts)).then(
      () => 'copied',
      () => 'notCopied',
    );
    context.announce(context.words[copyLabel]);
  }

  const button = (label: string, act: () => void) =>
    html`<button class="quiet" part="button" type="button" @click=${act}>${label}</button>`;

  return {
    /** To be called when amounts are shown for the first time, as opposed to after a reload. */
    arrive(total: number) {
      copyLabel = 'copy';
      countUp(context.element, context.words, total);
    },

    /** The buttons. */
    view: (amounts: Prequalification) => html`
      ${
        // A page without TLS has no clipboard.
        navigator.clipboard ? button(context.words[copyLabel], () => void copy(amounts)) : nothing
      }
      ${button(context.words.print, () => print(context.element, context.words))}
    `,
  };
}

export type Takeaway = ReturnType<typeof createTakeaway>;
export type TakeawayModule = {readonly createTakeaway: typeof createTakeaway};
