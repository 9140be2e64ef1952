/**
 * The digests by which confirmations are limited. The store gets only these: neither the address nor the network of a
 * visitor can be read from them without the token keys.
 */
import {networksAround} from '../config/addresses.ts';
import {keyedDigests, type TokenKeys} from './keyed-digests.ts';

/** What makes no other mailbox at a provider, besides capitals and a tag after a plus sign. */
type Provider = {
  domains: RegExp;
  /** Replaces all domains of a provider under which a name is the same mailbox. */
  domain?: string;
  /** In the part before the @. */
  ignored?: RegExp;
};

const providers: readonly Provider[] = [
  {domains: /^g(oogle)?mail\.com$/, domain: 'gmail.com', ignored: /\./g},
  {domains: /^(proton(mail)?\.(com|me|ch)|pm\.me)$/, domain: 'proton.me', ignored: /[._-]/g},
  {domains: /^(icloud|me|mac)\.com$/, domain: 'icloud.com'},
  // A full stop may be written as a hyphen.
  {domains: /^(ya\.ru|(narod|yandex)\.[a-z.]+)$/, domain: 'yandex.ru', ignored: /[.-]/g},
  // A tag begins with a hyphen. Sources contradict each other about full stops.
  {domains: /^((yahoo|ymail|rocketmail|aol|aim)\.[a-z.]+|verizon\.net)$/, ignored: /\.|(?<=.)-.*/g},
  // Telephone companies whose customers have their e-mail at Yahoo.
  {
    domains:
      /^(att|ameritech|bellsouth|flash|nvbell|pacbell|prodigy|sbcglobal|snet|swbell|wans|frontier|rogers)\.(net|com)$/,
    ignored: /\.|(?<=.)-.*/g,
  },
];

/** At this provider, `anything@name.fastmail.com` is `name@fastmail.com`. */
const nameInDomain = /^(?:.+\.)?([^.]+)\.(fastmail\.[a-z]+)$/;

/**
 * The same text for all spellings of an address that reach the same mailbox. Otherwise a stranger could be written to as
 * often as somebody thinks of another spelling. When in doubt, two spellings are the same, because a mistake costs a visitor
 * no more than a confirmation.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const host = email.slice(at + 1).toLowerCase();
  const [, owner, ofOwner] = nameInDomain.exec(host) ?? [];
  if (ofOwner !== undefined) return `${owner}@${ofOwner}`;
  const [local = ''] = email
    .slice(0, at)
    .toLowerCase()
    .split(/(?<=.)\+/);
  const {domain = host, ignored} = providers.find(({domains}) => domains.test(host)) ?? {};
  return `${ignored ? local.replaceAll(ignored, '') : local}@${domain}`;
}

/** Makes one digest of an address for each token key: during a rotation of keys, the store may have any of them. */
export function addressDigests(keys: TokenKeys): (email: string) => string[] {
  const digests = keyedDigests(keys, 'hex');
  return (email) => digests(`confirmation address\0${mailboxOf(email)}`);
}

/** The digests of a network and of those around it, the narrowest first, with the first key. */
export function networkDigests([key]: TokenKeys): (network: string) => string[] {
  const digests = keyedDigests([key], 'hex');
  return (network) =>
    networksAround(network).flatMap((each) => digests(`confirmation network\0${each.network}`));
}
