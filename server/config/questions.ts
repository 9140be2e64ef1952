/** What a partner asks for besides: questions of ours (`ask`), and questions of its own. */
import {z} from 'zod';
import {formFieldNames, questionNames, type QuestionName} from '../../contract/questions.ts';
import type {When} from './routes.ts';
import {languageTag} from './values.ts';

/** How many questions of its own a partner may have, choices of one, and characters of an answer in words. */
const [maxQuestions, maxChoices] = [6, 12];
export const maxAnswer = 200;

const words = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .regex(/^[^\p{C}{}]*$/u, 'must be a text without control characters and braces');
const byLanguage = z
  .record(languageTag, words)
  .refine((texts) => texts['en'] !== undefined, 'must have a text in en, which operators read');

/**
 * These have another meaning in a lead, in an event, in a request or a draft of the form, or in every object. `website` is the
 * field that only bots fill in, `money` a kind of field with errors of its own, and `reset` a method of the form.
 */
const reserved = new Set<string>([
  ...['website', 'consent', 'step', 'at', 'constructor', 'money', 'reset'],
  ...formFieldNames,
  ...['cid', 'lead_type', 'phone_e164', 'answers', 'partner'],
]);

const question = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[a-z][a-z\d_]{0,39}$/,
        'must be at most 40 lower-case letters, digits and underscores, and begin with a letter',
      )
      .refine((name) => !reserved.has(name), 'has another meaning in leads or forms')
      .describe('The name of the answer, in events and columns.'),
    label: byLanguage.describe('The question, by language. Forms in another language show that in `en`.'),
    choices: z
      .array(
        z
          .object({
            value: z
              .string()
              .regex(
                // Properties of an object that are numbers come before all others.
                /^(?!\d+$)[A-Za-z\d][A-Za-z\d_-]{0,39}$/,
                'must be at most 40 letters, digits, dashes and underscores, and not only digits',
              )
              .describe('What the lead has.'),
          })
          .catchall(words)
          .refine((choice) => choice['en'] !== undefined, 'must have words in en')
          .describe('A value, and its words by language.'),
      )
      .min(2, 'must hold at least two choices')
      .max(maxChoices, `must hold at most ${maxChoices} choices`)
      .refine((all) => new Set(all.map(({value}) => value)).size === all.length, 'has a value twice')
      .optional()
      .describe('The answers to choose from. Without them, the answer is a text of one line.'),
    kind: z.literal('text').optional().describe(`A text of at most ${maxAnswer} characters.`),
    required: z
      .boolean()
      .default(false)
      .describe('Whether a form from 2.0 goes no further without an answer.'),
    step: z
      .enum(['funds', 'contact'])
      .default('contact')
      .describe('Where the form asks: beside the amounts, or beside the contact data.'),
  })
  .refine(({choices, kind}) => (choices === undefined) === (kind !== undefined), {
    error: 'must have choices, or "kind": "text"',
  });
export type Question = z.output<typeof question>;

/** Ours in the order of their table. Those of its own stand in the order of the file. */
export const askSchema = z
  .array(z.union([z.enum(questionNames), question]))
  .superRefine((entries, context) => {
    const names = entries.map((entry) => (typeof entry === 'string' ? entry : entry.name));
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        context.addIssue({code: 'custom', path: [index], message: 'is there twice', continue: false});
    const own = entries.filter((entry) => typeof entry !== 'string');
    const wrong =
      own.length > maxQuestions ? `must hold at most ${maxQuestions} questions of your own` : undefined;
    const required =
      own.filter((each) => each.required).length > 1 ? 'may make one question required' : undefined;
    for (const message of [wrong, required])
      if (message) context.addIssue({code: 'custom', message, continue: false});
  })
  .transform((entries): {ask: readonly QuestionName[]; questions: readonly Question[]} => ({
    ask: questionNames.filter((name) => entries.includes(name)),
    questions: entries.filter((entry) => typeof entry !== 'string'),
  }));

/** What US law lets no lender ask for like this, or what is dangerous to have: of those who should look at it first. */
const delicate: readonly (readonly [RegExp, why: string])[] = [
  [/\b(?:ssn|social security|tax id|itin|ein)\b/i, 'asks for a number that thieves look for'],
  [/\b(?:birth|born|dob)\b/i, 'asks for the date of birth'],
  [/\b(?:account|routing|iban|card|cvv|pin|password)\b/i, 'asks for what opens an account'],
  [
    /\b(?:sex|gender|race|ethnic\w*|colou?r|religio\w*|national origin|marital|married|spouse|children|pregnan\w*|age|how old|welfare)\b/i,
    'asks for what a lender must not ask for (12 CFR 1002.5)',
  ],
];

const saidIn = ({name, label, choices = []}: Question) => [
  name,
  ...Object.values(label),
  ...choices.flatMap((each) => Object.values(each)),
];
const whyDelicate = (said: readonly string[]) =>
  delicate.find(([pattern]) => said.some((text) => pattern.test(text.replace(/[_-]/g, ' '))))?.[1];

/** @returns what a rule asks for that a lender should not, by the names and values of its hidden fields and questions */
export function ruleWarning(
  {context = {}, answers = {}}: Pick<When, 'context' | 'answers'>,
  questions: readonly Question[],
): string | undefined {
  const asked = questions.filter(({name}) => answers[name]);
  return whyDelicate([Object.entries(context), Object.entries(answers), asked.flatMap(saidIn)].flat(3));
}

/** @returns what is probably wrong with a question, for whom set it */
export function questionWarnings(question: Question, languages: readonly string[]): string[] {
  const {label, choices = []} = question;
  const why = whyDelicate(saidIn(question));
  const lacks = (texts: object) =>
    languages.filter((tag) => !Object.keys(texts).some((each) => each.split('-')[0] === tag));
  const missing = [...new Set([lacks(label), ...choices.map(lacks)].flat())];
  return [
    ...(why === undefined ? [] : [`${why}: ask counsel first`]),
    ...(missing.length === 0
      ? []
      : [`lacks words in ${missing.join(', ')}: forms in that language show those in en`]),
  ];
}
