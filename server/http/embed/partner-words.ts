/** What a form gets of the partner's words below the result: what happens next, and a link. */
import type {EmbedConfig} from '../../../contract/embed.ts';
import {withoutName} from '../../../form/words/partner-text.ts';
import {tagFor} from '../../../form/words/text-in-language.ts';
import type {Partner} from '../../config/partners.ts';

type ByLanguage<Text> = Readonly<Record<string, Text>>;

/** @param locale the language of the form, such as `es-US`; undefined for forms before 1.4, which do not say it */
export function partnerWords(
  {nextStep, cta}: Partner,
  locale: string | undefined,
): Pick<EmbedConfig, 'next_step' | 'cta'> {
  return {
    ...(nextStep && {
      next_step: locale === undefined ? forReleasedForms(nextStep) : onlyFor(locale, nextStep),
    }),
    ...(cta && {cta: locale === undefined ? cta : onlyFor(locale, cta)}),
  };
}

/** The text that a form in this language shows, with its language. */
function onlyFor<Text>(locale: string, texts: ByLanguage<Text>): ByLanguage<Text> {
  const tag = tagFor(texts, locale);
  const text = tag === undefined ? undefined : texts[tag];
  return tag === undefined || text === undefined ? texts : {[tag]: text};
}

/** The reference, which forms before 1.4 show below the text, but cannot put into it. */
const referenceBelow: Readonly<Record<string, string>> = {en: 'the code below', es: 'el código de abajo'};

/** Forms before 1.4 know `{phone}` alone, and show other braces as they are. */
const forReleasedForms = (texts: ByLanguage<string>): ByLanguage<string> =>
  Object.fromEntries(
    Object.entries(texts).map(([tag, text]) => {
      const [language = ''] = tag.split('-');
      const reference = referenceBelow[language] ?? 'the code below';
      return [tag, withoutName(text).replaceAll('{reference}', reference)];
    }),
  );
