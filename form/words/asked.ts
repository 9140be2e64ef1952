/**
 * What a partner asks besides, as the form gets it with the configuration: questions of ours, and the partner's own. The
 * server alone has their words, so they are not in the files of the form.
 */
import type {AskedField} from '../../contract/embed.ts';
import {
  questionNames,
  questionOf,
  type Question as OurQuestion,
  type QuestionName,
} from '../../contract/questions.ts';
import {tableOf} from '../../contract/table-of.ts';
import {formLanguageOf, formLanguages} from './languages.ts';
import {tagFor} from './text-in-language.ts';

type Texts = Readonly<Record<string, string>>;
type Question = Pick<OurQuestion, 'byAlphabet' | 'max' | 'autocomplete'> & {
  readonly name: string;
  readonly label: Texts;
  readonly question?: Texts;
  readonly choices?: readonly ({readonly value: string} & Texts)[] | undefined;
  readonly required?: boolean;
  readonly step?: 'funds' | 'contact';
};

const questionsIn = (questions: readonly Question[], locale: string): AskedField[] => {
  /** In English, which comes first, if there are no words in the language of the form. */
  const wordsOf = (texts: Texts) => {
    const all: Texts = {en: '', ...texts};
    return all[tagFor(all, locale) ?? 'en'] ?? '';
  };
  return questions.map(({name, label, question, choices, byAlphabet, max, autocomplete, required, step}) => {
    const shown = choices?.map(({value, ...texts}) => [value, wordsOf(texts)] as const);
    if (byAlphabet) {
      const {compare} = new Intl.Collator(locale);
      shown?.sort(([, one], [, other]) => compare(one, other));
    }
    return {
      ...{name, label: wordsOf(label)},
      ...(question && {question: wordsOf(question)}),
      ...(shown && {choices: Object.fromEntries(shown)}),
      ...(max !== undefined && {max}),
      ...(autocomplete && {autocomplete}),
      ...(required && {required}),
      ...(step === 'funds' && {step}),
    };
  });
};

const ours = tableOf(formLanguages, (language) =>
  questionsIn(
    questionNames.map((name) => ({name, ...questionOf(name)})),
    language,
  ),
);

/**
 * @param names of our questions
 * @param locale the language of the form, such as `es-US`; English if it is not known
 * @param own the partner's own questions, which stand below ours
 */
export const askedFieldsIn = (
  names: readonly QuestionName[],
  locale = 'en',
  own: readonly Question[] = [],
): AskedField[] => [
  ...ours[formLanguageOf(locale)].filter(({name}) => names.some((each) => each === name)),
  ...questionsIn(own, locale),
];
