/** Counts the total up to its amount once, unless the visitor has asked the browser for less motion. */
import {formatMoney} from '../../form/format-money.ts';
import type {Words} from '../../form/words/words.ts';

/** Milliseconds. */
const duration = 900;

/**
 * From the next frame on, a style sheet draws the figure from the attribute `data-drawn`. The text of the total stays
 * the whole amount, which is what screen readers read and what Lit renders.
 */
export function countUp(element: HTMLElement, words: Words, dollars: number) {
  if (!matchMedia('(prefers-reduced-motion: no-preference)').matches) return;
  let start: number | undefined;
  requestAnimationFrame(function draw(now) {
    const total = element.shadowRoot?.querySelector<HTMLElement>('.total');
    if (!total) return;
    start ??= now;
    const left = 1 - (now - start) / duration;
    if (left > 0) {
      total.dataset['drawn'] = formatMoney(Math.round(dollars * (1 - left ** 3)), words.locale);
      requestAnimationFrame(draw);
    } else delete total.dataset['drawn'];
  });
}
