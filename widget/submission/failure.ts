/** What the visitor reads about a failure. */
import {sayFailure} from '../../form/words/say-failure.ts';
import type {Words} from '../../form/words/words.ts';
import type {Notice} from '../fields/alert-view.ts';

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
export const noticeOf = ({code, notice, seconds}: Failure, words: Words): Notice =>
  sayFailure(words, notice ?? code, seconds);
