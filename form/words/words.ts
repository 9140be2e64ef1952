/** The words of a language, and how they become sentences. */
import {formatMoney} from '../money.ts';
import type {InputError} from '../read-fields.ts';
import {fieldTable, type FieldName} from '../pages.ts';
import type {AnswerWords} from './answer-en.ts';
import type {FormWords} from './form-en.ts';

export type {AnswerWords, FormWords};

/** Everything that the element can say, each word a plain text with `{placeholders}`. */
export type Words = FormWords & AnswerWords;

type Some<Texts> = {[Name in keyof Texts]?: Texts[Name] extends string ? string : Some<Texts[Name]>};
/** Any of them. */
export type SomeWords = Some<Words>;

/** `{name}` becomes `values.name`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));

/** What is wrong with a field, in a sentence that names it. */
export function sayError(words: FormWords, name: FieldName, code: InputError) {
  const {kind, max = 0} = fieldTable[name];
  // The code may come from a server, and then it may be any text.
  const texts = words.errors[Object.hasOwn(words.errors, code) ? code : 'invalid'];
  return fill(texts[name] ?? texts[kind] ?? texts.other, {
    label: words.labels[name],
    max: kind === 'money' ? formatMoney(max, words.locale) : max.toLocaleString(words.locale),
  });
}

/** `words` with those of `over` in their place, at every depth. */
export function merge<Texts extends object>(words: Texts, over: Some<Texts> | undefined): Texts {
  const merged = {...words} as Record<string, unknown>;
  for (const [name, text] of Object.entries(over ?? {})) {
    const below = merged[name];
    merged[name] = typeof below === 'object' ? merge(below as object, text as object) : (text ?? below);
  }
  return merged as Texts;
}
