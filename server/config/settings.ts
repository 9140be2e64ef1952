/** All settings: their schemas, defaults, and descriptions for the table in README.md. */
import {isIPv6} from 'node:net';
import {z} from 'zod';
import {leadTypes} from '../../contract/fields.ts';
import {readRanges} from './addresses.ts';
import {callersSchema} from './callers.ts';
import {origin} from './origins.ts';
import {cid, displayName, emailAddress, httpUrl, name, nonEmpty, telephone, versionNumber} from './values.ts';

/** A number in decimal digits. For any wrong value, the error says which values are allowed. */
function numberWithin(least: number, most = Number.MAX_SAFE_INTEGER) {
  const error =
    most === Number.MAX_SAFE_INTEGER
      ? `must be a number of at least ${least}`
      : `must be a number from ${least} to ${most}`;
  return z.coerce.number(error).min(least, error).max(most, error);
}

const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

const callers = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({code: 'custom', message: 'must be JSON'});
      return z.NEVER;
    }
  })
  .pipe(callersSchema);

const ranges = z.string().transform((text, context) => {
  try {
    return readRanges(text);
  } catch (error) {
    context.addIssue({code: 'custom', message: `is no list of addresses: ${(error as Error).message}`});
    return z.NEVER;
  }
});

/** A host as URLs spell it: in lower case, IPv6 in brackets. */
const host = z.string().transform((text, context) => {
  const [, bare = text] = /^\[(.*)\]$/.exec(text) ?? [];
  const {hostname} = URL.parse(`http://${isIPv6(bare) ? `[${bare}]` : text}/`) ?? {};
  if (hostname && !/[:/?#@*\\]/.test(isIPv6(bare) ? '' : text)) return hostname;
  context.addIssue({code: 'custom', message: 'must be a host without scheme and port, such as crm.internal'});
  return z.NEVER;
});

/** Whether the text is a list of at least one address or range. */
const areRanges = (text: string) => (ranges.safeParse(text).data ?? []).length > 0;

/**
 * Whether the Redis client accepts the URL. It is checked here, because the client's error message would contain the
 * whole URL, with the password.
 */
function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol) || !/^\/?\d*$/.test(url.pathname)) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/** Whether the text is a PostgreSQL URL. For a UNIX socket, the host is empty: `postgres://user@/leads?host=/run/…`. */
const isPostgresUrl = (text: string) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@socket/'));

/** All settings. The table in README.md is generated from this object, in the same order. */
export const settings = z.object({
  PUBLIC_URL: httpUrl.describe(
    'Where browsers reach this server, such as `https://leads.example.com`. The form works only without a path.',
  ),
  CALLERS: callers.describe(
    'Who may call `/json/leads`: `[{"user": "acme", "password": "…", "cids": ["1001"]}]`. A password has at least 12 characters. A user may have two passwords, and `password_sha256` instead of a password. `lead-prequal callers new` makes an entry (docs/api.md).',
  ),
  EMBED_ORIGINS: list
    .pipe(nonEmpty(origin, 'must hold at least one origin'))
    .optional()
    .describe(
      'Origins of the pages that may embed the form, separated by commas or spaces. Required without `PARTNERS_FILE`.',
    ),
  PARTNERS_FILE: z
    .string()
    .optional()
    .describe('A JSON file of several partners (docs/partners.md); replaces the `EMBED_…` settings.'),
  TOKEN_KEY: list
    .pipe(nonEmpty(z.string().min(32, 'must have at least 32 characters each'), 'must not be empty'))
    .describe(
      'Signs the tokens of visitors and the challenges of the form, and turns idempotency keys into digests; 32 characters or more. To rotate it, set `<old> <new>` in every process, then `<new> <old>`, and after 7 days `<new>` (docs/operations.md).',
    ),
  EMBED_CID: cid
    .optional()
    .describe(
      'The client under which leads of the form are stored. Default: the first `cid` of the first caller.',
    ),
  EMBED_PARTNER: name.default('default').describe('The value of the `partner` attribute.'),
  EMBED_NAME: displayName
    .optional()
    .describe(
      'The name that visitors read on the apply page, `/apply/…` (docs/apply.md). Default: `EMBED_PARTNER`.',
    ),
  EMBED_CONTACT_PHONE: telephone
    .optional()
    .describe('The telephone number that visitors read where the form does not load.'),
  EMBED_CONTACT_EMAIL: emailAddress
    .optional()
    .describe('The e-mail address that visitors read where the form does not load.'),
  EMBED_LEAD_TYPES: list
    .pipe(z.array(z.enum(leadTypes)).min(1))
    .default([...leadTypes])
    .describe('Which types of lead the form may send.'),
  UPSTREAM_URL: httpUrl
    .optional()
    .describe(
      'An upstream: a service with the API of the specification, which answers leads instead of the calculator.',
    ),
  UPSTREAM_USER: z.string().optional().describe('The user name for the upstream.'),
  UPSTREAM_PASSWORD: z.string().optional().describe('The password for the upstream.'),
  UPSTREAM_CID: z
    .string()
    .optional()
    .describe('The `cid` that the upstream gave you. Leads are sent with it instead of their own.'),
  ON_AMBIGUOUS: z
    .enum(['send', 'hold'])
    .default('send')
    .describe(
      'What to do with a lead whose reply from the upstream was lost: `send` it again, up to three times in all, or `hold` it until you decide with `lead-prequal deliveries`.',
    ),
  OUTBOX_PER_SECOND: numberWithin(1, 10_000)
    .default(20)
    .describe(
      'How many waiting leads are sent to an upstream in a second, at most. `per_second` of a destination replaces it.',
    ),
  WEBHOOK_INTERNAL_HOSTS: list
    .pipe(z.array(host))
    .default([])
    .describe(
      'Hosts of webhooks in your own network, separated by commas: only they may have private addresses, and plain http (docs/webhooks.md).',
    ),
  SMTP_URL: z
    .string()
    .optional()
    .describe(
      'The mail server for destinations of kind `email`: `smtp://user:password@host:587` (STARTTLS is required unless the host is in a private network) or `smtps://…:465`.',
    ),
  SMTP_FROM: z
    .string()
    .optional()
    .describe('The sender of these e-mails, such as `Leads <leads@example.com>`.'),
  PROOF_OF_WORK: numberWithin(0, 100_000)
    .int('must be a whole number')
    .default(200)
    .describe(
      'How many key derivations the form does before it sends a lead. They run while the visitor types and take about a millisecond each. Set 0 if scripts send leads to the API of the form, or for development on plain HTTP, where browsers cannot do them (except on `http://localhost`).',
    ),
  RATE_LIMIT: numberWithin(1)
    .int('must be a whole number')
    .default(60)
    .describe('How many requests of each kind one address may send to the API of the form in a minute.'),
  REDIS_URL: z
    .string()
    .refine(isRedisUrl, {
      error:
        'must be an address such as redis://:password@host:6379, with signs such as @ or % of a password encoded',
    })
    .optional()
    .describe(
      '`redis://…`, where processes share rate limits, quotas and failed sign-ins. Without it, and while it cannot be reached, each process counts in memory.',
    ),
  TRUST_PROXY: z
    .string()
    .default('0')
    .refine((text) => /^\d+$/.test(text) || areRanges(text), {
      error: 'must be a number of proxies, or their addresses separated by commas',
    })
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .describe(
      'How many reverse proxies are before the server, or their addresses. From them, the server accepts the address of the visitor in `X-Forwarded-For`.',
    ),
  SIGN_IN_EXEMPT: ranges
    .default([])
    .describe(
      'Addresses and ranges of callers, separated by commas, that are never refused because of failed sign-ins. Any other address (for IPv6 its /64) with 20 failed sign-ins in a minute is refused for the rest of the minute, even with the right password.',
    ),
  DATABASE_PATH: z
    .string()
    .default('data/leads.sqlite')
    .describe('The SQLite file. If the file or its folder does not exist, the server creates it.'),
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, {
      error:
        'must be an address such as postgres://user:password@host:5432/database, with signs such as @ or / of a password encoded',
    })
    .optional()
    .describe(
      '`postgres://…`, a PostgreSQL database to use instead of the SQLite file. Several processes may share it.',
    ),
  DATABASE_STATEMENTS: z
    .enum(['named', 'unnamed'])
    .default('named')
    .describe(
      '`named` uses prepared statements of PostgreSQL, which is faster. Set `unnamed` for a connection pooler in transaction mode that does not support them, such as PgBouncer before 1.21.',
    ),
  POLICY_FILE: z
    .string()
    .optional()
    .describe("A JSON file that replaces the calculator's figures (docs/policy.md)."),
  EMBED_FOLDER: z
    .string()
    .default('dist/embed')
    .describe(
      'The folder that `npm run build` writes, with one folder for each version of the form. It may be missing: the versions in `releases/` are always served.',
    ),
  WITHDRAWN_VERSIONS: list
    .pipe(z.array(versionNumber))
    .default([])
    .describe(
      'Exact versions of the form that are no longer served, such as `1.0.0`, separated by commas or spaces (docs/operations.md).',
    ),
  SNIPPETS_PAGE: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether there is the page `/embed/snippets`, on which partners choose how the form looks, try it, and copy the snippet for their site. It shows no secrets, and lists no partners.',
    ),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('The address to listen on. A reverse proxy with TLS should be before it.'),
  PORT: numberWithin(0, 65_535)
    .int('must be a whole number')
    .default(8080)
    .describe('The port to listen on.'),
  DRAIN_SECONDS: numberWithin(0, 600)
    .default(0)
    .describe(
      'How long the server goes on after the signal to stop, before it closes its port. Meanwhile `/readyz` says 503, so that a load balancer sends new requests to other servers (docs/operations.md).',
    ),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe(
      'At `info`, each request of a caller and each request that creates or reads a lead has a line. Of other requests, the first of each kind has a line and the rest are counted, so that they cannot fill the disk. Requests for files and health have lines only if they fail. At `debug`, every request has a line.',
    ),
});

export type Settings = z.output<typeof settings>;
