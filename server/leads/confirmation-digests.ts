/**
 * The digests by which confirmations are limited. The store gets only these: neither the address nor the network of a
 * visitor can be read from them without the token keys (the setting `TOKEN_KEY`).
 */
import {createHmac, createSecretKey} from 'node:crypto';

type Keys = readonly [string, ...string[]];

const digester = (what: string, keys: Keys) => {
  const secrets = keys.map((key) => createSecretKey(key, 'utf8'));
  return (text: string): string[] =>
    secrets.map((secret) => createHmac('sha256', secret).update(`${what}\0${text}`).digest('hex'));
};

/** Providers that ignore full stops in the part before the @. */
const ignoresStops = new Set(['gmail.com', 'googlemail.com']);

/**
 * The same text for all spellings of an address that reach the same mailbox at most providers: other capitals, and a tag
 * after a plus sign. Otherwise a stranger could be written to as often as somebody thinks of another tag.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  const [local = ''] = email
    .slice(0, at)
    .toLowerCase()
    .split(/(?<=.)\+/);
  return ignoresStops.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}

/** Makes one digest of an address for each token key: during a rotation of keys, the store may have any of them. */
export function addressDigests(keys: Keys): (email: string) => string[] {
  const digest = digester('confirmation address', keys);
  return (email) => digest(mailboxOf(email));
}

/** The digest of a network with the first key. */
export function networkDigest(keys: Keys): (network: string) => string {
  const digest = digester('confirmation network', [keys[0]]);
  return (network) => digest(network)[0] ?? '';
}
