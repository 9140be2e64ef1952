/** Destinations as the dispatcher serves them, for tests that start no server. */
import {
  addressOf,
  placeOf,
  type LeadApiSettings,
  type OnLostReply,
} from '../../server/config/destinations.ts';
import type {Served} from '../../server/destinations/channel.ts';
import {createLeadApi} from '../../server/destinations/lead-api/lead-api.ts';
import type {Pauses} from '../../server/destinations/pauses.ts';
import {termsOf} from '../../server/destinations/kinds.ts';
import type {DeliveryRequest} from '../../server/destinations/destination.ts';
import {newEntry, toRecord} from './sample-leads.ts';

/** @param timeout milliseconds for one attempt to deliver a lead */
export const servedLeadApi = (
  settings: LeadApiSettings,
  timeout: number,
  onLostReply: OnLostReply = 'send',
): Served => ({
  destination: createLeadApi(settings, timeout),
  address: addressOf(settings),
  place: placeOf(settings),
  terms: termsOf({...settings, onLostReply}, {leadsPerSecond: 1_000, eventsGivenUpAfter: Infinity}),
});

/** The first attempt to deliver a new lead. @param taken gets the id that the upstream gives to it */
export const leadRequest = (taken: (id: string) => void = () => undefined): DeliveryRequest => ({
  lead: toRecord(newEntry()),
  content: 'lead',
  happenedAt: Date.now(),
  now: Date.now(),
  remoteId: null,
  attempts: 0,
  recipients: null,
  decide: () => Promise.resolve(undefined),
  onTaken: (id: string) => Promise.resolve(taken(id)),
  corrected: () => Promise.resolve(undefined),
});

/** No destination is paused. */
export const noPauses: Pauses = {
  has: () => false,
  isGone: () => false,
  pause: () => Promise.resolve(),
  onBreakEnd: () => undefined,
  stop: () => Promise.resolve(),
};
