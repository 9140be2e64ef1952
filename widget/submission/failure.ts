/** What the visitor reads about a failure. */
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import type {Notice} from '../fields/alert-view.ts';
import {lookUp} from '../../form/words/look-up.ts';

/** A failure, without words. They are chosen each time the form renders, because the language may change. */
export type Failure = {
  readonly code: string;
  readonly retryable: boolean;
  /** Which words to use if they are not those of the code. */
  readonly notice?: string | undefined;
  /** Seconds after which the server asks to try again. */
  readonly seconds?: number | undefined;
};

/** What the visitor reads when sending failed. */
export function noticeOf({code, notice, seconds}: Failure, words: Words): Notice {
  const {title, text} = lookUp<Notice>(words.failures, notice ?? code) ?? words.failures.other;
  return {title, text: fill(text, {wait: seconds ? relativeTime(seconds, words.locale) : words.soon})};
}

/** `in 50 seconds` or `in 2 minutes`, in the language of the locale. */
function relativeTime(seconds: number, locale: string) {
  const words = new Intl.RelativeTimeFormat(locale);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
