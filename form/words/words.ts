/** The words of a language, and how they become sentences. */
import type {AskedField} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import {formatMoney} from '../format-money.ts';
import type {InputError} from '../read-fields.ts';
import {fieldTable, type FieldName, type Page, type Step, type StepTitle} from '../pages.ts';
import {fill} from './fill.ts';
import type {afterTouch, ErrorTexts, firstScreen} from './en.ts';

export {fill};

export type FirstScreenWords = typeof firstScreen;
export type AfterTouchWords = typeof afterTouch;

/** The file of a language. */
export type LanguageWords = {
  readonly firstScreen: FirstScreenWords;
  readonly afterTouch: AfterTouchWords;
};

/** Everything that the form can say to a visitor. Each word is a plain text with `{placeholders}`. */
export type Words = FirstScreenWords &
  AfterTouchWords & {
    /** Also of what the partner asks besides (`withAskedWords`). */
    labels: Record<FieldName, string>;
    questions: Partial<Record<FieldName, string>>;
    /** A page may add help, and errors of its own, for fields that have none in English. */
    help: Partial<Record<FieldName, string>>;
    errors: Record<InputError, ErrorTexts>;
  };

type Some<Texts> = {[Name in keyof Texts]?: Texts[Name] extends string ? string : Some<Texts[Name]>};
/** Any of these words. */
export type SomeWords = Some<Words>;

/** The words that the form has at a moment. Before the first touch these are only the words of the first screen. */
export type WordsSoFar = FirstScreenWords & SomeWords;

/** The words, with those of what the partner asks besides. A page may have its own for these, too. */
export function withAskedWords(words: Words, asked: readonly AskedField[]): Words {
  const textsOf = (of: 'label' | 'question') =>
    Object.fromEntries(asked.flatMap((each) => (each[of] ? [[each.name, each[of]]] : [])));
  return {
    ...words,
    labels: {...textsOf('label'), ...words.labels},
    questions: {...textsOf('question'), ...words.questions},
  };
}

/** What stands above a step: its title, or the question that it begins with. */
export const stepTitle = ({questions, steps}: WordsSoFar, {title}: Step) =>
  steps?.[title as StepTitle] ?? questions.credit_score;

/** What the last button says, which sends the form. */
export const sendLabel = ({send, seeEstimate}: Words, leadType: LeadType) =>
  leadType === 'standard' ? send : seeEstimate;

/** What a link to a number or an address says. Links of a page may have words of their own, which stay as they are. */
export const wayLabel =
  ({call, write}: Words) =>
  (way: string) =>
    fill(/^[+(\d]/.test(way) ? call : way.includes('@') ? write : '{way}', {way});

/** What stands above the main button: how short the form is, and what the data is used for where that is asked for or sent. */
export function sayUse(words: Words, leadType: LeadType, page: number, pages: readonly Page[]) {
  const {use, short, noCreditCheck} = words;
  if (leadType === 'standard') return use;
  const isLast = page === pages.length - 1;
  const isUsed = isLast || pages[page]?.some(({name}) => name === 'contact');
  const said = page === 0 && !isLast ? short : noCreditCheck;
  return isUsed ? `${said} ${use}` : said;
}

/** What is wrong with a field, in a sentence that names the field. */
export function sayError(
  {errors, labels, locale}: Words,
  name: FieldName,
  code: InputError,
  rows = fieldTable,
) {
  const {kind, max = 0} = rows[name];
  // The code may come from a server, and a newer server may send codes that this form does not know.
  const texts: ErrorTexts = errors[Object.hasOwn(errors, code) ? code : 'invalid'];
  return fill(texts[name] ?? texts[kind] ?? texts.other, {
    label: labels[name],
    max: kind === 'money' ? formatMoney(max, locale) : max,
  });
}

/** @returns `words`, in which the texts of `over` replace those of the same name, at every depth */
export function merge<Texts extends object>(words: Texts, over: Some<Texts> | undefined): Texts {
  const merged = {...words} as Record<string, unknown>;
  for (const [name, text] of Object.entries(over ?? {})) {
    const below = merged[name];
    merged[name] = typeof below === 'object' ? merge(below as object, text as object) : (text ?? below);
  }
  return merged as Texts;
}
