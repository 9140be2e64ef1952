/**
 * Which text of a partner's consent a form gets, and what is remembered of it. A consent says which version of a text the
 * visitor saw, so a version must keep its text. The store remembers the text from the first lead under a version on, and
 * the server does not start with another text under the same version. Each language has versions of its own.
 */
import {createHash} from 'node:crypto';
import type {ConsentText} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import {inPlainWords} from '../../form/consent-text.ts';
import {langOf, tagFor} from '../../form/words/text-in-language.ts';
import type {VersionedText} from '../config/consent.ts';
import type {Partner} from '../config/partners.ts';
import type {RememberedText} from './stored-lead.ts';

/** SHA-256 in hex, as the record of each consent has it. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A text as a form gets it, and the configured text that it is. */
export type GivenText = {
  given: Pick<ConsentText, 'text' | 'version' | 'lang'>;
  /** Undefined if the configuration does not name it. */
  language: string | undefined;
  configured: VersionedText;
};

/** What the last button says in the forms before 1.4, by the language of the text. They are released, so this stays. */
const releasedButtons: Readonly<Record<string, Readonly<Record<LeadType, string>>>> = {
  en: {prequalification: 'See my estimate', standard: 'Send'},
  es: {prequalification: 'Ver mi estimado', standard: 'Enviar'},
};

/**
 * Two languages may have the same version, and a form may get its text in plain words. So the version that a form gets,
 * and returns with a lead, names language and text, too. A text without a language has only its own, as before 1.4.
 */
function versionFor(tag: string, {version}: VersionedText, text: string): string {
  return langOf(tag) === undefined ? version : `${tag}/${version}/${hashOfText(text).slice(0, 8)}`;
}

/** For a form that shows links and says its language. */
function withLinks(tag: string, configured: VersionedText): GivenText {
  const {text} = configured;
  const [language, version] = [langOf(tag), versionFor(tag, configured, text)];
  return {given: {text, version, ...(language !== undefined && {lang: language})}, language, configured};
}

/**
 * The text for forms before 1.4, which do not understand links and placeholders. They do not say their language, so the
 * button is named in the language of the text.
 */
function inWords(tag: string, configured: VersionedText, {leadTypes}: Partner): GivenText {
  if (langOf(tag) === undefined) return withLinks(tag, configured);
  const buttons = releasedButtons[tag] ?? releasedButtons['en'];
  const leadType = leadTypes.includes('prequalification') ? 'prequalification' : 'standard';
  const text = inPlainWords(configured.text, buttons?.[leadType] ?? '');
  return {given: {text, version: versionFor(tag, configured, text)}, language: tag, configured};
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
  const {given} = locale === undefined ? inWords(tag, text, partner) : withLinks(tag, text);
  return {...given, required};
}

/** Each text of a partner as the forms get it, and as those before 1.4 do. */
const givenTexts = (partner: Partner): GivenText[] =>
  Object.entries(partner.consent?.texts ?? {}).flatMap(([tag, text]) => [
    withLinks(tag, text),
    inWords(tag, text, partner),
  ]);

/** The text that a form got together with this version, unless the partner has another one by now. */
export const textGivenAs = (partner: Partner, version: string): GivenText | undefined =>
  givenTexts(partner).find(({given}) => given.version === version);

/** The words of all texts, for the archive: the leads under them may be from versions before 1.6, which kept hashes alone. */
export const wordsInForce = (partners: readonly Partner[]): string[] =>
  partners.flatMap(givenTexts).map(({given}) => given.text);

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
        `partners.${index}.consent.${field}: is another text than the one that visitors of ${key} saw under the version "${version}"${where}: give the new text a new version, or restore the old text`,
      ];
    }),
  );
}

const nameOf = ({partner, language, version}: Omit<RememberedText, 'textHash'>) =>
  JSON.stringify([partner, language ?? null, version]);
