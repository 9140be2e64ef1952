/** The words of the form in all its languages, which the form itself loads one by one. The server reads them once, at start. */
import * as english from './en.ts';
import {languages, type FormLanguage} from './languages.ts';
import {merge, type LanguageWords, type Words} from './words.ts';

const allWords = ({firstScreen, afterTouch}: LanguageWords) =>
  merge(firstScreen as Words, afterTouch as Words);

const otherWords = await Promise.all(
  Object.entries(languages).map(async ([tag, load]) => [tag, allWords(await load())] as const),
);

export const formWords = Object.fromEntries([['en', allWords(english)], ...otherWords]) as Readonly<
  Record<FormLanguage, Words>
>;
