/** The answers to a partner's own questions (config/questions.ts). They keep their words, so that no later file changes them. */
import {z} from 'zod';
import type {FieldError} from '../../contract/problems.ts';
import {characters} from '../../contract/fields.ts';
import type {AskedField} from '../../contract/embed.ts';
import {tagFor} from '../../form/words/text-in-language.ts';
import {maxAnswer, type Question} from '../config/questions.ts';

/**
 * - `label`: the question, and `text`: the answer, in English
 * - `value`: of a choice. Null, as `text`, if the form did not ask a question that wants an answer: forms before 2.0 know none
 */
export const ownAnswer = z.object({
  name: z.string(),
  label: z.string(),
  value: z.string().nullable(),
  text: z.string().nullable(),
});
export type OwnAnswer = z.output<typeof ownAnswer>;

const inOneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;

/** What is wrong with a text. Undefined if nothing is. */
const faultOf = (text: string): FieldError['code'] | undefined => {
  if (characters(text) > maxAnswer) return 'too_long';
  return inOneLine.test(text) ? undefined : 'invalid';
};

/** @param given the lead as the page has sent it, which may have anything */
export function readOwnAnswers(
  questions: readonly Question[],
  given: Readonly<Record<string, unknown>>,
): {answers: OwnAnswer[]; errors: FieldError[]} {
  const answers: OwnAnswer[] = [];
  const errors: FieldError[] = [];
  for (const {name, label, choices, required} of questions) {
    const asked = {name, label: label['en'] ?? name};
    const sent = Object.hasOwn(given, name) ? given[name] : undefined;
    // Nothing, for a question that may stay open, and any other value counts as a text that no choice has.
    const text = (typeof sent === 'string' ? sent : JSON.stringify(sent ?? '').replace(/^""$/, '')).trim();
    if (text === '') {
      if (required) answers.push({...asked, value: null, text: null});
      continue;
    }
    const choice = choices?.find(({value}) => value === text);
    const fault = typeof sent !== 'string' || (choices && !choice) ? 'invalid' : faultOf(text);
    if (fault !== undefined) {
      const message = choices
        ? `must be one of: ${choices.map(({value}) => value).join(', ')}`
        : `must be a text of one line, of at most ${maxAnswer} characters`;
      errors.push({field: name, code: fault, message});
    } else answers.push({...asked, value: text, text: choice?.['en'] ?? text});
  }
  return {answers, errors};
}

/** For a page: without an answer, what to say. */
export const notAsked = 'not asked: the page has an older form';
export const answerText = ({text}: OwnAnswer): string => text ?? notAsked;

/** The questions as the form shows them. @param locale the language of the form, such as `es-US` */
export const questionsIn = (questions: readonly Question[], locale = 'en'): AskedField[] =>
  questions.map(({name, label, choices, required, step}) => {
    const inWords = (texts: Readonly<Record<string, string>>) => texts[tagFor(texts, locale) ?? 'en'];
    const textOf = (texts: Readonly<Record<string, string>>) => {
      const tag = Object.keys(texts).find((each) => each.split('-')[0] === locale.split('-')[0]);
      return texts[tag ?? 'en'] ?? inWords(texts) ?? '';
    };
    return {
      name,
      label: textOf(label),
      ...(choices && {
        choices: Object.fromEntries(choices.map(({value, ...texts}) => [value, textOf(texts)])),
      }),
      ...(required && {required}),
      ...(step === 'funds' && {step}),
    };
  });
