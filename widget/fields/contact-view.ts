/** The ways on beside the main button: the partner's telephone number, e-mail address and apply page. */
import {html, nothing} from 'lit';
import type {ContactLink} from '../../contract/embed.ts';
import {wayLabel, type Words} from '../../form/words/words.ts';
import {applyLink, type Server} from '../page/apply-page.ts';

/** Those that the page itself has put into the element, such as those of the snippet. */
export const contactIn = (element: Element): Iterable<ContactLink> =>
  element.querySelectorAll<HTMLAnchorElement>('a[href^="tel:"], a[href^="mailto:"]');

/** @param say what a button says, once the words for it are there */
export const contactView = (links: Iterable<ContactLink>, say = (text: string) => text) =>
  [...links].map(({href, text}) => html`<a class="main" part="button primary" href=${href}>${say(text)}</a>`);

/** The main button where the form cannot send. */
export const applyView = ({locale, openForm}: Words, server: Server) =>
  html`<a
    class="main elsewhere"
    part="button primary"
    href=${applyLink(server, locale)}
    target="_blank"
    rel="noopener"
    >${openForm}</a
  >`;

/** The first of them, below a button that did not help: "or call (415) 555-0132". */
export const orView = (words: Words, [link]: Iterable<ContactLink>) =>
  link
    ? html`<p class="or">
        ${words.or}
        <a href=${link.href}
          >${wayLabel(words)(link.text).replace(/^./u, (letter) => letter.toLowerCase())}</a
        >
      </p>`
    : nothing;
