/** What operators see in figures: how many leads came when, and what of them has not arrived. */
import type {DeliveryContent, DeliveryReason, OpenState, Unheard} from './deliveries.ts';

/** The leads of a partner on a day. `day`: when it began, in UTC. `newest`: the id of the last lead. `partner`: null for callers */
export type LeadDay = {day: number; partner: string | null; leads: number; newest: string};

/** From `since` on, before `until`, in milliseconds since 1970. */
export type Span = {since: number; until: number};

/** A delivery that has not ended. */
export type OpenDelivery = {
  lead: string;
  destination: string;
  content: DeliveryContent;
  state: OpenState;
  reason: DeliveryReason | null;
};

/**
 * How many deliveries of leads of a time a destination has, by how they went: `late` ones took more than a minute, `open`
 * ones have not ended. `cell` is the number of the time of what they tell, such as an answer later than its lead: its beginning
 * is `cell` times the width.
 */
export type DeliveryCell = {
  destination: string;
  cell: number;
  kind: 'in-time' | 'late' | 'open';
  deliveries: number;
};

export type FigureStore = {
  /**
   * The days since a time with at least one lead, up to now, by partner. Days that have ended are counted once for all, by
   * whoever asks first, and then stand in a table of their own.
   */
  leadDays(since: number, now: number): Promise<LeadDay[]>;
  /** How many leads each partner had in each of these spans. */
  countSpans(spans: readonly Span[]): Promise<{partner: string | null; leads: number}[][]>;
  /** The deliveries of these leads that have not ended. */
  openDeliveriesOf(leads: readonly string[]): Promise<OpenDelivery[]>;
  /** How many leads have a delivery that is held, and one that was refused or given up. `oldestHeld` is an id. */
  countStopped(): Promise<{held: number; oldestHeld: string | null; stopped: number}>;
  /**
   * How many leads are held because bots may have sent them, and the id of the oldest. `deliveries`: of these leads, and of those that
   * are held because of their number, by destination.
   */
  countHeld(): Promise<{
    leads: number;
    oldest: string | null;
    deliveries: {destination: string; deliveries: number}[];
  }>;
  /**
   * Of these senders, the leads since a time that went nowhere, nor wait for amounts that decide it: the id of the newest, and how
   * many there are, 1,000 at most.
   * @param partners keys. @param cids of callers
   */
  countUntaken(
    since: number,
    partners: readonly string[],
    cids: readonly string[],
  ): Promise<{partner: string | null; leads: number; newest: string}[]>;
  /** What has not been heard of stops and erasures, by destination. */
  unheard(): Promise<Unheard[]>;
  /** Of the leads since a time, in cells of `width` milliseconds. */
  deliveryCells(since: number, width: number): Promise<DeliveryCell[]>;
  /**
   * Where a slice of the list of all leads ends: the time of the lead that has `leads - 1` others between it and the first
   * lead before `before`. Undefined if there are fewer leads. Reads nothing but an index.
   * @param before the id of a lead, or undefined for the newest lead on
   */
  sliceEnd(before: string | undefined, leads: number): Promise<number | undefined>;
};
