/**
 * Reads the configuration: of this machine from the environment, of the business from one file. Only this folder reads the
 * environment. Everything is checked before the server starts, and all mistakes are reported at once.
 */
import {createHmac, randomBytes} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {z} from 'zod';
import type {Caller} from './callers.ts';
import {confirmationsOf} from './confirmations.ts';
import {mayMakeKey, whyNoKey} from './data-key-file.ts';
import {clearWord, derived} from './data-keys.ts';
import type {DestinationSettings} from './destinations.ts';
import {environmentHere, secretNames} from './environment-file.ts';
import {
  createSettingsReader,
  isUsualFile,
  readSettings,
  usualFile,
  type Environment,
  type SettingsReader,
} from './environment.ts';
import {readBusinessFile, type BusinessFile} from './file.ts';
import {FileError, readableByAll} from './files.ts';
import {formerIn, isPartnersFile, takenOver} from './former-settings.ts';
import {textWarnings} from './partners.ts';
import {readAlerts, readDestinations, wrongNames} from './read-destinations.ts';
import {forEver} from './retention.ts';
import {list} from './setting-values.ts';
import type {Settings} from './settings.ts';
import {settingsWithoutEffect} from './settings-without-effect.ts';

/** What the settings and the file say by themselves is described there. The rest follows from both. */
export type Config = ReturnType<typeof fromSettings> &
  ReturnType<typeof fromFile> & {
    /** Where the business is described: the path of the file, or the name of the setting. */
    configFile: string;
    /** Made from the data keys. The first key signs. What was signed with any of the keys is valid. */
    tokenKeys: readonly [string, ...string[]];
    /** Words of versions 1.7 and 1.8. The store takes over the keys that they make of them (leads/evidence.ts). */
    formerEvidenceWords: readonly string[];
    /** With which personal data is encrypted: the first word encrypts, all decrypt. */
    dataKeys: readonly [string, ...string[]];
    /** The file from which they were read. Undefined if the environment itself has them. */
    dataKeyFile: string | undefined;
    /** By name. */
    destinations: ReadonlyMap<string, DestinationSettings>;
    /** Whom e-mails tell that a destination needs an operator. */
    alerts: ReturnType<typeof readAlerts>;
    /** The folder into which `npm run build` writes the form, with one folder for each version. */
    embedFolder: string;
    /** The folder of the released versions of the form, with one folder for each version. */
    releasesFolder: string;
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

/** The folder into which `npm run build` writes the form. */
export const embedFolder = join(import.meta.dirname, '../../dist/embed');

/**
 * @param given instead of the environment of this process and of `lead-prequal.env`
 * @param isBeforeStart true if a start would come first, which may make the data key
 * @throws ConfigError that names every missing and every wrong setting
 */
export function readConfig(given?: Environment, isBeforeStart = false): Config {
  const faults: string[] = [];
  const warnings: string[] = [];
  const {environment, places} = given
    ? {environment: given, places: new Map<string, string>()}
    : environmentHere(faults, warnings);
  const reader = createSettingsReader(environment, faults);
  const ofEnvironment = [...faults];
  const text = reader.text('CONFIG');
  const former = formerIn(environment);
  if (former.length > 0 && (!text || isPartnersFile(environment, text.path)))
    throw new ConfigError([mustUpgrade(former)], []);
  if (!text && faults.length === ofEnvironment.length)
    throw new ConfigError(
      [
        ...ofEnvironment,
        `There is no ${resolve(usualFile)}: "lead-prequal init" writes it, or CONFIG_FILE names another file`,
      ],
      warnings,
    );
  const settings = readSettings(reader, faults);
  const file = text && orFaults(() => readBusinessFile(text), faults);
  // While another setting is wrong, the text says at least whether there are pages.
  const adminUrl = settings ? settings.ADMIN_URL : reader.value('ADMIN_URL');
  const sources = file && {reader, adminUrl, file, faults};
  const destinations = sources && readDestinations(sources);
  const alerts = sources && readAlerts(sources);
  if (file && destinations) faults.push(...wrongNames(file, destinations));
  const isStandIn =
    isBeforeStart && settings?.DATA_KEY === undefined && orFaults(() => mayMakeKey(reader), faults);
  const dataKeys = isStandIn ? ([randomBytes(32).toString('hex')] as const) : settings?.DATA_KEY;
  // What is wrong with a file that is there, has been said.
  if (settings && !dataKeys && !existsSync(reader.fileOf('DATA_KEY') ?? ''))
    orFaults(() => faults.push(whyNoKey(reader)), faults);
  const keyFile = reader.text('DATA_KEY')?.path ?? '';
  const [formerTokenKeys, formerEvidenceWords] = takenOver.map((name) => formerWords(name, reader, faults));
  warnings.push(
    // Those of lead-prequal.env are faults.
    ...formerIn(given ?? process.env).map(
      (name) => `${name} is no setting since 2.0, and has no effect: remove it`,
    ),
    ...(isUsualFile(keyFile) ? readableByAll(keyFile) : []),
    // What a file needs that could not be read, nobody knows.
    ...(file ? unusedSecrets(environment, reader, places) : []),
    ...settingsWithoutEffect(environment, reader),
    ...doubtfulTexts(file),
  );
  if (faults.length > 0 || !text || !settings || !file || !destinations || !dataKeys)
    throw new ConfigError([...new Set(faults)], warnings);
  const ofBoth = {...fromSettings(settings), ...fromFile(file, settings)};
  const {partners, policy, confirmations: isOn} = ofBoth;
  const rounding = policy.display_rounding_increment;
  const tokenKeys = tokenKeysOf(dataKeys, formerTokenKeys);
  return {
    ...ofBoth,
    configFile: text.path,
    alerts,
    destinations: new Map([
      ...destinations,
      ...confirmationsOf(partners, destinations, {isOn, tokenKeys, rounding}),
    ]),
    dataKeys,
    dataKeyFile: environment['DATA_KEY']?.trim() ? undefined : reader.fileOf('DATA_KEY'),
    tokenKeys,
    formerEvidenceWords: formerEvidenceWords ?? [],
    embedFolder,
    releasesFolder,
    environment: environmentDigests(reader, given ?? process.env, tokenKeys[0]),
    warnings,
    notes: [
      ...(isStandIn ? [whyNoKey(reader)] : []),
      ...graceNotes(ofBoth),
      ...[...destinations].flatMap(roomNotes),
      ...clearNotes(reader.value('DATA_KEY')),
    ],
  };
}

const longWords = list.pipe(z.array(z.string().min(32)));
/** The words of a setting of 1.8, which were as long. */
function formerWords(name: string, reader: SettingsReader, faults: string[]): string[] {
  const {data, error} = longWords.safeParse(reader.value(name) ?? '');
  if (error) faults.push(`${name} must have at least 32 characters each`);
  return data ?? [];
}

/** The file itself is not printed, because the log of a start is read by many. */
const mustUpgrade = (former: readonly string[]): string =>
  `Since 2.0, one file holds what these settings of 1.8 say: ${former.join(', ')}. "lead-prequal config upgrade" shows it and what else to do, and with --write it writes it. If there was no 1.8 here, "lead-prequal init" writes a new one.`;

/** The result of `work`. What is wrong with a file becomes faults. */
export function orFaults<Result>(work: () => Result, faults: string[]): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

/**
 * Whoever knows one of them does not know a data key.
 * @param former words of `TOKEN_KEY`, which signed until 1.8
 */
function tokenKeysOf(
  [first, ...others]: Config['dataKeys'],
  former: readonly string[] = [],
): Config['tokenKeys'] {
  const keyFrom = (word: string) => derived(word, 'token key', 32).toString('base64url');
  return [keyFrom(first), ...others.map(keyFrom), ...former];
}

function unusedSecrets(
  environment: Environment,
  reader: SettingsReader,
  places: ReadonlyMap<string, string>,
): string[] {
  return Object.keys(environment)
    .filter((name) => environment[name]?.trim())
    .filter((name) => {
      const setting = name.replace(/_FILE$/, '');
      return secretNames.test(setting) && !reader.names().includes(setting);
    })
    .map(
      (name) =>
        `${[places.get(name) ?? [], name].flat().join(': ')} is not used by any destination: remove it`,
    );
}

/** What each setting says by itself (settings.ts). */
const fromSettings = (settings: Settings) => ({
  host: settings.HOST,
  port: settings.PORT,
  publicUrl: settings.PUBLIC_URL,
  admin: settings.ADMIN_URL === undefined ? undefined : {url: settings.ADMIN_URL, port: settings.ADMIN_PORT},
  databasePath: settings.DATABASE_PATH,
  databaseUrl: settings.DATABASE_URL,
  redisUrl: settings.REDIS_URL,
  trustProxy: settings.TRUST_PROXY,
  drainSeconds: settings.DRAIN_SECONDS,
  metrics:
    settings.METRICS_PORT === undefined
      ? undefined
      : {host: settings.METRICS_HOST, port: settings.METRICS_PORT},
  logLevel: settings.LOG_LEVEL,
});

/** What each key of the file says by itself (file.ts). */
const fromFile = ({content: file}: BusinessFile, {DATABASE_URL, DATABASE_PATH}: Settings) => ({
  partners: file.partners,
  callers: file.callers as readonly Caller[],
  policy: file.policy,
  confirmations: file.confirmations,
  retention: {
    retainDays: file.retain_days,
    keepConsentYears: file.keep_consent_years,
    graceDays: file.retain_grace_days,
  },
  erasuresFile: file.erasures_file ?? (DATABASE_URL === undefined ? `${DATABASE_PATH}.erasures` : undefined),
  proofOfWork: file.proof_of_work,
  rateLimit: file.rate_limit,
  signInExempt: file.sign_in_exempt,
  snippetsPage: file.snippets_page,
  withdrawnVersions: file.withdrawn_versions,
});

const doubtfulTexts = (file: BusinessFile | undefined): string[] =>
  (file?.content.partners ?? []).flatMap((partner, index) =>
    textWarnings(partner).map(({path, warning}) => {
      const field = ['partners', index, ...path];
      return `${file?.at(field)}: ${field.join('.')} ${warning}`;
    }),
  );

/** For a log: no more than five. */
export const namesOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');

/** Whose leads are never erased, which should be so only if somebody has decided it. */
export function privacyWarnings({retention, partners, callers}: Config): string[] {
  const {retainDays: byDefault = forEver} = retention;
  const kept = partners.filter(({retainDays = byDefault}) => retainDays === forEver).map(({key}) => key);
  const who = [...(byDefault === forEver && callers.length > 0 ? ['callers'] : []), ...kept];
  return who.length > 0
    ? [
        `Leads of ${namesOf(who)} are kept for ever: retain_days, of the file or of a partner, says for how long (docs/privacy.md#retention)`,
      ]
    : [];
}

const clearNotes = (words = '') =>
  words.split(/[\s,]+/).includes(clearWord)
    ? [`The word "${clearWord}" of DATA_KEY has no effect any more: personal data is always encrypted`]
    : [];

function graceNotes({retention: {retainDays, graceDays}, partners}: Pick<Config, 'retention' | 'partners'>) {
  const limits = [retainDays, ...partners.map((partner) => partner.retainDays)];
  return limits.every((days) => days === undefined || days === forEver)
    ? []
    : [
        `A lead whose deliveries have not ended stays ${graceDays} days longer (retain_grace_days): then they are dropped, and the lead is erased (docs/privacy.md#retention)`,
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
