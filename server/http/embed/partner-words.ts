/** What a form gets of the partner's words: the promise at the phone field, and below the result what happens next and a link. */
import type {EmbedConfig} from '../../../contract/embed.ts';
import {formLanguageOf, serverWords} from '../../../form/words/languages.ts';
import {needsNewForm, withoutName} from '../../../form/words/partner-text.ts';
import {tagFor} from '../../../form/words/text-in-language.ts';
import type {Partner} from '../../config/partners.ts';

type ByLanguage<Text> = Readonly<Record<string, Text>>;

/** @param locale the language of the form, such as `es-US`; undefined for forms before 1.4, which do not say it */
export function partnerWords(
  {nextStep, cta, callPromise}: Partner,
  locale: string | undefined,
): Pick<EmbedConfig, 'next_step' | 'next_step_named' | 'cta' | 'call_promise'> {
  const texts = nextStep && shownIn(locale, nextStep);
  return {
    ...(texts && {next_step: forOlderForms(texts)}),
    ...(texts && Object.values(texts).some(needsNewForm) && {next_step_named: texts}),
    ...(cta && {cta: shownIn(locale, cta)}),
    ...(callPromise && {call_promise: shownIn(locale, callPromise)}),
  };
}

/** The text that a form in this language shows, with its language. A form that does not say its language gets all. */
function shownIn<Text>(locale: string | undefined, texts: ByLanguage<Text>): ByLanguage<Text> {
  const tag = locale === undefined ? undefined : tagFor(texts, locale);
  const text = tag === undefined ? undefined : texts[tag];
  return tag === undefined || text === undefined ? texts : {[tag]: text};
}

/**
 * Forms before 1.5 know `{phone}` alone, and show other braces as they are. They show the reference below the text, but cannot
 * put it into the text.
 */
const forOlderForms = (texts: ByLanguage<string>): ByLanguage<string> =>
  Object.fromEntries(
    Object.entries(texts).map(([tag, text]) => {
      const {referenceBelow} = serverWords[formLanguageOf(tag)];
      return [tag, withoutName(text).replaceAll('{reference}', referenceBelow)];
    }),
  );
