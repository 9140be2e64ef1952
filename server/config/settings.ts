/** The settings of the environment: this machine and its secrets. Their schemas, defaults, and descriptions for the docs. */
import {z} from 'zod';
import {
  adminUrl,
  areRanges,
  isRedisUrl,
  list,
  numberWithin,
  postgresUrl,
  wholeNumber,
} from './setting-values.ts';
import {clearWord} from './data-keys.ts';
import {httpUrl, nonEmpty} from './values.ts';

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
    CONFIG: z
      .string()
      .optional()
      .describe(
        'The text of `lead-prequal.json`, or `CONFIG_FILE`, where it is. Default: in this folder ([more](#the-file)).',
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
      .pipe(
        nonEmpty(
          z.string().min(32, 'must have at least 32 characters each'),
          'must hold a key: the word clear is none since 2.0',
        ),
      )
      .optional()
      .describe(
        'Encrypts personal data. Default: the secret in `lead-prequal.key` ([more](privacy.md#encryption)).',
      ),
  },
  'Shared limits, and mail': {
    REDIS_URL: z
      .string()
      .refine(isRedisUrl, {
        error:
          'must be an address such as redis://:password@host:6379, with signs such as @ or % of a password encoded',
      })
      .optional()
      .describe('`redis://…`, where processes share their limits ([more](operations.md#two-servers)).'),
    SMTP_URL: z
      .string()
      .optional()
      .describe(
        'The mail server: `smtp://user:password@host:587`, or `smtps://…:465` ([more](email.md#setting-it-up)).',
      ),
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
  ...settingGroups['Storing leads'],
  ...settingGroups['Shared limits, and mail'],
  ...settingGroups.Metrics,
  ...settingGroups.Log,
});

export type Settings = z.output<typeof settings>;
