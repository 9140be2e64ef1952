/**
 * The text of a partner's consent in one language. Two things in it have a meaning: a link, `[words](https://…)`, and
 * `{button}`, which stands for the words of the button that sends the form.
 */

/** Plain text, a link, or the place of the button's words. */
export type ConsentPart =
  {readonly text: string} | {readonly text: string; readonly href: string} | {readonly button: true};

/** A link, with its words and its address, or the placeholder. */
const marked = /\[(\s*[^\s[\]{}][^[\]{}]*)\]\((https:\/\/[^\s()[\]{}]+)\)|\{button\}/g;

/** Never throws: what is no link and no placeholder is plain text. An address always begins with https://. */
export function consentParts(text: string): ConsentPart[] {
  const parts: ConsentPart[] = [];
  let end = 0;
  for (const {0: found, 1: words, 2: href, index} of text.matchAll(marked)) {
    parts.push({text: text.slice(end, index)});
    parts.push(words && href ? {text: words, href} : {button: true});
    end = index + found.length;
  }
  return [...parts, {text: text.slice(end)}];
}

/** Whether the text has a link to the address, so that no second one has to stand below it. */
export const linksTo = (text: string, href: string): boolean => text.includes(`](${href})`);

/** The text without links, for forms that show it as it is: a link becomes its words and its address. */
export const inPlainWords = (text: string, button: string): string =>
  consentParts(text)
    .map((part) => ('button' in part ? button : 'href' in part ? `${part.text} (${part.href})` : part.text))
    .join('');
