/** Notices when a destination refuses one lead after another, or its replies are all lost or unreadable. */
import type {Emit} from '../observe/events.ts';

/** After this many unreadable replies or refusals in a row, the destination is assumed to have a fault. */
const faultyAfter = 5;

/** `unreadable`: the reply was lost or could not be read, so it is unknown whether the destination has the lead. */
export type ReplyOutcome = 'delivered' | 'refused' | 'unreadable';
export type StreakState = 'ok' | 'unreadable' | 'refusing';

export type ReplyStreaks = {
  /**
   * Must not be called for failures before a reply is possible, such as a refused connection.
   * @param reason for the event, if this reply changes the state
   */
  record(outcome: ReplyOutcome, lead: string, reason: string | null): void;
  state(): StreakState;
  /** True while the state is `unreadable` and several leads got such replies, so that the cause is no single lead. */
  failsForSeveral(): boolean;
};

export function createReplyStreaks(name: string, emit: Emit): ReplyStreaks {
  let unreadable = 0;
  let refused = 0;
  /** The lead with the first unreadable reply of the streak. */
  let firstLead = '';
  let several = false;
  const state = (): StreakState => {
    if (unreadable >= faultyAfter) return 'unreadable';
    return refused >= faultyAfter ? 'refusing' : 'ok';
  };

  return {
    record(outcome, lead, reason) {
      const before = state();
      if (outcome === 'delivered') [unreadable, refused] = [0, 0];
      else if (outcome === 'refused') [unreadable, refused] = [0, refused + 1];
      else {
        unreadable += 1;
        if (unreadable === 1) [firstLead, several] = [lead, false];
        else if (lead !== firstLead) several = true;
      }
      const now = state();
      if (now !== before) emit({type: 'destination-replies', destination: name, state: now, reason});
    },
    state,
    failsForSeveral: () => unreadable >= faultyAfter && several,
  };
}
