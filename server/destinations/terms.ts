/** How each kind of destination is served: what it gets, how fast, and for how long a delivery that fails is retried. */
import type {DestinationSettings, OnAmbiguous} from '../config/destinations.ts';

export type Terms = {
  /** `leads`: the lead itself. `news`: what happened to the lead. */
  gets: 'leads' | 'news';
  /** Whether it hears of leads that are held for an operator. */
  hearsOfHeld: boolean;
  /**
   * How many deliveries begin in a second, at most. For a destination that gets leads, this counts only those that
   * waited in the outbox, because a visitor waits for the others. Does not matter where there is `every`.
   */
  perSecond: number;
  /** How many deliveries are in progress at once, at most. */
  parallel: number;
  /** How many of them were claimed from the outbox, at most. The rest is room for leads that were just stored. */
  parallelClaimed: number;
  /** Milliseconds of failing after which a delivery is given up. */
  givesUpAfter: number;
  /** If given, deliveries are collected for so many milliseconds, and then delivered together. */
  every: number | undefined;
  /**
   * How often it may be sent while it is unknown whether it arrived. After that it is held. Each of these attempts may
   * create another copy of a lead at the destination.
   */
  mostSends: number;
};

/** Deliveries that are in progress at once, at most, if the settings do not say how many. */
export const usualParallel = 16;
/** Connections to a mail server that are open at once. Exchange Online, for example, allows a mailbox three. */
export const mailConnections = 2;
/** The maximum number of deliveries that one digest reports. */
export const digestLeads = 500;
/** How often a lead may be sent while it is unknown whether it arrived, by the setting `ON_AMBIGUOUS`. */
export const mostSends: Readonly<Record<OnAmbiguous, number>> = {send: 3, hold: 1};

/** @param usual what holds unless the settings of the destination say otherwise */
export function termsOf(
  settings: DestinationSettings,
  usual: {perSecond: number; onAmbiguous: OnAmbiguous; newsGivenUpAfter: number},
): Terms {
  // News may arrive twice: its receiver drops repeats by the id of the news. So it is never held for being ambiguous.
  const news = {
    gets: 'news',
    givesUpAfter: usual.newsGivenUpAfter,
    mostSends: Number.MAX_SAFE_INTEGER,
  } as const;
  switch (settings.type) {
    case 'lead-api': {
      const {perSecond = usual.perSecond, parallel = usualParallel} = settings;
      return {
        gets: 'leads',
        hearsOfHeld: false,
        perSecond,
        parallel,
        parallelClaimed: Math.ceil(parallel / 2),
        // An outage never ends in the loss of a lead. What is limited is sending again after a lost reply.
        givesUpAfter: Infinity,
        every: undefined,
        mostSends: mostSends[usual.onAmbiguous],
      };
    }
    case 'webhook': {
      const {perSecond = 300, parallel = usualParallel} = settings;
      return {...news, perSecond, parallel, parallelClaimed: parallel, hearsOfHeld: false, every: undefined};
    }
    case 'email': {
      const {everyMinutes} = settings;
      const parallel = everyMinutes === undefined ? mailConnections : digestLeads;
      const every = everyMinutes && everyMinutes * 60_000;
      return {...news, perSecond: 10, parallel, parallelClaimed: parallel, hearsOfHeld: true, every};
    }
  }
}
