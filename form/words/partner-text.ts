/**
 * A partner's texts: which of them a reader gets, and the placeholders in what happens next. The form fills these in, and the
 * server checks them.
 */
import {langOf, tagFor} from './text-in-language.ts';

/** A text or a link of the partner, and its language if it is known, for `lang`. */
export type InLanguage<Content> = {readonly content: Content; readonly lang: string | undefined};

/** @param contents by language tag */
export function contentFor<Content>(
  contents: Readonly<Record<string, Content>> | undefined,
  locale: string,
): InLanguage<Content> | undefined {
  const tag = contents && tagFor(contents, locale);
  const content = tag === undefined ? undefined : contents?.[tag];
  return content === undefined ? undefined : {content, lang: langOf(tag)};
}

const placeholders = ['phone', 'reference', 'first_name'] as const;
export type PlaceholderValues = Readonly<Record<(typeof placeholders)[number], string>>;

/**
 * Plain text, and between two pieces of it the name of a placeholder. The text is split once, before there are any values,
 * so that a value that looks like a placeholder is not replaced.
 */
export const splitAtPlaceholders = (text: string) => text.split(/\{(phone|reference|first_name)\}/);

/** A name at the beginning of a sentence, with the signs after it, and the letter with which the sentence goes on. */
const atBeginning = /(^|[.!?…]\s+|[¡¿])\{first_name\}[\s,.:;!–—-]*(.?)/gu;

/**
 * The text for a visitor whose first name is not known: `{first_name}, we call you.` becomes `We call you.`, and
 * `Thank you, {first_name}!` becomes `Thank you!`.
 */
export const withoutName = (text: string) =>
  text
    .replace(atBeginning, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/,?\s*\{first_name\}/g, '');

/** Whether the text has a placeholder that forms before 1.5 do not know. */
export const needsNewForm = (text: string) => /\{(reference|first_name)\}/.test(text);

/** Whether the text has a name that is not set off by a comma or another sign, so that it may not read well without. */
export const misplacedName = (text: string) => /(^|[^,\s])\s*\{first_name\}(?!\s*[,:;!–—])/.test(text);

/** The first thing in braces that is no placeholder. */
export const unknownPlaceholder = (text: string) =>
  text.match(/\{\w*\}/g)?.find((found) => !placeholders.some((name) => found === `{${name}}`));
