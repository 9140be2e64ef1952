/**
 * Reads content security policies, and decides like a browser what they allow.
 * https://www.w3.org/TR/CSP3/#matching-expressions and #script-src-elem-pre-request
 */

import {createHash} from 'node:crypto';

/** The sources of each directive, by its name. */
export type ContentPolicy = ReadonlyMap<string, readonly string[]>;

/**
 * @param text one or more policies as in the header, with or without its name: several are separated by commas, and each
 *   has to allow a request
 */
export const readPolicies = (text: string): ContentPolicy[] =>
  text
    .replace(/^\s*content-security-policy(-report-only)?\s*:/i, '')
    .split(',')
    .map(readPolicy)
    .filter(({size}) => size > 0);

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
  const has = (keyword: string) => sources.some((source) => source.toLowerCase() === keyword);
  if (script.nonce && sources.includes(`'nonce-${script.nonce}'`)) return true;
  const hashes = script.integrity?.split(/\s+/).filter(Boolean) ?? [];
  if (hashes.length > 0 && hashes.every((hash) => sources.includes(`'${hash}'`))) return true;
  if (has("'strict-dynamic'")) return script.isAdded;
  return allowsUrl({sources}, script.url, page);
}

/** @param page an address on the page's origin */
export const allowsUrl = ({sources}: Pick<Directive, 'sources'>, url: URL, page: URL): boolean =>
  sources.some((source) => matches(source, url, page));

/** Whether a script or a `style` attribute may stand within the page. */
export function allowsInline({sources}: Directive, script: {nonce?: string | undefined; text?: string} = {}) {
  const {nonce, text} = script;
  if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
  const hashes = sources.filter((source) => /^'sha(256|384|512)-/.test(source));
  if (text !== undefined && hashes.some((hash) => isHashOf(hash, text))) return true;
  // With a hash or a nonce, browsers ignore 'unsafe-inline'.
  return sources.includes("'unsafe-inline'") && !sources.some((source) => /^'(nonce|sha\d+)-/.test(source));
}

function isHashOf(source: string, text: string): boolean {
  const [algorithm = '', ...digest] = source.slice(1, -1).split('-');
  return createHash(algorithm).update(text).digest('base64') === digest.join('-');
}

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
    (port === '*' || portOf(url) === (port ?? defaultPorts[url.protocol])) &&
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
