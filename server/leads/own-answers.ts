/**
 * The answers to what a partner asks besides. Those to its own questions (config/questions.ts) keep their words, so that no later
 * file changes them.
 */
import {z} from 'zod';
import type {FieldError} from '../../contract/problems.ts';
import {characters, cidField} from '../../contract/fields.ts';
import {
  formQuestionNames,
  questionOf,
  type formQuestions,
  type QuestionName,
} from '../../contract/questions.ts';
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

/** What is wrong with a text of one line, as a `cid` is one. Undefined if nothing is. */
const faultOf = (text: string): FieldError['code'] | undefined => {
  if (characters(text) > maxAnswer) return 'too_long';
  return cidField.pattern.test(text) ? undefined : 'invalid';
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
    if (sent === undefined || sent === null || (typeof sent === 'string' && sent.trim() === '')) {
      if (required) answers.push({...asked, value: null, text: null});
      continue;
    }
    const text = typeof sent === 'string' ? sent.trim() : '';
    const choice = choices?.find(({value}) => value === text);
    const fault = choices && !choice ? 'invalid' : faultOf(text);
    if (fault !== undefined) {
      const message = choices
        ? `must be one of: ${choices.map(({value}) => value).join(', ')}`
        : `must be a text of one line, of at most ${maxAnswer} characters`;
      errors.push({field: name, code: fault, message});
    } else answers.push({...asked, value: text, text: choice?.['en'] ?? text});
  }
  return {answers, errors};
}

/** A choice as whoever calls reads it. A newer server, which has the same database during an update, may have stored another. */
export function choiceText(name: QuestionName, value: string): string {
  const choice = questionOf(name).choices?.find((each) => each.value === value);
  return choice?.said ?? choice?.en ?? value;
}

/** The answers to the questions of ours that only the form asks. They stand in the lead by their names. */
export const formAnswers = (lead: {readonly [Name in keyof typeof formQuestions]?: string | undefined}) =>
  formQuestionNames.flatMap((name) => {
    const value = lead[name];
    if (value === undefined) return [];
    return {name, label: questionOf(name).label.en, value, text: choiceText(name, value)};
  });

/** For a page: without an answer, what to say. */
export const notAsked = 'not asked: the page has an older form';
export const answerText = ({text}: OwnAnswer): string => text ?? notAsked;
