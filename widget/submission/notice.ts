/** What the visitor reads when sending failed. */
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import type {Notice} from '../fields/alert-view.ts';
import {own} from './own.ts';
import type {Failure} from './send.ts';

export function noticeOf({code, notice, seconds}: Failure, words: Words): Notice {
  const {title, text} = own<Notice>(words.failures, notice ?? code) ?? words.failures.other;
  return {title, text: fill(text, {wait: seconds ? inTime(seconds, words.locale) : words.soon})};
}

/** `in 50 seconds` or `in 2 minutes`, in the language of the locale. */
function inTime(seconds: number, locale: string) {
  const words = new Intl.RelativeTimeFormat(locale);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
