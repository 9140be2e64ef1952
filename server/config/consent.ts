/**
 * The consent of a partner as the file has it: texts by language, each with a version of its own, or, as before
 * 1.4, one plain text whose language is not known.
 */
import {z} from 'zod';
import {consentParts} from '../../form/consent-text.ts';
import {formLanguages} from '../../form/words/languages.ts';
import {unknownLanguage} from '../../form/words/text-in-language.ts';

/** A text and the name of its version. Whoever changes the text must change the name, too. */
export type VersionedText = {text: string; version: string};

export type Consent = {
  /** Whether the visitor must tick a box. */
  required: boolean;
  /** By language tag, or `und` for a text without a language. The first is for forms in all other languages. */
  texts: Readonly<Record<string, VersionedText>>;
};

/** The faults of a bracket that begins neither a link nor a placeholder. The first match counts. */
const faults: readonly (readonly [begin: RegExp, message: string])[] = [
  [/^\{[^{}]*\}/, 'has a placeholder that nobody knows: only {button} is one'],
  [/^[{}]/, 'has a { or } without the other one'],
  [/^\[\s*\]\(/, 'has a link without words: write [words](https://…)'],
  [/^\[[^[\]]*[{}][^[\]]*\]\(/, 'has a placeholder in the words of a link'],
  [
    /^\[[^[\]]*\]\(/,
    'has a link whose address does not begin with https://, has no ) at its end, or has a space or a bracket in it',
  ],
  [/^\[[^[\]]*\]/, 'has square brackets that are no link: write [words](https://…)'],
  [/^[[\]]/, 'has a [ or ] without the other one'],
];

/** The first thing that is wrong with a text, and the index of the character at which it is. */
export function textFault(text: string): {at: number; message: string} | undefined {
  let at = 0;
  for (const part of consentParts(text)) {
    if ('button' in part) {
      at += '{button}'.length;
    } else if ('href' in part) {
      if (!URL.canParse(part.href)) return {at, message: 'has a link whose address is no web address'};
      at += `[${part.text}](${part.href})`.length;
    } else {
      const bracket = part.text.search(/[[\]{}]/);
      const rest = text.slice(at + bracket);
      const fault = bracket < 0 ? undefined : faults.find(([begin]) => begin.test(rest));
      if (fault) return {at: at + bracket, message: fault[1]};
      at += part.text.length;
    }
  }
  return undefined;
}

const consentText = z.string().min(1).max(4_000);
const consentVersion = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be a text without control characters');

const versionWords =
  'The name of this version of the text. Whoever changes the text must change the name, too.';

const markedText = consentText.superRefine((text, context) => {
  const fault = textFault(text);
  if (fault) context.addIssue({code: 'custom', message: fault.message, params: {character: fault.at}});
});

const textsByLanguage = z
  .record(
    z.string(),
    z.strictObject({
      text: markedText.describe(
        'What the visitor reads and agrees to. It may have links, `[words](https://…)`, and `{button}`, the words on the button.',
      ),
      version: consentVersion.describe(versionWords),
    }),
  )
  .superRefine((texts, context) => {
    const tags = Object.keys(texts);
    if (tags.length === 0) context.addIssue({code: 'custom', message: 'must hold at least one language'});
    for (const tag of tags.filter((each) => !formLanguages.some((language) => language === each)))
      context.addIssue({
        code: 'custom',
        path: [tag],
        message: `is not a language of the form, which are ${formLanguages.join(' and ')}`,
      });
  });

export const consentSchema = z
  .strictObject({
    text: consentText
      .optional()
      .describe('One text whose language is not known, without links and placeholders, as before 1.4.'),
    version: consentVersion.optional().describe(versionWords),
    texts: textsByLanguage.optional().describe('One for each language. The first is for all others.'),
    required: z.boolean().default(false).describe('Whether the visitor must tick a box.'),
  })
  .transform(({text, version, texts, required}, context): Consent => {
    for (const [name, value] of Object.entries({text, version})) {
      if ((value === undefined) === (texts === undefined))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: texts ? 'must be missing, because texts has one for each language' : 'is missing',
        });
    }
    return {
      required,
      texts: texts ?? {[unknownLanguage]: {text: text ?? '', version: version ?? ''}},
    };
  });

/** A text without a language in which somebody has written what only texts with one have. */
export const looksMarked = (text: string): boolean => consentParts(text).length > 1;
