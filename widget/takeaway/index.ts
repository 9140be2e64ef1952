/** The later file `takeaway`: lets the visitor copy the result as text or print it, and counts up the total. */
import {html, nothing} from 'lit';
import {amountParts, totalAmount, type Prequalification} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/money.ts';
import type {Words} from '../../form/words/words.ts';
import {adopt} from '../styles/adopt.ts';
import {countUp} from './count-up.ts';
import {print} from './print.ts';
import {takeawayStyles} from './styles.ts';

type TakeawayContext = {
  /** The element that shows the result. */
  readonly element: HTMLElement;
  /** In the language that the page has now. Read them each time, because the language may change. */
  readonly words: Words;
  /** Lets screen readers say this, and renders again. */
  announce(words: string): void;
};

export function createTakeaway(context: TakeawayContext) {
  adopt(context.element, [takeawayStyles]);
  /** The label of the copy button. After a click it says whether copying succeeded. */
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
    /** Call this when amounts are shown for the first time. After a reload the total does not count up again. */
    arrive(total: number) {
      copyLabel = 'copy';
      countUp(context.element, context.words, total);
    },

    /** The buttons to copy and to print. */
    view: (amounts: Prequalification) => html`
      ${
        // On a page without TLS, browsers give no access to the clipboard.
        navigator.clipboard ? button(context.words[copyLabel], () => void copy(amounts)) : nothing
      }
      ${button(context.words.print, () => print(context.element, context.words))}
    `,
  };
}

export type Takeaway = ReturnType<typeof createTakeaway>;
export type TakeawayModule = {readonly createTakeaway: typeof createTakeaway};

/** The result as a text for the clipboard: a line for each amount, as in the table of the result. */
function asText(element: HTMLElement, words: Words, amounts: Prequalification): string {
  const line = (name: string, dollars: number) => `${name}: ${formatMoney(dollars, words.locale)}`;
  const sampleMark = element.shadowRoot?.querySelector('.sample')?.textContent;
  return [
    // The text of a sample begins with the line that says so, because it may be pasted where that line is not seen.
    ...(sampleMark ? [sampleMark] : []),
    `${words.bar}:`,
    ...amountParts.flatMap((part) => {
      const dollars = amounts[part];
      // An upstream may not know all parts.
      return dollars === undefined ? [] : [line(words.names[part], dollars)];
    }),
    line(words.total, amounts[totalAmount]),
    words.disclaimer,
  ].join('\n');
}
