/** The terms on which a destination is served; kinds.ts has those of each kind. */
import type {OnLostReply} from '../config/destinations.ts';
import type {Timings} from '../config/timings.ts';
import type {LeadEventType} from '../../contract/lead-events.ts';

/** What a destination receives, how fast, and for how long a delivery that fails is retried. */
export type Terms = {
  /** `leads`: the lead itself. `events`: what happened to the lead. `confirmations`: an e-mail to the visitor. */
  receives: 'leads' | 'events' | 'confirmations';
  /** The types of events that it has chosen. Undefined if it receives all of them. */
  events?: readonly LeadEventType[] | undefined;
  /**
   * How many deliveries begin in a second, at most. For a destination that receives leads, this counts only
   * those that waited in the outbox, because a visitor waits for the others.
   */
  perSecond: number;
  /** How many deliveries are in progress at once, at most. */
  parallel: number;
  /** How many of them were claimed from the outbox, at most. The rest is room for leads that were just stored. */
  parallelClaimed: number;
  /** Milliseconds of failing after which a delivery is given up. */
  givesUpAfter: number;
  /**
   * How often it may be sent while it is unknown whether it arrived. After that it is held. Each of these attempts may
   * create another copy of a lead at the destination.
   */
  maxSends: number;
  /** After that it is dropped instead, because no operator could find out whether it arrived. */
  dropsUnknown: boolean;
};

/** Deliveries that are in progress at once, at most, if the settings do not say how many. */
export const usualParallel = 16;
/** Connections to a mail server that are open at once. Exchange Online, for example, allows a mailbox three. */
export const mailConnections = 2;
/** How often a lead may be sent while it is unknown whether it arrived, by `on_lost_reply`. */
export const maxSends: Readonly<Record<OnLostReply, number>> = {send: 3, hold: 1};

/** The terms that hold unless the settings of the destination say otherwise. */
export type UsualTerms = Pick<Timings, 'leadsPerSecond' | 'eventsGivenUpAfter'>;

/** An event may arrive twice: its receiver drops repeats by its id. So it is never held for being ambiguous. */
export const termsOfEvents = ({eventsGivenUpAfter}: UsualTerms) =>
  ({
    receives: 'events',
    givesUpAfter: eventsGivenUpAfter,
    maxSends: Number.MAX_SAFE_INTEGER,
    dropsUnknown: false,
  }) as const;
