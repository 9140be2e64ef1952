/** Notices an upstream that answers every lead alike: with replies that cannot be read, or with refusals. */
import type {Logger} from 'pino';

/** So many replies of one kind in a row are taken for a fault of the upstream, not for chance. */
const alarming = 5;

export type Outcome = 'done' | 'refused' | 'unreadable';
export type StreakState = 'ok' | 'unreadable' | 'refusing';

export type ReplyStreaks = {
  /** @param reason what is logged once when a streak begins to alarm */
  record(outcome: Outcome, lead: string, reason?: string | null): void;
  state(): StreakState;
  /** True while `unreadable` and more than one lead got such replies: the upstream fails, and not one of the leads. */
  failsForSeveral(): boolean;
};

/** Failures that say nothing about the replies, such as a refused connection, are not recorded here. */
export function createReplyStreaks(name: string, log: Logger): ReplyStreaks {
  let unreadable = 0;
  let refused = 0;
  /** The lead with the first unreadable reply of the streak. */
  let firstLead = '';
  let several = false;
  const state = (): StreakState => {
    if (unreadable >= alarming) return 'unreadable';
    return refused >= alarming ? 'refusing' : 'ok';
  };

  return {
    record(outcome, lead, reason) {
      const before = state();
      if (outcome === 'done') [unreadable, refused] = [0, 0];
      else if (outcome === 'refused') [unreadable, refused] = [0, refused + 1];
      else {
        unreadable += 1;
        if (unreadable === 1) [firstLead, several] = [lead, false];
        else if (lead !== firstLead) several = true;
      }
      const now = state();
      if (now === before) return;
      if (now === 'unreadable')
        log.error({upstream: name, state: now, reason}, 'the upstream gives no reply that can be read');
      else if (now === 'refusing')
        log.error({upstream: name, state: now, reason}, 'the upstream refuses every lead');
      else log.info({upstream: name}, 'the upstream answers leads as it should again');
    },
    state,
    failsForSeveral: () => unreadable >= alarming && several,
  };
}
