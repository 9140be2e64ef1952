/** The words of the form in all its languages, which the form itself loads one by one. Read once, at start. */
import * as english from '../../../form/words/en.ts';
import {languages} from '../../../form/words/languages.ts';
import {merge, type LanguageWords, type Words} from '../../../form/words/words.ts';
import type {PageLanguage} from '../../snippets/words.ts';

const allWords = ({firstScreen, afterTouch}: LanguageWords) =>
  merge(firstScreen as Words, afterTouch as Words);

const otherWords = await Promise.all(
  Object.entries(languages).map(async ([tag, load]) => [tag, allWords(await load())] as const),
);

export const formWords = Object.fromEntries([['en', allWords(english)], ...otherWords]) as Readonly<
  Record<PageLanguage, Words>
>;
