/** The one place that reads the environment. Everything is checked before anything starts. */
import {readFileSync} from 'node:fs';
import type {z} from 'zod';
import type {Ranges} from './addresses.ts';
import {defaultPolicy, readPolicy, type Policy} from './answers/policy.ts';
import type {UpstreamSettings} from './answers/upstream.ts';
import type {OnAmbiguous} from './delivery/courier.ts';
import type {Caller} from './callers.ts';
import {releasesFolder} from './http/embed-versions.ts';
import {misspeltSettings} from './misspelt-settings.ts';
import {onePartner, readPartners, type Partner} from './partners.ts';
import {settings} from './settings.ts';

export type Config = {
  host: string;
  port: number;
  /** Where browsers reach this server, without a slash at the end. */
  publicUrl: string;
  callers: readonly Caller[];
  partners: readonly [Partner, ...Partner[]];
  tokenKeys: readonly [string, ...string[]];
  /** SQLite, unless there is a URL of a PostgreSQL. */
  databasePath: string;
  databaseUrl: string | undefined;
  /** `unnamed` where a pooler before PostgreSQL cannot keep prepared statements. */
  databaseStatements: 'named' | 'unnamed';
  policy: Policy;
  /** By name; the one of the settings is called `default`, and takes the leads of `/json/leads`. */
  upstreams: ReadonlyMap<string, UpstreamSettings>;
  onAmbiguous: OnAmbiguous;
  outboxPerSecond: number;
  /** Key derivations; 0 turns the proof of work off. */
  proofOfWork: number;
  /** Requests an address and minute. */
  rateLimit: number;
  redisUrl: string | undefined;
  trustProxy: number | string;
  /** Addresses that are never refused for failed sign-ins. */
  signInExempt: Ranges;
  /** The folder of the built form: one folder a version. */
  embedFolder: string;
  /** The released versions of the form, likewise. None when absent. */
  releasesFolder?: string;
  /** Files of a version never change. False while developing. */
  immutableFiles: boolean;
  logLevel: string;
};

/** Lists all that is wrong, a setting a line. */
export class ConfigError extends Error {
  constructor(wrong: readonly string[]) {
    super(`The configuration is incomplete or wrong:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** @throws ConfigError that names every missing and every wrong setting */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const wrong: string[] = [];
  const attempt = <Value>(name: string, work: () => Value): Value | undefined => {
    try {
      return work();
    } catch (error) {
      wrong.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };

  const readText = (name: string, file: string): string | undefined => {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      wrong.push(`${name} names a file that cannot be read: ${file} (${code})`);
      return undefined;
    }
  };
  const valueOf = (name: string): string | undefined => {
    const file = environment[`${name}_FILE`];
    const fromFile = () => (file ? readText(`${name}_FILE`, file) : undefined);
    return environment[name]?.trim() || fromFile() || undefined;
  };
  const given: Record<string, string> = {};
  for (const name of Object.keys(settings.shape)) {
    const value = valueOf(name);
    if (value) given[name] = value;
  }

  const result = settings.safeParse(given);
  for (const {path, message} of result.error?.issues ?? []) {
    const [name, ...rest] = path.map(String);
    const missing = name !== undefined && given[name] === undefined;
    wrong.push([name, ...rest].join('.') + (missing ? ' is missing' : ` ${message}`));
  }
  const fileOf = <Value>(name: string, read: (file: string) => Value) => {
    const file = given[name];
    return file ? attempt(name, () => read(file)) : undefined;
  };
  const policy = fileOf('POLICY_FILE', readPolicy) ?? defaultPolicy;
  const partnersFile = fileOf('PARTNERS_FILE', readPartners);
  if (!given['PARTNERS_FILE'] && !given['EMBED_ORIGINS']) wrong.push('EMBED_ORIGINS is missing');
  const upstreamNames = ['UPSTREAM_URL', 'UPSTREAM_USER', 'UPSTREAM_PASSWORD', 'UPSTREAM_CID'];
  if (upstreamNames.some((name) => given[name])) {
    wrong.push(...upstreamNames.filter((name) => !given[name]).map((name) => `${name} is missing`));
  }
  const upstreams = new Map<string, UpstreamSettings>();
  const credentialNames: string[] = [];
  for (const [name, {url, cid, credentials}] of Object.entries(partnersFile?.upstreams ?? {})) {
    const [user, password] = ['USER', 'PASSWORD'].map((part) => {
      const setting = `CREDENTIALS_${credentials}_${part}`;
      credentialNames.push(setting);
      const value = valueOf(setting);
      if (!value) wrong.push(`${setting} is missing, which the upstream ${name} of PARTNERS_FILE needs`);
      return value ?? '';
    });
    upstreams.set(name, {baseUrl: url, cid, user: user!, password: password!});
  }
  // Which credentials belong to a file that cannot be read is unknown.
  if (given['PARTNERS_FILE'] && !partnersFile) {
    credentialNames.push(...Object.keys(environment).filter((name) => name.startsWith('CREDENTIALS_')));
  }
  wrong.push(...misspeltSettings(environment, [...Object.keys(settings.shape), ...credentialNames]));
  const read = result.data;
  let partners = partnersFile?.partners;
  if (read && !partners && read.EMBED_ORIGINS) {
    const hasUpstream = read.UPSTREAM_URL !== undefined;
    partners = attemptPartner(wrong, {
      key: read.EMBED_PARTNER,
      origins: read.EMBED_ORIGINS,
      lead_types: read.EMBED_LEAD_TYPES,
      cid: read.EMBED_CID ?? read.CALLERS[0]!.cids[0]!,
      ...(hasUpstream && {upstream: 'default'}),
    });
  }
  if (wrong.length > 0 || !read || !partners) throw new ConfigError(wrong);

  if (read.UPSTREAM_URL) {
    upstreams.set('default', {
      baseUrl: read.UPSTREAM_URL,
      user: read.UPSTREAM_USER!,
      password: read.UPSTREAM_PASSWORD!,
      cid: read.UPSTREAM_CID!,
    });
  }
  return {
    host: read.HOST,
    port: read.PORT,
    publicUrl: read.PUBLIC_URL,
    callers: read.CALLERS,
    partners: partners as [Partner, ...Partner[]],
    tokenKeys: read.TOKEN_KEY as [string, ...string[]],
    databasePath: read.DATABASE_PATH,
    databaseUrl: read.DATABASE_URL,
    databaseStatements: read.DATABASE_STATEMENTS,
    policy,
    upstreams,
    onAmbiguous: read.ON_AMBIGUOUS,
    outboxPerSecond: read.OUTBOX_PER_SECOND,
    proofOfWork: read.PROOF_OF_WORK,
    rateLimit: read.RATE_LIMIT,
    redisUrl: read.REDIS_URL,
    trustProxy: read.TRUST_PROXY,
    signInExempt: read.SIGN_IN_EXEMPT,
    embedFolder: read.EMBED_FOLDER,
    releasesFolder,
    immutableFiles: true,
    logLevel: read.LOG_LEVEL,
  };
}

/** The settings' own names for what is wrong with the one partner they describe. */
function attemptPartner(wrong: string[], partner: Parameters<typeof onePartner>[0]): Partner[] | undefined {
  const settingOf: Record<string, string> = {
    key: 'EMBED_PARTNER',
    origins: 'EMBED_ORIGINS',
    cid: 'EMBED_CID',
  };
  try {
    return [onePartner(partner)];
  } catch (error) {
    for (const {path, message} of (error as z.ZodError).issues) {
      const [field, ...rest] = path.map(String);
      wrong.push(`${[settingOf[field!] ?? field, ...rest].join('.')} ${message}`);
    }
    return undefined;
  }
}
