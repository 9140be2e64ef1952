/** A partner whose visitors get confirmations, and the mail server that takes them. */
import {confirmationsOf} from '../../server/config/confirmations.ts';
import type {Config} from '../../server/config/config.ts';
import type {DestinationSettings} from '../../server/config/destinations.ts';
import {onePartner} from '../../server/config/partners.ts';
import {emailSettings} from './email-settings.ts';
import {listedOrigin} from './test-server.ts';

type Choices = {
  confirm?: object;
  fields?: object;
  isOn?: boolean;
  /** Keys of further partners with the same choices. */
  others?: readonly string[];
};

export const tokenKeys = ['a-token-key-for-tests-that-is-long-enough'] as const;

/** The configuration, as `readConfig` makes it of the partners file. */
export function confirming(
  smtpUrl: string,
  {confirm = {}, fields = {}, isOn = true, others = []}: Choices = {},
): Partial<Config> {
  const partner = (key: string) =>
    onePartner({
      key,
      name: 'Acme Funding',
      origins: [listedOrigin],
      cid: '1001',
      confirm: {via: 'mail', ...confirm},
      ...fields,
    });
  const partners = [partner('acme'), ...others.map(partner)] as const;
  const mail = new Map<string, DestinationSettings>([['mail', emailSettings(smtpUrl)]]);
  const destinations = new Map([
    ...mail,
    ...confirmationsOf(partners, mail, {isOn, tokenKeys, rounding: 1_000}),
  ]);
  return {partners, destinations, confirmations: isOn, tokenKeys};
}
