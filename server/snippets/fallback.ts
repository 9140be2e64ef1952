/**
 * What stands on a partner's page in place of a form whose script does not arrive, because it is blocked, withdrawn or
 * changed, or the server is down: the address of the apply page, and the partner's contact.
 */
import {elementName} from '../../contract/api.ts';
import type {ContactLink} from '../../contract/embed.ts';
import {toE164} from '../../contract/phone.ts';
import {fill} from '../../form/words/fill.ts';
import {serverWords, type FormLanguage} from '../../form/words/languages.ts';
import type {Partner} from '../config/partners.ts';
import {escapeHtml, minified} from '../html/html.ts';
import {attributes, langOf, type Fallback, type SnippetParts} from './markup.ts';

/** The class of the form's only child. The rules below hide this child while the form may still appear. */
export const fallbackClass = 'prequal-late';

/**
 * Grey bars in the shape of the first screen: a title, four options and a button. They stand for as long as an animation
 * hides the text of the child, and go with it when the form shows itself, so that no empty moment comes between. The grey
 * is nearly transparent, for light and dark pages. Without a kept height the bars have no room.
 *
 * They are a pseudo-element, because it can be visible in a hidden element and is nothing for screen readers. Their place is
 * that of the form, which must be positioned. It is not that of the child, which loses its height when the script has run.
 */
const barsRule = (selector: string): string => `${selector}::before {
  background:
    linear-gradient(#8883 0 0) 0 0 / 50% 2em no-repeat,
    repeating-linear-gradient(#8883 0 3em, #0000 0 5em) 0 4.5em / 100% 23em no-repeat;
  content: '';
  inset: 2em 5%;
  position: absolute;
  visibility: var(--prequal-bars);
}`;

/**
 * The animation hides the child in its delay of eight seconds, and the form hides it as soon as it shows itself. The
 * animation itself takes no time, because many style sheets shorten animations for people who want less motion, but few
 * touch delays. Where a style sheet forbids all animations, the child is shown at once, which is better than never. For as
 * long as the animation hides the child, it also sets the property that shows the bars.
 *
 * The first rule is what the form says of itself when it has arrived. Browsers count it as a shift of the layout when an
 * element with a child gets another place, even if the child is hidden.
 */
export const fallbackRules = `:where(lead-prequal-form) {
  inline-size: 100%;
  margin-inline: auto;
  max-inline-size: var(--prequal-max-width, 640px);
  position: relative;
}
@keyframes ${fallbackClass} {
  from { visibility: hidden; --prequal-bars: visible; }
}
.${fallbackClass} { animation: ${fallbackClass} 0s 8s backwards; --prequal-bars: hidden; }
${barsRule(`${elementName} > .${fallbackClass}`)}
@media (scripting: none) {
  .${fallbackClass} { animation: none; }
}`;

/**
 * As snippets have them. They stand in the page and in no file of the server, because they are for the time in which the
 * server does not answer.
 */
export const fallbackLine = minified(fallbackRules);

const link = (address: string, text: string) => `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;

/** The telephone number and the e-mail address as links, as far as the partner has them. */
export const contactLinks = ({phone, email}: NonNullable<Partner['contact']>): ContactLink[] => [
  ...(phone === undefined ? [] : [{href: `tel:${toE164(phone)}`, text: phone}]),
  ...(email === undefined ? [] : [{href: `mailto:${email}`, text: email}]),
];

/** `call <a href="tel:…">…</a>`, and the same for an e-mail address. */
export function contactWays(contact: Partner['contact'] = {}, language: FormLanguage): string[] {
  const {call, write} = serverWords[language].page.withoutForm;
  return contactLinks(contact).map(({href, text}) => {
    const shown = link(href, text);
    return href.startsWith('tel:') ? fill(call, {phone: shown}) : fill(write, {email: shown});
  });
}

/** `a, b, or c` */
export const anyOf = (ways: readonly string[], language: FormLanguage): string =>
  new Intl.ListFormat(language, {type: 'disjunction'}).format(ways);

export function fallbackOf(
  applyAddress: string,
  contact: Partner['contact'],
  language: FormLanguage,
): Fallback {
  const {instead, below, open} = serverWords[language].page.withoutForm;
  const ways = anyOf([link(applyAddress, open), ...contactWays(contact, language)], language);
  return {instead: fill(instead, {ways}), below: fill(below, {ways})};
}

/** The rules as an element, on a line of its own. */
export const fallbackStyle = ({fallback}: SnippetParts): string =>
  fallback ? `<style>${fallbackLine}</style>\n` : '';

/**
 * It is no `<p>`, whose margin would move the form, and the page below it when the form comes.
 * @param classAttribute `className` in JSX
 */
export const fallbackChild = ({fallback}: SnippetParts, classAttribute = 'class'): string =>
  fallback ? `<div ${classAttribute}="${fallbackClass}">${fallback.instead}</div>` : '';

/** A text below the form, on a line of its own, for sites that do not keep the rules. It is always shown. */
export const fallbackBelow = (parts: SnippetParts): string =>
  parts.fallback ? `\n<p${attributes(langOf(parts))}>${parts.fallback.below}</p>` : '';
