/**
 * What a reload changes, and what needs a restart. A configuration in force is one value that never changes: a reload
 * replaces the whole value at once.
 */
import {hash} from 'node:crypto';
import {isDeepStrictEqual} from 'node:util';
import type {Config} from './config.ts';
import {addressOf} from './destinations.ts';
import type {Partner} from './partners.ts';
import {forEver, type RetentionDefaults} from './retention.ts';

/** The parts of which a reload names each thing that has changed. */
const named: readonly (keyof Config)[] = ['partners', 'destinations', 'callers'];
/** The parts that a reload replaces, in the words of the log. */
const replaced = {
  partners: 'the partners',
  destinations: 'the destinations',
  callers: 'the callers',
  policy: 'the policy',
  tokenKeys: 'the keys that sign tokens',
  alerts: 'whom alerts go to, and how',
  confirmations: 'whether visitors get confirmations',
  retention: 'how long leads and consents are kept',
  erasuresFile: 'where erasures are written down',
  proofOfWork: 'how much work a browser does for a lead',
  rateLimit: 'how many requests an address may send',
  signInExempt: 'which addresses are never locked out',
  snippetsPage: 'whether there is the page of snippets',
  withdrawnVersions: 'which versions are withdrawn',
} as const satisfies Partial<Record<keyof Config, string>>;

/** The parts of `Config` that no setting holds, or that say only where one was read. */
const noSettings: readonly (keyof Config)[] = [
  'embedFolder',
  'releasesFolder',
  'configFile',
  'dataKeyFile',
  'formerEvidenceWords',
  'environment',
  'warnings',
  'notes',
];

/** The settings that have another name in `Config` than in the environment. */
const otherNames: Partial<Record<keyof Config, string>> = {
  admin: 'ADMIN_URL or ADMIN_PORT',
  dataKeys: 'DATA_KEY',
  metrics: 'METRICS_PORT or METRICS_HOST',
};

/** The name of a setting in the environment: `DATABASE_URL` for `databaseUrl`. */
const settingOf = (key: keyof Config) => otherNames[key] ?? key.replace(/[A-Z]/g, '_$&').toUpperCase();

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];

/** The configuration that a reload puts in force. */
export const reloadedConfig = (before: Config, read: Config): Config => ({
  ...before,
  ...Object.fromEntries(keysOf(replaced).map((key) => [key, read[key]])),
  configFile: read.configFile,
  warnings: read.warnings,
  notes: read.notes,
});

/** The names of the settings that have changed and need a restart: all that a reload does not replace. */
export const needRestart = (before: Config, read: Config): string[] =>
  keysOf(before)
    .filter((key) => !Object.hasOwn(replaced, key) && !noSettings.includes(key))
    .filter((key) => !isDeepStrictEqual(before[key], read[key]))
    .map(settingOf);

type PartnersTerm = Exclude<keyof RetentionDefaults, 'graceDays'>;
/**
 * The keys of the file that say how long something is kept. A partner has fields of the same names, which count instead.
 */
const terms: Readonly<Record<PartnersTerm, string>> = {
  retainDays: 'retain_days',
  keepConsentYears: 'keep_consent_years',
};

/** How long a configuration keeps leads and consents. Each process reports it. */
export type Kept = Pick<Config, 'retention'> & {
  partners: readonly Pick<Partner, 'key' | PartnersTerm>[];
};

export const keptUnder = ({retention, partners}: Config): Kept => ({
  retention,
  partners: partners.map(({key, retainDays, keepConsentYears}) => ({key, retainDays, keepConsentYears})),
});

/**
 * What would be erased earlier: a sentence for each number that falls. What is erased cannot be brought back, so only an
 * explicit request may do that. A partner that is new is not compared, because it has no leads.
 */
export function shortened(before: Kept, after: Kept): string[] {
  const later = new Map(after.partners.map((partner) => [partner.key, partner]));
  const lineIfShorter = (what: string, from: Length, to: Length) =>
    lengthOf(to) < lengthOf(from) ? [`${what} would fall from ${from ?? forEver} to ${to}`] : [];
  return [
    ...keysOf(terms).flatMap((term) => {
      const field = terms[term];
      const [usual, usualThen] = [before.retention[term], after.retention[term]];
      return [
        ...lineIfShorter(field, usual, usualThen),
        ...before.partners.flatMap(({key, [term]: own}) => {
          const then = later.get(key)?.[term];
          // Otherwise the partner goes by the default before and after, which the line above is about.
          return own === undefined && then === undefined
            ? []
            : lineIfShorter(`${field} of the partner ${key}`, own ?? usual, then ?? usualThen);
        }),
      ];
    }),
    ...lineIfShorter('retain_grace_days', before.retention.graceDays, after.retention.graceDays),
  ];
}

type Length = number | typeof forEver | undefined;
const lengthOf = (length: Length) => (typeof length === 'number' ? length : Infinity);

/** The names of what differs, as phrases such as `partner acme added`. Values are left out, because they may be secret. */
export function changesBetween(before: Config, after: Config): string[] {
  const byKey = ({partners}: Config) => new Map(partners.map((partner) => [partner.key, partner]));
  const byUser = ({callers}: Config) => new Map(callers.map((caller) => [caller.user, caller]));
  // A partner whose name is new is named already, and has changed no destination that writes it.
  const ownSettings = ({destinations}: Config) =>
    new Map([...destinations].map(([name, settings]) => [name, {...settings, partnerNames: undefined}]));
  const others = keysOf(replaced).filter(
    (key) => !named.includes(key) && !isDeepStrictEqual(before[key], after[key]),
  );
  return [
    ...namedChanges('partner', byKey(before), byKey(after)),
    ...namedChanges('destination', ownSettings(before), ownSettings(after)),
    ...addressChanges(before, after),
    ...namedChanges('caller', byUser(before), byUser(after)),
    ...others.map((key) => `${replaced[key]} changed`),
  ];
}

const addressChanges = (before: Config, after: Config): string[] =>
  [...after.destinations].flatMap(([name, settings]) => {
    const earlier = before.destinations.get(name);
    return earlier && addressOf(earlier) !== addressOf(settings)
      ? [
          `destination ${name} has another address or type: "lead-prequal destinations accept ${name}" sends it what waits`,
        ]
      : [];
  });

function namedChanges(
  what: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): string[] {
  const changes: string[] = [];
  for (const [name, value] of after)
    if (!before.has(name)) changes.push(`${what} ${name} added`);
    else if (!isDeepStrictEqual(before.get(name), value)) changes.push(`${what} ${name} changed`);
  for (const name of before.keys()) if (!after.has(name)) changes.push(`${what} ${name} removed`);
  return changes;
}

/**
 * Processes with the same configuration in force have the same digest. The token keys are a part of it, so nobody can try
 * out which passwords lead to this digest.
 */
export function digestOf(config: Config): string {
  const parts = keysOf(replaced).map((key) => config[key]);
  const text = JSON.stringify(parts, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
  return hash('sha256', text).slice(0, 12);
}
