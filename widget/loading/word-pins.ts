/**
 * The files of words that further languages load at the first touch, by address and integrity. Only the later file
 * `languages` has these pins, so that a further language does not make the first file larger. The build replaces this
 * module like `pins.ts`.
 */
import {firstScreens, type LanguageTag} from '../../form/words/languages.ts';

const fileOf = (tag: string) => ({
  path: `../../form/words/${tag}.ts`,
  integrity: '',
  name: `words-${tag}`,
  only: 'afterTouch',
});

export const wordFiles = Object.fromEntries(
  Object.keys(firstScreens).map((tag) => [tag, fileOf(tag)]),
) as Record<LanguageTag, ReturnType<typeof fileOf>>;
