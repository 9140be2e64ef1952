/** The total runs up to its figure once, where motion is welcome. */
import type {Kit} from '../submission/types.ts';

/** Milliseconds. */
const duration = 900;

/**
 * From the next frame on, the figure is drawn by a style sheet from an attribute: the text below it, which
 * machines read and Lit renders, is the whole amount all the while.
 */
export function countUp({host, money}: Kit, dollars: number) {
  if (!matchMedia('(prefers-reduced-motion: no-preference)').matches) return;
  let start: number | undefined;
  requestAnimationFrame(function draw(now) {
    const total = host.shadowRoot?.querySelector<HTMLElement>('.total');
    if (!total) return;
    start ??= now;
    const left = 1 - (now - start) / duration;
    if (left > 0) {
      total.dataset['drawn'] = money(Math.round(dollars * (1 - left ** 3)));
      requestAnimationFrame(draw);
    } else delete total.dataset['drawn'];
  });
}
