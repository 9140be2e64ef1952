/**
 * Which text of a partner's consent a form gets, and what is remembered of it. A consent says which version of a text the
 * visitor saw, so a version must keep its text. The store remembers the text from the first lead under a version on, and
 * the server does not start with another text under the same version. Each language has versions of its own.
 */
import {createHash} from 'node:crypto';
import type {ConsentText} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import {inPlainWords} from '../../form/consent-text.ts';
import {langOf, tagFor, unknownLanguage} from '../../form/words/text-in-language.ts';
import type {VersionedText} from '../config/consent.ts';
import type {Partner} from '../config/partners.ts';
import type {RememberedText} from './stored-lead.ts';

/** SHA-256 in hex, as the record of each consent has it. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A text as a form gets it, and the configured text that it is. */
export type GivenText = {
  given: Pick<ConsentText, 'text' | 'version' | 'lang'>;
  language: string | undefined;
  configured: VersionedText;
};

/** What the last button says in the forms before 1.4, by the language of the text. They are released, so this stays. */
const releasedButtons: Readonly<Record<string, Readonly<Record<LeadType, string>>>> = {
  en: {prequalification: 'See my estimate', standard: 'Send'},
  es: {prequalification: 'Ver mi estimado', standard: 'Enviar'},
};

/**
 * For a form that shows links and says its language. The version that goes to the form and comes back names the language
 * too, because two languages may have the same version.
 */
function inLanguage(tag: string, configured: VersionedText): GivenText {
  const {text, version} = configured;
  const language = langOf(tag);
  const given = language === undefined ? {text, version} : {text, version: `${tag}/${version}`, lang: tag};
  return {given, language, configured};
}

/**
 * For the forms before 1.4, which show every text as it is. They do not say their language, so the button is named as in
 * that of the text.
 */
function inWords(tag: string, configured: VersionedText, {leadTypes}: Partner): GivenText {
  if (tag === unknownLanguage) return inLanguage(tag, configured);
  const buttons = releasedButtons[tag] ?? releasedButtons['en'];
  const leadType = leadTypes.includes('prequalification') ? 'prequalification' : 'standard';
  const text = inPlainWords(configured.text, buttons?.[leadType] ?? '');
  return {given: {text, version: `plain/${tag}/${configured.version}`}, language: tag, configured};
}

/**
 * The consent that a form shows.
 * @param locale the language of the form, such as `es-US`; undefined for forms before 1.4, which do not say it
 */
export function consentFor(partner: Partner, locale: string | undefined): ConsentText | null {
  const {texts, required} = partner.consent ?? {texts: {}, required: false};
  const tag = tagFor(texts, locale ?? '');
  const text = tag === undefined ? undefined : texts[tag];
  if (tag === undefined || !text) return null;
  const {given} = locale === undefined ? inWords(tag, text, partner) : inLanguage(tag, text);
  return {...given, required};
}

/** The text that a form got together with this version, unless the partner has another one by now. */
export const textGivenAs = (partner: Partner, version: string): GivenText | undefined =>
  Object.entries(partner.consent?.texts ?? {})
    .flatMap(([tag, text]) => [inLanguage(tag, text), inWords(tag, text, partner)])
    .find(({given}) => given.version === version);

/** A sentence for each text that is not the one that is stored for its version: what is wrong, and what to do. */
export function changedConsents(partners: readonly Partner[], stored: readonly RememberedText[]): string[] {
  const hashes = new Map(stored.map(({textHash, ...text}) => [nameOf(text), textHash]));
  return partners.flatMap(({key, consent}, index) =>
    Object.entries(consent?.texts ?? {}).flatMap(([tag, {text, version}], place) => {
      const language = langOf(tag);
      const own = hashes.get(nameOf({partner: key, language, version}));
      // The first of several texts takes the place of one without a language.
      const hash = own ?? (place === 0 ? hashes.get(nameOf({partner: key, version})) : undefined);
      if (hash === undefined || hash === hashOfText(text)) return [];
      const field = language === undefined ? 'text' : `texts.${language}.text`;
      const where = language === undefined ? '' : ` in ${language}`;
      return [
        `PARTNERS_FILE partners.${index}.consent.${field}: is another text than the one that visitors of ${key} saw under the version "${version}"${where}: give the new text a new version, or restore the old text`,
      ];
    }),
  );
}

const nameOf = ({partner, language, version}: Omit<RememberedText, 'textHash'>) =>
  JSON.stringify([partner, language ?? null, version]);
