/** Links to the partner's telephone number and e-mail address. */
import {html} from 'lit';
import type {ContactLink} from '../../contract/embed.ts';

/** Those that the page itself has put into the element, such as those of the snippet. */
export const contactIn = (element: Element): Iterable<ContactLink> =>
  element.querySelectorAll<HTMLAnchorElement>('a[href^="tel:"], a[href^="mailto:"]');

/** @param say what a button says, once the words for it are there */
export const contactView = (links: Iterable<ContactLink>, say = (text: string) => text) =>
  [...links].map(({href, text}) => html`<a class="main" part="button primary" href=${href}>${say(text)}</a>`);
