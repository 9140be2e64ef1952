/** Notices when a destination refuses one lead after another, or its replies are all lost or unreadable. */
import {dayLength} from '../config/timings.ts';
import type {Emit} from '../observe/observations.ts';

/** After unreadable replies, or refusals of different leads, so often in a row, the destination is assumed to have a fault. */
const faultyAfter = 5;
/**
 * Where leads are rare, it would take long until `faultyAfter` were refused. After a day of refusals, two leads are
 * enough.
 */
const faultyAfterDay = 2;

/**
 * - `refused`: the destination has decided that it does not take this lead, or fails for this lead each time
 * - `unreadable`: the reply was lost or could not be read, so it is unknown whether the destination has the lead
 */
type ReplyOutcome = 'delivered' | 'refused' | 'unreadable';
type ReplyState = 'ok' | 'unreadable' | 'refusing';

export type ConsecutiveFailures = ReturnType<typeof countConsecutiveFailures>;

export function countConsecutiveFailures(name: string, emit: Emit) {
  let unreadable = 0;
  /** The lead with the first of the consecutive unreadable replies. */
  let firstLead = '';
  let several = false;
  /** Leads that were refused since the last delivery: as many as the state depends on. */
  const refused = new Set<string>();
  /** When the first of them was refused, as a time of `performance.now()`. */
  let refusedSince = 0;
  let emitted: ReplyState = 'ok';
  const isRefusing = () =>
    refused.size >= faultyAfter ||
    (refused.size >= faultyAfterDay && performance.now() - refusedSince >= dayLength);
  const state = (): ReplyState => {
    if (unreadable >= faultyAfter) return 'unreadable';
    return isRefusing() ? 'refusing' : 'ok';
  };

  return {
    /**
     * Must not be called for failures before a reply is possible, such as a refused connection.
     * @param reason for the observation, if this reply changes the state
     */
    record(outcome: ReplyOutcome, lead: string, reason: string | null) {
      if (outcome === 'delivered') {
        unreadable = 0;
        refused.clear();
      } else if (outcome === 'refused') {
        unreadable = 0;
        if (refused.size === 0) refusedSince = performance.now();
        if (refused.size < faultyAfter) refused.add(lead);
      } else {
        unreadable += 1;
        if (unreadable === 1) [firstLead, several] = [lead, false];
        else if (lead !== firstLead) several = true;
      }
      // The state also changes with time alone, so it is compared with the last observation.
      const now = state();
      if (now === emitted) return;
      emitted = now;
      emit({type: 'destination-replies', destination: name, state: now, reason});
    },
    state,
    /** True while the state is `unreadable` and several leads got such replies, so that the cause is no single lead. */
    failsForSeveral: () => unreadable >= faultyAfter && several,
  };
}
