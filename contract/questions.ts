/**
 * The questions of ours that a partner may ask besides, by name (`ask` in `lead-prequal.json`), a row each. All that
 * configuration, events, exports, notes, e-mails and pages need of a question is in its row. The form gets it with the
 * configuration, like a partner's own questions, so its files have none of it. Visitors may leave all of them empty.
 */
import {formFields, manyLines, type Field, type FormFieldName} from './fields.ts';

/** Words by the language of the form. */
type Texts = {readonly en: string; readonly es: string};

const statesIn = ({en, es}: Texts) => {
  const [english, spanish] = [en, es].map((names) => names.split(', '));
  const codes =
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI';
  return codes
    .split(' ')
    .map((value, index) => ({value, en: english?.[index] ?? value, es: spanish?.[index] ?? value}));
};

/**
 * - `label`: the short name, for operators, and where the form names the question in a sentence
 * - `question`: what the form asks, if that is not the label
 * - `about`: what the answer is, for the documents of the events
 * - `choices`: what a lead has, and the words of the form. `said`: how whoever calls reads it. Without choices, the answer is
 *   a text of several lines, of at most `max` characters
 * - `byAlphabet`: visitors look for their choice by the alphabet of their language
 */
export type Question = Omit<Field, 'kind' | 'required' | 'choices'> & {
  readonly label: Texts;
  readonly question?: Texts;
  readonly about: string;
  readonly choices?: readonly (Texts & {readonly value: string; readonly said?: string})[];
  readonly byAlphabet?: boolean;
};

/**
 * Only the form sends these, and the notes for a `lead-api` have a line of each. A new one stands at the end, because the order of
 * fields in digests of leads and of columns in exports must not change.
 */
const ofForms = {
  call_time: {
    label: {en: 'When to call', es: 'Cuándo llamar'},
    question: {en: 'When should we call?', es: '¿Cuándo le llamamos?'},
    about: 'When the visitor wants to be called. text_first: with a text message before.',
    choices: [
      {value: 'morning', en: 'In the morning', es: 'Por la mañana', said: 'in the morning'},
      {value: 'afternoon', en: 'In the afternoon', es: 'Por la tarde', said: 'in the afternoon'},
      {value: 'evening', en: 'In the evening', es: 'Por la noche', said: 'in the evening'},
      {
        value: 'text_first',
        en: 'Text me first',
        es: 'Prefiero un mensaje de texto primero',
        said: 'send a text message first',
      },
    ],
  },
} as const satisfies Readonly<Record<string, Question>>;

/** The reference of the specification has these, so callers may send them, and a `lead-api` gets them. */
const ofCallers = {
  state: {
    label: {en: 'State', es: 'Estado'},
    about: 'The US state, as a two-letter code.',
    choices: statesIn({
      en: 'Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia, Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming, American Samoa, Guam, Northern Mariana Islands, Puerto Rico, U.S. Virgin Islands',
      es: 'Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Distrito de Columbia, Florida, Georgia, Hawái, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Luisiana, Maine, Maryland, Massachusetts, Míchigan, Minnesota, Misisipi, Misuri, Montana, Nebraska, Nevada, Nuevo Hampshire, Nueva Jersey, Nuevo México, Nueva York, Carolina del Norte, Dakota del Norte, Ohio, Oklahoma, Oregón, Pensilvania, Rhode Island, Carolina del Sur, Dakota del Sur, Tennessee, Texas, Utah, Vermont, Virginia, Washington, Virginia Occidental, Wisconsin, Wyoming, Samoa Americana, Guam, Islas Marianas del Norte, Puerto Rico, Islas Vírgenes de los EE. UU.',
    }),
    byAlphabet: true,
    expects: 'a two-letter US code, such as CA',
    autocomplete: 'address-level1',
  },
  time_frame: {
    label: {en: 'Time frame', es: 'Plazo'},
    question: {en: 'When do you need the funding?', es: '¿Cuándo necesita el financiamiento?'},
    about: 'When the money is needed.',
    choices: [
      {value: "Don't Know Yet", en: 'I do not know yet', es: 'Todavía no lo sé'},
      {value: 'Less than 2 months', en: 'In less than 2 months', es: 'En menos de 2 meses'},
      {value: '2-6 months', en: 'In 2 to 6 months', es: 'En 2 a 6 meses'},
      {value: '6-12 months', en: 'In 6 to 12 months', es: 'En 6 a 12 meses'},
      {value: 'More than 12 Months', en: 'In more than 12 months', es: 'En más de 12 meses'},
    ],
  },
  notes: {
    label: {en: 'Notes', es: 'Notas'},
    question: {en: 'Anything else we should know?', es: '¿Hay algo más que debamos saber?'},
    about: 'Notes. They may have several lines.',
    max: 2_000,
    pattern: manyLines,
  },
} as const satisfies Readonly<Record<string, Question>>;

/** All of them, in the order of the form. */
export const questions = {...ofForms, ...ofCallers};
export type QuestionName = keyof typeof questions;
export const questionNames = Object.keys(questions) as QuestionName[];
/** One of them, as all have the same type. */
export const questionOf = (name: QuestionName): Question => questions[name];

/** The names of all that a form by itself can ask. */
export const formFieldNames = [...Object.keys(formFields), ...questionNames] as FormFieldName[];

type FieldOf<Row> = Row extends {choices: readonly {value: infer Choice extends string}[]}
  ? {kind: 'choice'; required: false; choices: readonly Choice[]; expects?: string}
  : {kind: 'text'; required: false; max: number; pattern: RegExp};

const fieldsOf = <Rows extends Readonly<Record<string, Question>>>(rows: Rows) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, {choices, ...row}]) => [
      name,
      {...row, kind: choices ? 'choice' : 'text', required: false, choices: choices?.map(({value}) => value)},
    ]),
  ) as unknown as {[Name in keyof Rows]: FieldOf<Rows[Name]>};

export const formQuestions = fieldsOf(ofForms);
export const formQuestionNames = Object.keys(ofForms) as (keyof typeof ofForms)[];
export const callerQuestions = fieldsOf(ofCallers);
export const callerQuestionNames = Object.keys(ofCallers) as (keyof typeof ofCallers)[];
