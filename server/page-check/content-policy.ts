/**
 * Reads content security policies, and decides like a browser what they allow.
 * https://www.w3.org/TR/CSP3/#matching-expressions and #script-src-elem-pre-request
 */

import {createHash} from 'node:crypto';

/** The sources of each directive, by its name. */
export type ContentPolicy = ReadonlyMap<string, readonly string[]>;

/**
 * @param text one or more policies as in the header, with or without its name: several are separated by commas, and each
 *   has to allow a request. The header that only reports allows everything
 */
export const readPolicies = (text: string): ContentPolicy[] =>
  /^\s*content-security-policy-report-only\s*:/i.test(text)
    ? []
    : text
        .replace(/^\s*content-security-policy\s*:/i, '')
        .split(',')
        .map(readPolicy)
        .filter(({size}) => size > 0);

/** A policy in a `<meta>` element cannot put the page into a sandbox. */
export const readMetaPolicies = (text: string): ContentPolicy[] =>
  readPolicies(text).map((policy) => new Map([...policy].filter(([name]) => name !== 'sandbox')));

function readPolicy(text: string): ContentPolicy {
  const policy = new Map<string, readonly string[]>();
  for (const directive of text.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/\s+/);
    // Of two directives with the same name, browsers ignore the second.
    if (name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources);
  }
  return policy;
}

export type Directive = {name: string; sources: readonly string[]};

/** What browsers use if a directive is missing, in this order. */
const fallbacks: Readonly<Record<string, readonly string[]>> = {
  'script-src-elem': ['script-src', 'default-src'],
  'connect-src': ['default-src'],
  'style-src-attr': ['style-src', 'default-src'],
  'frame-src': ['child-src', 'default-src'],
};

/** The directive that decides; undefined if nothing forbids anything. */
export function deciding(policy: ContentPolicy, name: string): Directive | undefined {
  const found = [name, ...(fallbacks[name] ?? [])].find((each) => policy.has(each));
  return found === undefined ? undefined : {name: found, sources: policy.get(found) ?? []};
}

export type Script = {
  url: URL;
  nonce?: string | undefined;
  integrity?: string | undefined;
  /** Whether a script put it on the page, and not the HTML itself. */
  isAdded: boolean;
};

export function allowsScript({sources}: Directive, script: Script, page: URL): boolean {
  if (hasNonce(sources, script.nonce)) return true;
  const hashes = script.integrity?.split(/\s+/).filter(Boolean) ?? [];
  const allowed = hashesIn(sources);
  if (hashes.length > 0 && hashes.every((hash) => allowed.includes(normalHash(hash)))) return true;
  if (isStrictDynamic({sources})) return script.isAdded;
  return allowsUrl({sources}, script.url, page);
}

/** Browsers read keywords in any case. */
const hasKeyword = (sources: readonly string[], keyword: string) =>
  sources.some((source) => source.toLowerCase() === keyword);

/** With this keyword, browsers ignore the hosts in the list. */
export const isStrictDynamic = ({sources}: Pick<Directive, 'sources'>): boolean =>
  hasKeyword(sources, "'strict-dynamic'");

const hasNonce = (sources: readonly string[], nonce: string | undefined) =>
  Boolean(nonce) && sources.some((source) => /^'nonce-(.+)'$/i.exec(source)?.[1] === nonce);

/** A hash may be written in both alphabets of Base64, in a policy and in `integrity`. */
export function normalHash(hash: string): string {
  const [, algorithm = '', digest = ''] = /^(sha(?:256|384|512))-([\w+/=-]+)/i.exec(hash) ?? [];
  return `${algorithm.toLowerCase()}-${digest.replaceAll('-', '+').replaceAll('_', '/')}`;
}

const hashesIn = (sources: readonly string[]) =>
  sources
    .filter((source) => /^'sha(256|384|512)-/i.test(source))
    .map((source) => normalHash(source.slice(1)));

/** @param page an address on the page's origin */
export const allowsUrl = ({sources}: Pick<Directive, 'sources'>, url: URL, page: URL): boolean =>
  sources.some((source) => matches(source, url, page));

/** Whether a script may stand within the page. */
export const allowsInlineScript = (
  {sources}: Directive,
  {nonce, text}: {nonce: string | undefined; text: string},
): boolean =>
  hasNonce(sources, nonce) ||
  hasHashOf(sources, text) ||
  (allowsAllInline(sources) && !isStrictDynamic({sources}));

/** Whether an element may have this `style` attribute. */
export const allowsStyleAttribute = ({sources}: Directive, text: string): boolean =>
  allowsAllInline(sources) || (hasKeyword(sources, "'unsafe-hashes'") && hasHashOf(sources, text));

/** With a hash or a nonce, browsers ignore 'unsafe-inline'. */
const allowsAllInline = (sources: readonly string[]) =>
  hasKeyword(sources, "'unsafe-inline'") && !sources.some((source) => /^'(nonce|sha\d+)-/i.test(source));

const hasHashOf = (sources: readonly string[], text: string) =>
  hashesIn(sources).some((hash) => {
    const [algorithm = '', digest] = hash.split('-');
    return createHash(algorithm).update(text).digest('base64') === digest;
  });

/** A page that is not encrypted may name sources without TLS, and they may be reached with it. */
const isSchemeAllowed = (wanted: string, url: URL) =>
  url.protocol === wanted || (wanted === 'http:' && url.protocol === 'https:');

const defaultPorts: Readonly<Record<string, string>> = {'http:': '80', 'https:': '443'};
const portOf = ({port, protocol}: URL) => port || defaultPorts[protocol] || '';

function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return /^https?:$/.test(url.protocol);
  if (source.toLowerCase() === "'self'") {
    return url.hostname === page.hostname && isSchemeAllowed(page.protocol, url) && isPort(page, url);
  }
  if (source.startsWith("'")) return false;
  if (/^[a-z][a-z\d+.-]*:$/i.test(source)) return isSchemeAllowed(source.toLowerCase(), url);
  const parts = /^(?:([a-z][a-z\d+.-]*):\/\/)?(\*|[^:/]+)(?::(\d+|\*))?(\/.*)?$/i.exec(source);
  if (!parts) return false;
  const [, scheme, host = '', port, path] = parts;
  return (
    isSchemeAllowed(scheme ? `${scheme.toLowerCase()}:` : page.protocol, url) &&
    isHost(host.toLowerCase(), url.hostname) &&
    (port === '*' ||
      portOf(url) === (port ?? defaultPorts[url.protocol]) ||
      // A source that names the port of http may be reached with TLS, as one that names http itself.
      (port === '80' &&
        portOf(url) === '443' &&
        (scheme ?? page.protocol.slice(0, -1)).toLowerCase() === 'http')) &&
    isPath(path, url.pathname)
  );
}

const isPort = (page: URL, url: URL) =>
  portOf(page) === portOf(url) ||
  (page.protocol === 'http:' && portOf(page) === '80' && portOf(url) === '443');

const isHost = (pattern: string, host: string) =>
  pattern === '*' || (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern);

const isPath = (pattern: string | undefined, path: string) =>
  pattern === undefined ||
  pattern === '/' ||
  (pattern.endsWith('/') ? path.startsWith(pattern) : path === pattern);
