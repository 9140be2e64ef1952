/** What the form may say where it asks for the contact data, as far as the configuration makes it so. */
import {confirmedBy} from './confirmations.ts';
import type {DestinationSettings} from './destinations.ts';
import type {Partner} from './partners.ts';

export type ContactFacts = {
  /** The amounts follow from the answers alone: no upstream has to be asked. */
  isReady: boolean;
  /** The visitor gets them by e-mail, too. */
  isMailed: boolean;
  /** Nobody but the partner gets the data. */
  isOnly: boolean;
};

type Destinations = ReadonlyMap<string, DestinationSettings>;

export function contactFacts(partner: Partner, destinations: Destinations): ContactFacts {
  const {answerFrom, confirm, leadTypes} = partner;
  const isReady = answerFrom === undefined && leadTypes.includes('prequalification');
  const mail = confirm && destinations.get(confirmedBy(confirm));
  const isMailed = isReady && confirm?.amounts === true && mail?.type === 'confirmation' && mail.isOn;
  return {isReady, isMailed, isOnly: isOnlyReceiver(partner, destinations)};
}

/**
 * Only where each receiver is at the partner's own site, or is the mailbox that visitors know: whose any other one is, the
 * server cannot know. Neither can it know who reads leads that it sends to nobody.
 */
function isOnlyReceiver({answerFrom, sendTo, contact, ...partner}: Partner, destinations: Destinations) {
  const site = siteOf(partner);
  const isOwn = (address: string) => {
    const host = URL.parse(address)?.hostname ?? address.replace(/.*@/, '');
    return address === contact?.email || host === site || host.endsWith(`.${site}`);
  };
  const receivers = sendTo.map((name) => destinations.get(name));
  const addresses = receivers.flatMap((to) => {
    if (!to || to.type === 'confirmation') return '';
    return to.type === 'email' ? to.to : to.url;
  });
  return answerFrom === undefined && addresses.length > 0 && addresses.every(isOwn);
}

/** The host of the privacy page, or else the only one of all pages. Undefined if there are several. */
function siteOf({privacyHref, origins}: Pick<Partner, 'privacyHref' | 'origins'>): string | undefined {
  const addresses = privacyHref === undefined ? origins : [privacyHref];
  const hosts = new Set(addresses.map((address) => address.replace(/^https?:\/\/(\*\.|www\.)?|[/:].*/g, '')));
  return hosts.size === 1 ? [...hosts][0] : undefined;
}
