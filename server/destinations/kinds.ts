/** Creates a destination of any kind from its settings. TypeScript refuses the table `kinds` if a kind is missing. */
import type {DestinationSettings} from '../config/destinations.ts';
import type {Destination} from './destination.ts';
import {createEmail} from './email/email.ts';
import {createLeadApi} from './lead-api/lead-api.ts';
import {createWebhook} from './webhook/webhook.ts';

type Kind = DestinationSettings['type'];
type SettingsOf<Type extends Kind = Kind> = {
  [Each in Type]: Extract<DestinationSettings, {type: Each}>;
}[Type];

const kinds: {[Type in Kind]: (settings: SettingsOf<Type>, timeout: number) => Destination} = {
  'lead-api': createLeadApi,
  webhook: createWebhook,
  email: createEmail,
};

/** @param timeout milliseconds for one attempt to deliver a lead */
export const createDestination = <Type extends Kind>(settings: SettingsOf<Type>, timeout: number) =>
  kinds[settings.type](settings, timeout);
