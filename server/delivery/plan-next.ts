/** What comes after a delivery that failed: when it is tried again, or that an operator must decide. */
import {DeliveryError} from '../answers/delivery-error.ts';
import type {DueDelivery} from '../store/lead-store.ts';
import {NotTried} from './breaker.ts';
import type {OnAmbiguous} from './courier.ts';
import type {Pace} from './pace.ts';

/**
 * How often a lead is sent in all, while each reply leaves open whether the upstream has taken it. Each time may
 * make another copy there.
 */
const mostUnclearSends = 3;

export type Next = {
  error: string;
  /** Whether the lead was sent to the upstream at all. */
  tried: boolean;
  /** It may have the lead now. */
  ambiguous: boolean;
  /** Counts towards the most unclear sends. */
  counts: boolean;
  state: 'waiting' | 'held';
  /** Milliseconds until the next attempt. */
  wait: number;
};

type Circumstances = {
  /** The upstream as a whole fails, and not for this lead alone. */
  isAway: boolean;
  onAmbiguous: OnAmbiguous;
  pace: Pace;
};

export function planNext(
  error: unknown,
  {attempts, ambiguous: unclearBefore}: Pick<DueDelivery, 'attempts' | 'ambiguous'>,
  {isAway, onAmbiguous, pace}: Circumstances,
): Next {
  const tried = !(error instanceof NotTried);
  const failure = error instanceof DeliveryError ? error : undefined;
  const ambiguous = failure?.fault === 'ambiguous';
  const unreadable = failure?.unreadable ?? false;
  // In an outage, replies get lost whichever lead is sent: that is no reason to give up on one of them. A reply that
  // cannot be read is something else: the upstream is there, and has most likely taken the lead.
  const counts = ambiguous && (unreadable || !isAway);
  const unclear = unclearBefore + Number(ambiguous);
  const isHeld = ambiguous && (onAmbiguous === 'hold' || (counts && unclear >= mostUnclearSends));

  const longest = tried ? pace.longestWait : pace.longestBreak;
  const ceiling =
    // The last time comes late, so that whatever is wrong has time to be mended. In an outage it need not be the last,
    // but then, too, copies are to be few.
    ambiguous && unclear >= mostUnclearSends - 1
      ? longest
      : Math.min(longest, pace.firstWait * 2 ** Math.min(attempts, 20));
  // Spread over the whole time, so that a crowd that failed together does not come back together. After replies that
  // make no sense the first half of it always passes.
  const random = ambiguous || unreadable ? 0.5 + Math.random() / 2 : Math.random();
  const askedFor = error instanceof NotTried ? error.wait : (failure?.retryAfter ?? 0);
  return {
    error: error instanceof Error ? error.message : 'unknown',
    tried,
    ambiguous,
    counts,
    state: isHeld ? 'held' : 'waiting',
    wait: Math.round(Math.max(random * ceiling, askedFor)),
  };
}
