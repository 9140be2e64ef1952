/** Schemas of values that settings hold as texts. */
import {isIP} from 'node:net';
import {z} from 'zod';
import {readRanges} from './addresses.ts';

/** A number in decimal digits. For any wrong value, the error says which values are allowed. */
export function numberWithin(least: number, most: number) {
  const error = `must be a number from ${least} to ${most}`;
  return z.coerce.number(error).min(least, error).max(most, error);
}

export const wholeNumber = (...limits: Parameters<typeof numberWithin>) =>
  numberWithin(...limits).int('must be a whole number');

export const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

export const ranges = z.string().transform((text, context) => {
  try {
    return readRanges(text);
  } catch (error) {
    context.addIssue({code: 'custom', message: `is no list of addresses: ${(error as Error).message}`});
    return z.NEVER;
  }
});

/** Whether the text is a list of at least one address or range. */
export const areRanges = (text: string) => (ranges.safeParse(text).data ?? []).length > 0;

/**
 * Whether the Redis client accepts the URL. It is checked here, because the client's error message would contain the
 * whole URL, with the password.
 */
export function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol) || !/^\/?\d*$/.test(url.pathname)) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the text is a PostgreSQL URL. For a UNIX socket, the host is empty: `postgres://user@/leads?host=/run/…`.
 * node-postgres cannot try several hosts, as libpq does. It would look all of them up as one name.
 */
const isPostgresUrl = (text: string) =>
  /^postgres(ql)?:\/\//.test(text) &&
  URL.parse(text.replace('@/', '@socket/'))?.hostname.includes(',') === false;
export const postgresUrl = z.string().refine(isPostgresUrl, {
  error:
    'must be an address such as postgres://user:password@host:5432/database, with one host, and with signs such as @ or / of a password encoded',
});

/** Whether browsers take a host for this machine, and its pages for as safe as those over TLS. */
export const isLocal = (hostname: string) => hostname === 'localhost' || hostname.endsWith('.localhost');

function isOriginForPasskeys(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password || /[?#]/.test(text) || url.pathname !== '/') return false;
  const {protocol, hostname} = url;
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
  return (
    !isAddress &&
    !hostname.endsWith('.') &&
    (protocol === 'https:' || (protocol === 'http:' && isLocal(hostname)))
  );
}
/** Where operators sign in. Passkeys belong to a host name, and browsers have them only over TLS, and on this machine. */
export const adminUrl = z
  .string()
  .refine(isOriginForPasskeys, {
    error:
      'must be https:// with a host name, such as https://admin.leads.example.com, without a path; for a trial also http://localhost:8081, but never an IP address, because passkeys belong to a name',
    abort: true,
  })
  .transform((text) => new URL(text).origin);
