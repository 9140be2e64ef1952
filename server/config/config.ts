/**
 * Reads the configuration from the environment and from the files that it names. Only this folder reads the
 * environment. Everything is checked before the server starts, and all mistakes are reported at once.
 */
import {createHmac} from 'node:crypto';
import {join} from 'node:path';
import {defaultPolicy, type Policy} from '../../calculator/policy.ts';
import type {Ranges} from './addresses.ts';
import type {Caller} from './callers.ts';
import {confirmationsOf} from './confirmations.ts';
import {defaultDestination, type DestinationSettings, type OnAmbiguous} from './destinations.ts';
import {environmentHere} from './environment-file.ts';
import {createSettingsReader, readSettings, type Environment, type SettingsReader} from './environment.ts';
import {misspeltSettings} from './misspelt-settings.ts';
import {onePartner, readPartners, textWarnings, type Partner, type PartnersFile} from './partners.ts';
import {readPolicy} from './policy.ts';
import {inPartnersFile, readAlerts, readDestinations, wrongNames} from './read-destinations.ts';
import {forEver, type RetentionDefaults} from './retention.ts';
import type {Settings} from './settings.ts';
import {gone, settingsWithoutEffect} from './settings-without-effect.ts';
import {clearWord} from './data-keys.ts';

export type Config = {
  host: string;
  port: number;
  /** The URL under which browsers reach this server, without a slash at its end. */
  publicUrl: string;
  /** Where operators reach their pages: an origin, and the port on which its process listens. Undefined if there are none. */
  admin: {url: string; port: number} | undefined;
  callers: readonly Caller[];
  partners: readonly [Partner, ...Partner[]];
  /** The file that lists the partners. Without one, the EMBED_… settings describe the only partner. */
  partnersFile: string | undefined;
  /** The first key signs. What was signed with any of the keys is valid. During a rotation there are two keys. */
  tokenKeys: readonly [string, ...string[]];
  /** The first word makes the key that signs statements of consents; none are signed without one. */
  evidenceKeys: readonly string[];
  /** The file of the SQLite database. Not used when there is a `databaseUrl`. */
  databasePath: string;
  /** The URL of a PostgreSQL database. */
  databaseUrl: string | undefined;
  /** With which personal data is sealed: the first one seals, all open. */
  dataKeys: readonly [string, ...string[]];
  /** The file from which the data key was read that the server made itself. Undefined if DATA_KEY is set. */
  dataKeyFile: string | undefined;
  /** Where erasures are written down, for restores. Undefined if they are not: only with a `databaseUrl`. */
  erasuresFile: string | undefined;
  /** How long leads and consents are kept. A partner may say something else. */
  retention: RetentionDefaults;
  policy: Policy;
  /** By name. Leads of `/json/leads` go to the destination with the name `defaultDestination`, if it exists. */
  destinations: ReadonlyMap<string, DestinationSettings>;
  /** Whom e-mails tell that a destination needs an operator. */
  alerts: ReturnType<typeof readAlerts>;
  /** Whether visitors may get confirmations. */
  confirmations: boolean;
  onAmbiguous: OnAmbiguous;
  /** How many waiting deliveries are started for each destination in a second, at most. */
  outboxPerSecond: number;
  /** The number of key derivations that a browser does before it sends a lead. 0 means no proof of work. */
  proofOfWork: number;
  /** Requests of each kind that one address may send within a minute. */
  rateLimit: number;
  /** The Redis server in which processes share their limits. Without one, each process counts in its own memory. */
  redisUrl: string | undefined;
  /** How many reverse proxies are before the server, or a list of their addresses. */
  trustProxy: number | string;
  /** Addresses that are never refused because of failed sign-ins. */
  signInExempt: Ranges;
  /** The folder into which `npm run build` writes the form, with one folder for each version. */
  embedFolder: string;
  /** The folder of the released versions of the form, with one folder for each version. */
  releasesFolder: string;
  /** The versions of the form that the operator has withdrawn. */
  withdrawnVersions: readonly string[];
  /** Whether there is the page on which partners copy the snippet for their site. */
  snippetsPage: boolean;
  /** How long the server goes on after the signal to stop. */
  drainSeconds: number;
  /** Where the metrics can be read. Undefined if there are none. */
  metrics: {host: string; port: number} | undefined;
  logLevel: string;
  /**
   * A digest of each setting whose value is in the environment of the process itself, which no process can read again. A
   * command compares its own with those of the server.
   */
  environment: Readonly<Record<string, string>>;
  /** What is probably a mistake, although the server can start with it. Each is a sentence without secrets. */
  warnings: readonly string[];
  /** What an operator should know about the configuration, although it may be as it should. Sentences without secrets. */
  notes: readonly string[];
};

/** Found relative to this file and not to the working folder, because releases are a part of the repository. */
export const releasesFolder = join(import.meta.dirname, '../../releases');

/** An error whose message has a line for each setting that is missing or wrong. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  /** Probable mistakes with which the server could start, as in `Config`. */
  readonly warnings: readonly string[];

  constructor(faults: readonly string[], warnings: readonly string[]) {
    super(`The configuration is incomplete or wrong:\n${faults.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
    this.warnings = warnings;
  }
}

/**
 * @param given instead of the environment of this process and of `lead-prequal.env`
 * @throws ConfigError that names every missing and every wrong setting
 */
export function readConfig(given?: Environment): Config {
  const faults: string[] = [];
  const warnings: string[] = [];
  const {environment, places} = given
    ? {environment: given, places: new Map<string, string>()}
    : environmentHere(faults, warnings);
  const reader = createSettingsReader(environment, faults);
  const settings = readSettings(reader, faults);
  const policy = reader.file('POLICY_FILE', readPolicy) ?? defaultPolicy;
  const partnersFile = reader.file('PARTNERS_FILE', readPartners);
  const isUnread = reader.value('PARTNERS_FILE') !== undefined && !partnersFile;
  const rounding = policy.display_rounding_increment;
  const sources = {reader, settings, partnersFile, isUnread, rounding, faults, warnings};
  const destinations = readDestinations(sources);
  const alerts = readAlerts(sources);
  const partners = partnersFile?.content.partners ?? (settings && onlyPartnerOf(settings));
  // An unread file may need any CREDENTIALS_… setting, so none of them is reported.
  const credentials = Object.keys(environment).filter((name) => name.startsWith('CREDENTIALS_'));
  const known = [...reader.names(), ...Object.keys(gone), ...(isUnread ? credentials : [])];
  const misspelt = misspeltSettings(environment, known, places);
  faults.push(...wrongNames(sources, destinations), ...misspelt.faults);
  warnings.push(
    ...misspelt.warnings,
    ...settingsWithoutEffect(environment, reader),
    ...doubtfulTexts(partnersFile),
  );
  if (faults.length > 0 || !settings || !partners) throw new ConfigError([...new Set(faults)], warnings);
  const ofSettings = fromSettings(settings);
  const {confirmations: isOn, tokenKeys} = ofSettings;
  return {
    ...ofSettings,
    partners,
    policy,
    alerts,
    destinations: new Map([
      ...destinations,
      ...confirmationsOf(partners, destinations, {isOn, tokenKeys, rounding}),
    ]),
    releasesFolder,
    environment: environmentDigests(reader, given ?? process.env, settings.TOKEN_KEY[0]),
    warnings,
    notes: [
      ...graceNotes({...ofSettings, partners}),
      ...[...destinations].flatMap(roomNotes),
      ...clearNotes(reader.value('DATA_KEY')),
    ],
  };
}

/** What each setting says by itself. */
const fromSettings = (settings: Settings) => ({
  host: settings.HOST,
  port: settings.PORT,
  publicUrl: settings.PUBLIC_URL,
  admin: settings.ADMIN_URL === undefined ? undefined : {url: settings.ADMIN_URL, port: settings.ADMIN_PORT},
  callers: settings.CALLERS,
  partnersFile: settings.PARTNERS_FILE,
  tokenKeys: settings.TOKEN_KEY,
  evidenceKeys: settings.EVIDENCE_KEY ?? [],
  databasePath: settings.DATABASE_PATH,
  databaseUrl: settings.DATABASE_URL,
  dataKeys: settings.DATA_KEY,
  dataKeyFile: undefined,
  erasuresFile:
    settings.ERASURES_FILE ?? (settings.DATABASE_URL ? undefined : `${settings.DATABASE_PATH}.erasures`),
  retention: {
    retainDays: settings.RETAIN_DAYS,
    keepConsentYears: settings.KEEP_CONSENT_YEARS,
    graceDays: settings.RETAIN_GRACE_DAYS,
  },
  confirmations: settings.CONFIRMATIONS === 'on',
  onAmbiguous: settings.ON_AMBIGUOUS,
  outboxPerSecond: settings.OUTBOX_PER_SECOND,
  proofOfWork: settings.PROOF_OF_WORK,
  rateLimit: settings.RATE_LIMIT,
  redisUrl: settings.REDIS_URL,
  trustProxy: settings.TRUST_PROXY,
  signInExempt: settings.SIGN_IN_EXEMPT,
  embedFolder: settings.EMBED_FOLDER,
  withdrawnVersions: settings.WITHDRAWN_VERSIONS,
  snippetsPage: settings.SNIPPETS_PAGE === 'on',
  drainSeconds: settings.DRAIN_SECONDS,
  metrics:
    settings.METRICS_PORT === undefined
      ? undefined
      : {host: settings.METRICS_HOST, port: settings.METRICS_PORT},
  logLevel: settings.LOG_LEVEL,
});

const doubtfulTexts = (file: PartnersFile | undefined): string[] =>
  (file?.content.partners ?? []).flatMap((partner, index) =>
    textWarnings(partner).map(({path, warning}) => {
      const field = ['partners', index, ...path];
      return `${inPartnersFile(file, field)}: ${field.join('.')} ${warning}`;
    }),
  );

/** For a log: no more than five. */
export const namesOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');

/** What becomes of personal data that should not, unless somebody has decided so. */
export function privacyWarnings({retention, partners}: Config): string[] {
  const {retainDays: byDefault = forEver} = retention;
  const kept = partners.filter(({retainDays = byDefault}) => retainDays === forEver).map(({key}) => key);
  const who = [...(byDefault === forEver ? ['callers'] : []), ...kept];
  return who.length > 0
    ? [
        `Leads of ${namesOf(who)} are kept for ever: RETAIN_DAYS, or retain_days of a partner, says for how long (docs/privacy.md#retention)`,
      ]
    : [];
}

const clearNotes = (words = '') =>
  words.split(/[\s,]+/).includes(clearWord)
    ? [`The word "${clearWord}" of DATA_KEY has no effect any more: personal data is always sealed`]
    : [];

function graceNotes({retention: {retainDays, graceDays}, partners}: Pick<Config, 'retention' | 'partners'>) {
  const limits = [retainDays, ...partners.map((partner) => partner.retainDays)];
  return limits.every((days) => days === undefined || days === forEver)
    ? []
    : [
        `A lead whose deliveries have not ended stays ${graceDays} days longer (RETAIN_GRACE_DAYS): then they are dropped, and the lead is erased (docs/privacy.md#retention)`,
      ];
}

const roomNotes = ([name, settings]: [string, DestinationSettings]): string[] => {
  const text = `The chat room ${name} cannot be made to forget: with "details": "contact", names, numbers, answers and notes stay there when a lead is erased (docs/privacy.md#erasing)`;
  return settings.type === 'chat' && settings.details === 'contact' ? [text] : [];
};

/** With a key, so that nobody can try out which secret leads to a digest. Without what `lead-prequal.env` added. */
const environmentDigests = (reader: SettingsReader, own: Environment, key: string) =>
  Object.fromEntries(
    reader
      .fromEnvironment()
      .filter(([name]) => own[name]?.trim())
      .map(([name, text]) => [name, createHmac('sha256', key).update(text).digest('hex').slice(0, 12)]),
  );

/** The partner that the EMBED_… settings describe, where there is no partners file. */
function onlyPartnerOf(settings: Settings): [Partner] | undefined {
  const {EMBED_ORIGINS: origins, EMBED_CID: cid, CALLERS: callers, UPSTREAM_URL: upstream} = settings;
  if (!origins) return undefined;
  const {EMBED_CONTACT_PHONE: phone, EMBED_CONTACT_EMAIL: email} = settings;
  return [
    onePartner({
      key: settings.EMBED_PARTNER,
      name: settings.EMBED_NAME,
      ...((phone ?? email) && {contact: {phone, email}}),
      origins,
      lead_types: settings.EMBED_LEAD_TYPES,
      cid: cid ?? callers[0].cids[0],
      upstream: upstream && defaultDestination,
    }),
  ];
}
