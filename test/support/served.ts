/** Destinations as the courier serves them, for tests that start no server. */
import {
  addressOf,
  placeOf,
  type LeadApiSettings,
  type OnAmbiguous,
} from '../../server/config/destinations.ts';
import type {Served} from '../../server/destinations/channel.ts';
import {createLeadApi} from '../../server/destinations/lead-api/lead-api.ts';
import type {Pauses} from '../../server/destinations/pauses.ts';
import {termsOf} from '../../server/destinations/kinds.ts';

/** @param timeout milliseconds for one attempt to deliver a lead */
export const servedLeadApi = (
  settings: LeadApiSettings,
  timeout: number,
  onAmbiguous: OnAmbiguous = 'send',
): Served => ({
  destination: createLeadApi(settings, timeout),
  address: addressOf(settings),
  place: placeOf(settings),
  terms: termsOf(settings, {perSecond: 1_000, onAmbiguous, newsGivenUpAfter: Infinity}),
});

/** No destination is paused. */
export const noPauses: Pauses = {
  has: () => false,
  isGone: () => false,
  pause: () => Promise.resolve(),
  onBreakEnd: () => undefined,
  stop: () => Promise.resolve(),
};
