/** What can be set by environment variables, as data: checked at start, and the table in README.md is made of it. */
import {z} from 'zod';
import {leadTypes} from '../contract/fields.ts';
import {readRanges} from './addresses.ts';
import {callersSchema} from './callers.ts';
import {cid, httpUrl} from './partners.ts';

/** A number in decimal digits. Each failure gets the same error, which says what the setting may be. */
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

/** Whether it is a list of addresses and ranges. */
function areRanges(text: string): boolean {
  try {
    return readRanges(text).length > 0;
  } catch {
    return false;
  }
}

const ranges = z.string().transform((text, context) => {
  try {
    return readRanges(text);
  } catch (error) {
    context.addIssue({code: 'custom', message: `is no list of addresses: ${(error as Error).message}`});
    return z.NEVER;
  }
});

/** Whether the client of Redis would take it. Its own error holds the whole address, and the password with it. */
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

/** Whether it is an address. One of a UNIX socket may have no host: `postgres://user@/leads?host=/run/postgresql`. */
const isPostgresUrl = (text: string) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@socket/'));

/** Every setting, in the order of the table in README.md, which is made from these descriptions. */
export const settings = z.object({
  PUBLIC_URL: httpUrl.describe('Where browsers reach this server, such as `https://leads.example.com`.'),
  CALLERS: callers.describe(
    'Who may call `/json/leads`: `[{"user": "acme", "password": "…", "cids": ["1001"]}]`. Passwords have at least 12 characters; a user may have two, and `password_sha256` instead. `lead-prequal callers new` makes them (docs/api.md).',
  ),
  EMBED_ORIGINS: list
    .optional()
    .describe(
      'Origins of the pages that may embed the form, separated by commas or spaces. Required without `PARTNERS_FILE`.',
    ),
  PARTNERS_FILE: z
    .string()
    .optional()
    .describe('A JSON file of several partners (docs/partners.md); replaces the `EMBED_…` settings.'),
  TOKEN_KEY: list
    .pipe(z.array(z.string().min(32, 'must have at least 32 characters each')).min(1, 'must not be empty'))
    .describe(
      "Signs visitors' tokens; 32 characters or more. To rotate: a new key behind the old one in every process, then before it, after 7 days alone.",
    ),
  EMBED_CID: cid
    .optional()
    .describe(
      'The client under which leads of the form are stored. Default: the first `cid` of the first caller.',
    ),
  EMBED_PARTNER: z.string().default('default').describe('The value of the `partner` attribute.'),
  EMBED_LEAD_TYPES: list
    .pipe(z.array(z.enum(leadTypes)).min(1))
    .default([...leadTypes])
    .describe('Which types of lead the form may send.'),
  UPSTREAM_URL: httpUrl
    .optional()
    .describe('A service with the API of the specification that answers instead of the calculator.'),
  UPSTREAM_USER: z.string().optional().describe('Its user name.'),
  UPSTREAM_PASSWORD: z.string().optional().describe('Its password.'),
  UPSTREAM_CID: z.string().optional().describe('The `cid` it gave you; replaces the one of the lead.'),
  ON_AMBIGUOUS: z
    .enum(['send', 'hold'])
    .default('send')
    .describe(
      'What to do with a lead whose reply from the upstream was lost: send it again, up to three times in all, or leave it to `lead-prequal outbox`.',
    ),
  OUTBOX_PER_SECOND: numberWithin(1, 10_000)
    .default(20)
    .describe('How many waiting leads are sent to an upstream in a second, at most.'),
  PROOF_OF_WORK: numberWithin(0, 100_000)
    .int('must be a whole number')
    .default(200)
    .describe(
      "Key derivations that the form does before it sends a lead, about a millisecond each, while the visitor types. 0 asks for none: for development on plain HTTP, where browsers cannot (`http://localhost` can), and for scripts that send to the browser's API.",
    ),
  RATE_LIMIT: numberWithin(1)
    .int('must be a whole number')
    .default(60)
    .describe("Requests of one address to the browser's API, of each kind, in a minute."),
  REDIS_URL: z
    .string()
    .refine(isRedisUrl, {
      error:
        'must be an address such as redis://:password@host:6379, with signs such as @ or % of a password encoded',
    })
    .optional()
    .describe(
      '`redis://…`: processes share the rate limits, quotas and failed sign-ins. In memory without it, and while it is away.',
    ),
  TRUST_PROXY: z
    .string()
    .default('0')
    .refine((text) => /^\d+$/.test(text) || areRanges(text), {
      error: 'must be a number of proxies, or their addresses separated by commas',
    })
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .describe(
      'How many reverse proxies stand before the server, or their addresses: whom to believe about the address of a visitor.',
    ),
  SIGN_IN_EXEMPT: ranges
    .default([])
    .describe(
      'Addresses and ranges of callers, separated by commas, that are never refused for failed sign-ins. Any other address (for IPv6 its /64) is refused for the rest of a minute in which it failed 20 times, with the right password, too.',
    ),
  DATABASE_PATH: z
    .string()
    .default('data/leads.sqlite')
    .describe('The SQLite file. It and its folder are made when missing.'),
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, {
      error:
        'must be an address such as postgres://user:password@host:5432/database, with signs such as @ or / of a password encoded',
    })
    .optional()
    .describe('`postgres://…`: a PostgreSQL instead of the SQLite file; for several processes.'),
  DATABASE_STATEMENTS: z
    .enum(['named', 'unnamed'])
    .default('named')
    .describe(
      'Whether PostgreSQL keeps the statements of a connection by name, which is faster. `unnamed` where a pooler in transaction mode cannot: PgBouncer before 1.21.',
    ),
  POLICY_FILE: z
    .string()
    .optional()
    .describe("A JSON file that replaces the calculator's figures (docs/policy.md)."),
  EMBED_FOLDER: z
    .string()
    .default('dist/embed')
    .describe(
      'What `npm run build` made of the form, one folder a version. May be missing: the versions in `releases/` are always served.',
    ),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('The address to listen on. A reverse proxy with TLS stands before it.'),
  PORT: numberWithin(0, 65_535)
    .int('must be a whole number')
    .default(8080)
    .describe('The port to listen on.'),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe(
      'At `info` a line for each request of a caller, and for each that makes or reads a lead. Other requests are counted after the first of a kind, so that nobody can fill a disk; files and health have lines only when they fail. At `debug` a line for every request.',
    ),
});
