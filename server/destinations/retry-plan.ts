/** Decides after a failed attempt when the next one is due, or that the delivery is held until an operator decides. */
import type {Timings} from '../config/timings.ts';
import {onlyForReceivers, type DueDelivery, type Postponed} from '../leads/deliveries.ts';
import {NotTried} from './breaker.ts';
import {DeliveryError} from './destination.ts';

/** What the system clock would show if nobody had set it since the process began, in milliseconds since 1970. */
const steadyNow = () => performance.timeOrigin + performance.now();

type Circumstances = {
  /** The destination fails for all leads, and not only for this one. */
  isAway: boolean;
  /** How often it may be sent while it is unknown whether it arrived. */
  maxSends: number;
  /** Milliseconds of failing after which a delivery is given up. */
  givesUpAfter: number;
  timings: Timings;
};

export function planRetry(
  error: unknown,
  {
    attempts,
    ambiguousCounted,
    failingSince,
    content,
  }: Pick<DueDelivery, 'attempts' | 'ambiguousCounted' | 'failingSince' | 'content'>,
  {isAway, maxSends, givesUpAfter, timings}: Circumstances,
): Postponed & {error: string} {
  const tried = !(error instanceof NotTried);
  const failure = error instanceof DeliveryError ? error : undefined;
  const ambiguous = failure?.fault === 'ambiguous';
  const unreadable = failure?.unreadable ?? false;
  // During an outage, the replies of all leads are lost, so this attempt does not count towards the limit. An
  // unreadable reply always counts, because it shows that there is no outage, and most likely the destination has the
  // lead.
  const isCounted = ambiguous && (unreadable || !isAway);
  const sendsSoFar = ambiguousCounted + Number(ambiguous);
  // A limit of one allows no second copy, so it holds during an outage, too.
  const neverEnds = onlyForReceivers.includes(content);
  const isHeld = !neverEnds && ambiguous && (maxSends === 1 || (isCounted && sendsSoFar >= maxSends));

  const longest = tried ? timings.longestRetry : timings.longestBreak;
  // The last attempt comes after the longest wait, so that an operator has time to repair the destination. During an
  // outage further attempts may follow. They wait as long, so that few copies are created.
  const nextIsLastSend = ambiguous && sendsSoFar >= maxSends - 1;
  const doubled = Math.min(longest, timings.firstRetry * 2 ** Math.min(attempts, 20));
  const ceiling = nextIsLastSend ? longest : doubled;
  // The wait is random, up to the ceiling, so that leads that failed together are not sent again together. If the
  // destination may have the lead, the wait is at least half of the ceiling.
  const share = ambiguous || unreadable ? 0.5 + Math.random() / 2 : Math.random();
  const now = Date.now();
  // If the clock was set forward, the delivery has not really failed for so long.
  const failedFor = Math.min(now, steadyNow()) - (failingSince ?? now);
  const isGivenUp = !neverEnds && tried && failedFor >= givesUpAfter;
  const refusedFor = neverEnds && failure?.isForGood ? timings.refusedRetry : 0;
  const askedFor = error instanceof NotTried ? error.wait : (failure?.retryAfter ?? 0);
  return {
    until: now + Math.round(Math.max(share * ceiling, askedFor, refusedFor)),
    error: error instanceof Error ? error.message : 'unknown',
    tried,
    ambiguous,
    isCounted,
    state: isHeld ? 'held' : isGivenUp ? 'failed' : 'waiting',
    excerpt: failure?.excerpt ?? null,
    recipients: failure?.recipients ?? null,
  };
}
