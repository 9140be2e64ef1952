/** All settings: their schemas, defaults, and descriptions for docs/settings.md. */
import {z} from 'zod';
import {leadTypes} from '../../contract/fields.ts';
import {recipients} from './destinations.ts';
import {origin} from './origins.ts';
import {maxKeepConsentYears, maxRetainDays} from './retention.ts';
import {
  adminUrl,
  areRanges,
  callers,
  host,
  isRedisUrl,
  list,
  numberWithin,
  postgresUrl,
  ranges,
  wholeNumber,
} from './setting-values.ts';
import {clearWord} from './data-keys.ts';
import {cid, displayName, emailAddress, httpUrl, name, nonEmpty, telephone, versionNumber} from './values.ts';

const longWord = z.string().min(32, 'must have at least 32 characters each');

/**
 * All settings, by group. `npm run docs` makes docs/settings.md from them, in the same order: each group is a heading
 * there and each setting one line, which fits a screen. The guides say the rest.
 */
export const settingGroups = {
  'Web address and port': {
    PUBLIC_URL: httpUrl.describe(
      'Where browsers reach this server, such as `https://leads.example.com`, without a path.',
    ),
    HOST: z
      .string()
      .default('127.0.0.1')
      .describe('The address to listen on. A reverse proxy with TLS should stand before it.'),
    PORT: wholeNumber(0, 65_535).default(8080).describe('The port to listen on.'),
    TRUST_PROXY: z
      .string()
      .default('0')
      .refine((text) => /^\d+$/.test(text) || areRanges(text), {
        error: 'must be a number of proxies, or their addresses separated by commas',
      })
      .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
      .describe(
        'How many reverse proxies stand before the server, or which ([more](operations.md#reverse-proxy)).',
      ),
    DRAIN_SECONDS: numberWithin(0, 600)
      .default(0)
      .describe('How long the server goes on after the signal to stop ([more](operations.md#two-servers)).'),
  },
  "Operators' pages": {
    ADMIN_URL: adminUrl
      .optional()
      .describe(
        'Where operators reach their pages, which start with the server: `https://`, a host of its own, no path.',
      ),
    ADMIN_PORT: wholeNumber(0, 65_535)
      .default(8081)
      .describe('The port on which the pages listen, at `HOST`.'),
  },
  'Callers of `/json/leads`': {
    CALLERS: callers.describe(
      'Who may call. `lead-prequal callers new` makes an entry ([more](operations.md#callers)).',
    ),
    SIGN_IN_EXEMPT: ranges
      .default([])
      .describe('Addresses that failed sign-ins never lock out ([more](operations.md#callers)).'),
  },
  Partners: {
    EMBED_ORIGINS: list
      .pipe(nonEmpty(origin, 'must hold at least one origin'))
      .optional()
      .describe('Origins of the pages that may embed the form. Required without `PARTNERS_FILE`.'),
    EMBED_PARTNER: name
      .default('default')
      .describe("The partner's key: the value of the attribute `partner`, and the end of `/apply/…`."),
    EMBED_NAME: displayName
      .optional()
      .describe('The name that visitors read on the [apply page](apply.md). Default: `EMBED_PARTNER`.'),
    EMBED_CID: cid
      .optional()
      .describe(
        'The client under which leads of the form are stored. Default: the first `cid` of the first caller.',
      ),
    EMBED_CONTACT_PHONE: telephone
      .optional()
      .describe('The telephone number that visitors get where the form gets no further.'),
    EMBED_CONTACT_EMAIL: emailAddress.optional().describe('The e-mail address that visitors get there.'),
    EMBED_LEAD_TYPES: list
      .pipe(z.array(z.enum(leadTypes)).min(1))
      .default([...leadTypes])
      .describe('Which types of lead the form may send.'),
    PARTNERS_FILE: z
      .string()
      .optional()
      .describe('A JSON file of several partners, instead of the settings above ([more](partners.md)).'),
    SNIPPETS_PAGE: z
      .enum(['on', 'off'])
      .default('on')
      .describe(
        'Whether partners can copy their snippet from `/embed/snippets` ([more](partners.md#snippets)).',
      ),
  },
  'Keys and limits': {
    TOKEN_KEY: list
      .pipe(nonEmpty(longWord, 'must not be empty'))
      .describe('A secret of at least 32 characters, to sign tokens ([more](operations.md#the-token-key)).'),
    EVIDENCE_KEY: list
      .pipe(nonEmpty(longWord, 'must not be empty'))
      .optional()
      .describe(
        'A secret of at least 32 characters, to sign consents ([more](consent.md#the-evidence-key)).',
      ),
    PROOF_OF_WORK: wholeNumber(0, 100_000)
      .default(200)
      .describe('How much work a browser does for each lead ([more](partners.md#quotas-and-proof-of-work)).'),
    RATE_LIMIT: wholeNumber(1)
      .default(60)
      .describe('How many requests of each kind one address may send to the API of the form in a minute.'),
    REDIS_URL: z
      .string()
      .refine(isRedisUrl, {
        error:
          'must be an address such as redis://:password@host:6379, with signs such as @ or % of a password encoded',
      })
      .optional()
      .describe('`redis://…`, where processes share their limits ([more](operations.md#two-servers)).'),
  },
  'Storing leads': {
    DATABASE_PATH: z
      .string()
      .default('data/leads.sqlite')
      .describe('The SQLite file. If it or its folder does not exist, the server creates it.'),
    DATABASE_URL: postgresUrl
      .optional()
      .describe(
        '`postgres://…`, a PostgreSQL instead of the SQLite file ([TLS](operations.md#tls-to-postgresql)).',
      ),
    DATA_KEY: list
      .transform((words) => words.filter((word) => word !== clearWord))
      .pipe(nonEmpty(longWord, 'is missing: personal data is always sealed'))
      .describe('A secret of at least 32 characters that seals personal data ([more](privacy.md#sealing)).'),
    ERASURES_FILE: z
      .string()
      .optional()
      .describe(
        'What was erased, for restores. SQLite: `DATABASE_PATH` + `.erasures` ([more](privacy.md#backups)).',
      ),
    RETAIN_DAYS: wholeNumber(1, maxRetainDays)
      .optional()
      .describe('After how many days leads are erased; never without it ([more](privacy.md#retention)).'),
    RETAIN_GRACE_DAYS: wholeNumber(0, maxRetainDays)
      .default(30)
      .describe('How many days longer open deliveries keep a lead ([more](privacy.md#retention)).'),
    KEEP_CONSENT_YEARS: wholeNumber(0, maxKeepConsentYears)
      .default(5)
      .describe('How many years a consent stays when its lead is erased ([more](privacy.md#retention)).'),
  },
  'Answers to leads': {
    POLICY_FILE: z
      .string()
      .optional()
      .describe("A JSON file that replaces the calculator's figures ([more](policy.md))."),
    UPSTREAM_URL: httpUrl
      .optional()
      .describe(
        'An upstream, which answers instead of the calculator ([more](destinations.md#a-single-upstream)).',
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
        '`send` again, or `hold`, a lead whose reply was lost ([more](destinations.md#a-lost-reply)).',
      ),
    OUTBOX_PER_SECOND: numberWithin(1, 10_000)
      .default(20)
      .describe('How many waiting leads are sent in a second, unless the destination has `per_second`.'),
  },
  'Webhooks and e-mails': {
    WEBHOOK_INTERNAL_HOSTS: list
      .pipe(z.array(host))
      .default([])
      .describe('Hosts of webhooks and chat rooms in your network ([more](destinations.md#chat-rooms)).'),
    SMTP_URL: z
      .string()
      .optional()
      .describe(
        'The mail server: `smtp://user:password@host:587`, or `smtps://…:465` ([more](email.md#setting-it-up)).',
      ),
    SMTP_FROM: z
      .string()
      .optional()
      .describe("The sender of e-mails, in a file with its quotes: `'Leads <leads@example.com>'`."),
    ALERTS_TO: list
      .pipe(recipients)
      .optional()
      .describe(
        'Who gets an e-mail when something needs an operator ([more](operations.md#alerts-by-e-mail)).',
      ),
    CONFIRMATIONS: z
      .enum(['on', 'off'])
      .default('on')
      .describe('`off` stops the e-mails to visitors ([more](partners.md#a-confirmation-by-e-mail)).'),
  },
  'Versions of the form': {
    EMBED_FOLDER: z
      .string()
      .default('dist/embed')
      .describe('The folder of your own builds of the form, if any ([more](versions.md#releases)).'),
    WITHDRAWN_VERSIONS: list
      .pipe(z.array(versionNumber))
      .default([])
      .describe('Versions that are not served, such as `1.0.0` ([more](versions.md#withdrawing-a-version)).'),
  },
  Metrics: {
    METRICS_PORT: wholeNumber(0, 65_535)
      .optional()
      .describe(
        'The port on which Prometheus reads `/metrics`; none without it ([more](operations.md#metrics)).',
      ),
    METRICS_HOST: z
      .string()
      .default('127.0.0.1')
      .describe('The address for it. Anybody who reaches it can read the metrics.'),
  },
  Log: {
    LOG_LEVEL: z
      .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug'])
      .default('info')
      .describe('`silent`, `fatal`, `error`, `warn`, `info` or `debug` ([more](operations.md#the-log)).'),
  },
};

export const settings = z.object({
  ...settingGroups['Web address and port'],
  ...settingGroups["Operators' pages"],
  ...settingGroups['Callers of `/json/leads`'],
  ...settingGroups.Partners,
  ...settingGroups['Keys and limits'],
  ...settingGroups['Storing leads'],
  ...settingGroups['Answers to leads'],
  ...settingGroups['Webhooks and e-mails'],
  ...settingGroups['Versions of the form'],
  ...settingGroups.Metrics,
  ...settingGroups.Log,
});

export type Settings = z.output<typeof settings>;
