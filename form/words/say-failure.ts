/** Why nothing was sent, in words. */
import {fill} from './fill.ts';
import {lookUp} from './look-up.ts';
import type {Words} from './words.ts';

/**
 * @param code of a problem, or a further name among the words for failures
 * @param seconds after which the server asks to try again
 */
export function sayFailure(words: Words, code: string, seconds?: number) {
  const {title, text} = lookUp<{title: string; text: string}>(words.failures, code) ?? words.failures.other;
  return {title, text: fill(text, {wait: seconds ? relativeTime(seconds, words.locale) : words.soon})};
}

/** `in 50 seconds` or `in 2 minutes`, in the language of the locale. */
function relativeTime(seconds: number, locale: string) {
  const words = new Intl.RelativeTimeFormat(locale);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
