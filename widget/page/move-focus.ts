import {safeDocument} from './safe-document.ts';

/** Pixels between a header of the page and what has come below it. */
const margin = 48;

/**
 * Moves the focus, and scrolls no more than needed to show what it is on. Browsers by themselves would scroll the title
 * of a step to the middle of a phone's screen. So as much as fits of the card, or of the field or box, comes into view
 * first, and then the focused element itself, with the room above it that its style asks for.
 *
 * @param host the element whose shadow root has `to`
 */
export function moveFocus(host: HTMLElement, to: HTMLElement) {
  // What is folded away cannot have the focus.
  to.closest('details')?.toggleAttribute('open', true);
  to.focus({preventScroll: true});
  const around = to.closest('[data-field], .alert, .actions, section ~ section, .card');
  for (const part of [around, to]) part?.scrollIntoView({block: 'nearest', behavior: 'instant'});
  uncover(host, to);
}

/** Many pages have a header that stays at the top of the window, and would cover what has just come there. */
function uncover(host: HTMLElement, part: HTMLElement) {
  const {x, y, width} = part.getBoundingClientRect();
  const cover = safeDocument.elementFromPoint(x + width / 2, y);
  if (!cover || cover === host || cover.contains(host)) return;
  const {top, bottom} = cover.getBoundingClientRect();
  if (top <= 0 && bottom < innerHeight / 2) scrollBy({top: y - bottom - margin, behavior: 'instant'});
}
