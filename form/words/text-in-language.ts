/** Which of a partner's texts a form shows. The form and the server choose by the same rule. */

/** The tag of a text whose language is not known. */
export const unknownLanguage = 'und';

const languageOf = (tag: string) => tag.split('-')[0];

/**
 * The tag of the text in the language of the form, also if the partner names another region: `es-MX` for `es-US`. If
 * there is none in this language, that of the first text.
 *
 * @param texts by language tag
 * @param locale such as `es-US`
 */
export function tagFor(texts: Readonly<Record<string, unknown>>, locale: string): string | undefined {
  const tags = Object.keys(texts);
  const sameLanguage = tags.find((tag) => languageOf(tag) === languageOf(locale));
  return tags.includes(locale) ? locale : (sameLanguage ?? tags[0]);
}

/** What a text has in `lang`. Without it, a text counts as one in the language around it. */
export const langOf = (tag: string | undefined) => (tag === unknownLanguage ? undefined : tag);
