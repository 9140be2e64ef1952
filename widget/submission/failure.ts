/** The texts about a failure: for the visitor in the form, and for the page's webmaster in the console. */
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import type {Notice} from '../fields/alert-view.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {lookUp} from './exchange.ts';

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

/** What to do when the server does not serve this page, by the code of the problem. */
const fixes: Readonly<Record<string, (endpoint: Endpoint) => string>> = {
  'unknown-partner': () => 'Correct the "partner" attribute, or add this partner on the server.',
  'origin-not-allowed': ({partner}) => `Add ${location.origin} to the origins of "${partner}" on the server.`,
  'lead-type-not-allowed': () =>
    'Set the "lead-type" attribute to a type that this partner may use, or allow it on the server.',
  'proof-needed': () => 'Serve the page over https, or set PROOF_OF_WORK=0 on the server.',
  // When the server refuses the origin of a page, the browser does not let the page read the answer. To the form, that
  // looks as if the server did not answer.
  network: ({partner}) =>
    `Correct the "endpoint" attribute, or add ${location.origin} to the origins of "${partner}" on the server.`,
};

/**
 * Tells the webmaster when the server does not serve this page.
 *
 * @param code a problem code, or `network`
 */
export function explainRefusal(code: string, endpoint: Endpoint) {
  const fix = lookUp(fixes, code);
  if (!fix) return;
  console.error(
    `<lead-prequal-form>: ${endpoint.origin} does not take leads of partner "${endpoint.partner}" from ${location.origin} (${code}). ${fix(endpoint)}`,
  );
}
