/** What a form says of the partner: where it asks for the contact data, and below the result. */
import {aboutLines, type AboutPartner, type EmbedConfig} from '../../../contract/embed.ts';
import {formLanguageOf, serverWords} from '../../../form/words/languages.ts';
import {contentFor, needsNewForm, withoutName} from '../../../form/words/partner-text.ts';
import {tagFor} from '../../../form/words/text-in-language.ts';
import {fill} from '../../../form/words/fill.ts';
import type {ContactFacts} from '../../config/contact-facts.ts';
import type {Partner} from '../../config/partners.ts';
import {contactLinks} from '../../snippets/fallback.ts';

type ByLanguage<Text> = Readonly<Record<string, Text>>;

/** @param locale the language of the form, such as `es-US`; undefined for forms before 1.4, which do not say it */
export function partnerWords(
  partner: Partner,
  facts: ContactFacts,
  locale: string | undefined,
): Pick<EmbedConfig, 'about' | 'next_step' | 'next_step_named' | 'cta' | 'call_promise'> {
  const {nextStep, cta, callPromise} = partner;
  const texts = nextStep && shownIn(locale, nextStep);
  const about = aboutPartner(partner, facts, locale);
  return {
    ...(about && {about}),
    ...(texts && {next_step: forOlderForms(texts)}),
    ...(texts && Object.values(texts).some(needsNewForm) && {next_step_named: texts}),
    ...(cta && {cta: shownIn(locale, cta)}),
    ...(callPromise && {call_promise: shownIn(locale, callPromise)}),
  };
}

/** No sentence that is not so: each needs what makes it so. */
export function aboutPartner(
  {key, name, logo, contact = {}, callPromise, trustLine}: Partner,
  {isReady, isMailed, isOnly}: ContactFacts,
  locale = 'en',
): AboutPartner | undefined {
  const lang = formLanguageOf(locale);
  const words = serverWords[lang].about;
  const company = name === key ? undefined : name;
  const ready = company === undefined ? words.readyUnnamed : fill(words.ready, {name});
  const link = contactLinks({phone: contact.phone})[0];
  const said = {
    company: company && {text: company},
    promise: textIn(callPromise, locale),
    only: isOnly && company && {text: fill(words.only, {name}), lang},
    trust: textIn(trustLine, locale),
    talk: link && {text: words.talk, lang, link},
  };
  const lines = aboutLines.flatMap((name) => (said[name] ? [{name, ...said[name]}] : []));
  if (lines.length === 0 && !isReady) return undefined;
  return {
    ...(isReady && {ready: isMailed ? `${ready} ${words.mailed}` : ready}),
    ...(logo !== undefined && {logo}),
    lines,
  };
}

function textIn(texts: ByLanguage<string> | undefined, locale: string) {
  const found = contentFor(texts, locale);
  return found && {text: found.content, ...(found.lang !== undefined && {lang: found.lang})};
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
