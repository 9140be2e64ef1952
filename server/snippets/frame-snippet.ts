/** What a partner pastes to show its apply page in a frame, where the page around it must not see the data. */
import {reservedHeights} from '../../form/reserved-heights.ts';
import {escapeHtml} from '../html/html.ts';
import type {ApplyPage} from './markup.ts';

/**
 * The frame, and a script that gives it the height of the form, and tells it what the page knows: the campaign in its
 * address, and what the partner puts into `prequalPage`. The script believes only messages of this server, and answers and
 * changes only the frame that sent them, so a page may hold several. It tells by a message, and not in the address of the
 * frame, because addresses are kept in logs.
 *
 * - `referrerpolicy`: the form talks to listed origins only, and it knows the origin of the page around the frame only if
 *   the page lets it. In old versions of Firefox it knows it from the referrer.
 * - `allow`: lets the visitor copy the result.
 * - `height`: nothing below the frame moves when the form arrives. `font-size` makes an em the same as in the frame.
 */
export const frameSnippet = ({applyUrl, title, firstScreen}: ApplyPage): string =>
  `<iframe src="${escapeHtml(applyUrl)}" title="${escapeHtml(title)}" referrerpolicy="strict-origin" allow="clipboard-write"
  style="display: block; width: 100%; font-size: 16px; height: ${reservedHeights[firstScreen]}; border: 0"></iframe>
<script>addEventListener('message', ({origin, source, data}) => {
  if (origin !== '${new URL(applyUrl).origin}') return;
  const {search, href: address} = location;
  if (data.type === 'prequal-hello')
    source.postMessage({type: 'prequal-page', search, address, referrer: document.referrer, ...window.prequalPage}, origin);
  for (const frame of document.querySelectorAll('iframe'))
    if (data.type === 'prequal-height' && frame.contentWindow === source) frame.style.height = data.height + 'px';
});</script>`;
