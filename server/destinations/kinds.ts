/** How each kind of destination is made and served. A kind without a row does not compile. */
import type {DestinationSettings} from '../config/destinations.ts';
import {createConfirmation} from './confirmation/confirmation.ts';
import type {Added, Destination} from './destination.ts';
import {createChat} from './chat/chat.ts';
import {createEmail} from './email/email.ts';
import {createLeadApi} from './lead-api/lead-api.ts';
import type {Network} from './network.ts';
import {
  mailConnections,
  maxSends,
  termsOfEvents,
  usualParallel,
  type Terms,
  type UsualTerms,
} from './terms.ts';
import {createWebhook} from './webhook/webhook.ts';

type Kind = DestinationSettings['type'];
type SettingsOf<Type extends Kind = Kind> = {
  [Each in Type]: Extract<DestinationSettings, {type: Each}>;
}[Type];

type Row<Settings> = {
  create: (settings: Settings, timeout: number, network?: Partial<Network>, added?: Added) => Destination;
  terms: (settings: Settings, usual: UsualTerms) => Terms;
};

const kinds: {[Type in Kind]: Row<SettingsOf<Type>>} = {
  'lead-api': {
    create: createLeadApi,
    terms: ({perSecond, parallel = usualParallel, onLostReply}, usual) => ({
      receives: 'leads',
      perSecond: perSecond ?? usual.leadsPerSecond,
      parallel,
      parallelClaimed: Math.ceil(parallel / 2),
      // An outage never ends in the loss of a lead. What is limited is sending again after a lost reply.
      givesUpAfter: Infinity,
      maxSends: maxSends[onLostReply],
      dropsUnknown: false,
    }),
  },
  webhook: {
    create: createWebhook,
    terms: ({perSecond = 300, parallel = usualParallel, events}, usual) => ({
      ...termsOfEvents(usual),
      events,
      perSecond,
      parallel,
      parallelClaimed: parallel,
    }),
  },
  chat: {
    create: createChat,
    // Slack and Google Chat take one message a second.
    terms: ({perSecond = 1, parallel = 1, events}, usual) => ({
      ...termsOfEvents(usual),
      events,
      perSecond,
      parallel,
      parallelClaimed: parallel,
    }),
  },
  email: {
    create: createEmail,
    terms: (_settings, usual) => ({
      ...termsOfEvents(usual),
      perSecond: 10,
      parallel: mailConnections,
      parallelClaimed: mailConnections,
    }),
  },
  confirmation: {
    create: createConfirmation,
    terms: () => ({
      receives: 'confirmations',
      // Most of many at once are an attack, and are dropped without an e-mail: those of visitors must not wait behind them.
      perSecond: 100,
      parallel: mailConnections,
      parallelClaimed: mailConnections,
      // It ends by itself, `confirmationLifetime` after its lead.
      givesUpAfter: Infinity,
      maxSends: 1,
      dropsUnknown: true,
    }),
  },
};

/**
 * @param timeout milliseconds for one attempt to deliver a lead
 * @param added what events and confirmations have beside the lead
 */
export const createDestination = <Type extends Kind>(
  settings: SettingsOf<Type>,
  timeout: number,
  network?: Partial<Network>,
  added?: Added,
) => kinds[settings.type].create(settings, timeout, network, added);

export const termsOf = <Type extends Kind>(settings: SettingsOf<Type>, usual: UsualTerms) =>
  kinds[settings.type].terms(settings, usual);
