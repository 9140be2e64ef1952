/** What the visitor reads when nothing was sent. */
import {own} from './own.ts';
import type {Failure, Kit, Notice} from './types.ts';

export function notice({fill, words}: Kit, {code, notice, seconds}: Failure): Notice {
  const {title, text} = own<Notice>(words.failures, notice ?? code) ?? words.failures.other;
  return {title, text: fill(text, {wait: seconds ? inTime(seconds, words.locale) : words.soon})};
}

/** `in 50 seconds` or `in 2 minutes`, as the language has it. */
function inTime(seconds: number, locale: string) {
  const words = new Intl.RelativeTimeFormat(locale);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
