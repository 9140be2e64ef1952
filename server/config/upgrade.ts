/** From the settings of 1.8 to the file of 2.0. This goes with 2.1, and `former-settings.ts` with it. */
import {isIPv6} from 'node:net';
import {resolve} from 'node:path';
import {z} from 'zod';
import {paths} from '../../contract/api.ts';
import {sha256} from './callers.ts';
import {ConfigError, orFaults} from './config.ts';
import {environmentHere} from './environment-file.ts';
import {createSettingsReader, usualFile, type Environment, type SettingsReader} from './environment.ts';
import {readBusinessFile} from './file.ts';
import {readJson, type TextFile} from './files.ts';
import {list} from './setting-values.ts';
import {stepsAfter} from './upgrade-steps.ts';

/** Most fields of a partner and of a destination are those of 2.0. They are checked as a part of the new file. */
const destination = z.looseObject({
  type: z.string().optional(),
  url: z.string().optional(),
  credentials: z.string().optional(),
  per_second: z.unknown().optional(),
  every_minutes: z.unknown().optional(),
});
const partnersFile = z.object({
  partners: z.array(z.looseObject({answer_from: z.string().optional(), upstream: z.string().optional()})),
  destinations: z.record(z.string(), destination).default({}),
  /** Destinations of kind `lead-api`, as 1.0 listed them. */
  upstreams: z.record(z.string(), destination).default({}),
});

const oneOrTwo = z
  .union([z.string().transform((one) => [one]), z.array(z.string())], 'must be a text, or a list of two')
  .default([]);
/** The callers, with the digest of each password in its place. */
const callersSetting = z.array(
  z
    .looseObject({
      user: z.string(),
      cids: z.array(z.string()).min(1),
      answer_from: z.string().optional(),
      send_to: z.array(z.string()).optional(),
      password: oneOrTwo,
      password_sha256: oneOrTwo,
    })
    .transform(({password, password_sha256: hashes, ...caller}) => {
      const all = [...password.map((word) => sha256(word).toString('hex')), ...hashes];
      return {...caller, password_sha256: all.length === 1 ? all[0] : all};
    }),
);

/** The name of the destination that the `UPSTREAM_…` settings describe. Deliveries that wait for it have this name. */
const upstreamName = 'default';

export type Upgrade = {
  /** Where the server reads the file. */
  path: string;
  /** What the file says. It holds no secret: of passwords it has the digests. */
  file: object;
  /** What else is to do, in this order. Settings are named, and their values are never in it. */
  steps: string[];
};

/**
 * @param given instead of the environment of this process and of `lead-prequal.env`
 * @throws ConfigError that names all that is missing, cannot be read, or is wrong
 */
export function upgrade(given?: Environment): Upgrade {
  const faults: string[] = [];
  const {environment, places} = given
    ? {environment: given, places: new Map<string, string>()}
    : environmentHere(faults, [], true);
  const reader = createSettingsReader(environment, faults);
  const former = formerValues(reader);
  const json = <Schema extends z.ZodType>(found: TextFile | undefined, schema: Schema) =>
    orFaults(() => found && readJson(found, schema).content, faults);
  /** The file that the setting `<NAME>_FILE` names. */
  const named = (name: string) =>
    createSettingsReader({[`${name}_FILE`]: former.text(`${name}_FILE`)}, faults).text(name);

  const callers = json(reader.text('CALLERS'), callersSetting) ?? [];
  const listed = json(named('PARTNERS'), partnersFile);
  const policy = json(named('POLICY'), z.unknown());
  const needed = ['PUBLIC_URL', 'CALLERS', former.text('PARTNERS_FILE') ? 'PARTNERS_FILE' : 'EMBED_ORIGINS'];
  for (const name of needed.filter((each) => former.text(each) === undefined))
    faults.push(`${name} is missing, which 1.8 needed: run this with its settings, and in its folder`);
  refuse(faults);

  const others = {
    ...listed?.destinations,
    ...mapped(listed?.upstreams ?? {}, (fields) => ({...fields, type: 'lead-api'})),
  };
  const upstream = upstreamOf(former, Object.values(others));
  const file = {
    $schema: `${former.text('PUBLIC_URL')?.replace(/\/+$/, '')}${paths.businessFileSchema}`,
    partners: listed?.partners.map(({upstream: answers, ...partner}) => ({
      ...partner,
      answer_from: partner.answer_from ?? answers,
    })) ?? [onlyPartner(former, callers[0]?.cids[0], upstream && upstreamName)],
    destinations: destinationsOf(former, {...others, ...(upstream && {[upstreamName]: upstream})}),
    // 1.8 took the one that answers for no other one.
    callers: callers.map((caller) => {
      const answer_from = caller.answer_from ?? (upstream && upstreamName);
      return {...caller, answer_from, send_to: caller.send_to?.filter((name) => name !== answer_from)};
    }),
    ...settingsOf(former),
    policy,
  };
  // What is refused here, 1.8 refused, too: these are not the settings with which it ran.
  orFaults(() => readBusinessFile({path: 'the new file', text: JSON.stringify(file, undefined, 2)}), faults);
  const collected = Object.entries(others)
    .filter(([, {every_minutes}]) => every_minutes !== undefined)
    .map(([name]) => name);
  const steps = stepsAfter({environment, reader, places, credentials: upstream?.credentials, collected});
  refuse(faults);
  return {path: resolve(reader.fileOf('CONFIG') ?? usualFile), file, steps};
}

function refuse(faults: readonly string[]) {
  if (faults.length > 0) throw new ConfigError([...new Set(faults)], []);
}

const mapped = <Value, Result>(record: Record<string, Value>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

type Former = ReturnType<typeof formerValues>;

/** Values of settings. Each is undefined if the setting has none. */
function formerValues({value}: Pick<SettingsReader, 'value'>) {
  const as =
    <Value>(read: (text: string) => Value) =>
    (name: string): Value | undefined => {
      const text = value(name);
      return text === undefined ? undefined : read(text);
    };
  return {
    text: value,
    list: as((text) => list.parse(text)),
    number: as(Number),
    isOn: as((text) => text === 'on'),
  };
}

/** The destination that the `UPSTREAM_…` settings describe. */
function upstreamOf(former: Former, others: readonly {credentials?: string | undefined}[]) {
  const url = former.text('UPSTREAM_URL');
  const isTaken = others.some(({credentials}) => credentials === 'UPSTREAM');
  const credentials = isTaken ? 'UPSTREAM_OF_1_8' : 'UPSTREAM';
  return url === undefined
    ? undefined
    : {type: 'lead-api', url, cid: former.text('UPSTREAM_CID'), credentials};
}

/** With what was said of all destinations in each of them. Undefined if there are none. */
function destinationsOf(former: Former, destinations: Record<string, z.output<typeof destination>>) {
  const internalHosts = former
    .list('WEBHOOK_INTERNAL_HOSTS')
    ?.map((host) => URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`)?.hostname);
  const upgraded = mapped(destinations, (each) => {
    const {type, url, credentials, per_second = former.number('OUTBOX_PER_SECOND')} = each;
    const fields = {...each, every_minutes: undefined};
    const on_lost_reply = former.text('ON_AMBIGUOUS');
    if (type === 'lead-api') return {...fields, on_lost_reply, per_second};
    const address = URL.parse(url ?? former.text(`CREDENTIALS_${credentials}_URL`) ?? '');
    return internalHosts?.includes(address?.hostname) && address ? {...fields, internal: true} : fields;
  });
  return Object.keys(upgraded).length > 0 ? upgraded : undefined;
}

/** The partner that the `EMBED_…` settings describe. @param usualCid the first `cid` of the first caller */
function onlyPartner(former: Former, usualCid?: string, answer_from?: string) {
  const [phone, email] = [former.text('EMBED_CONTACT_PHONE'), former.text('EMBED_CONTACT_EMAIL')];
  return {
    key: former.text('EMBED_PARTNER') ?? 'default',
    name: former.text('EMBED_NAME'),
    contact: (phone ?? email) === undefined ? undefined : {phone, email},
    origins: former.list('EMBED_ORIGINS'),
    lead_types: former.list('EMBED_LEAD_TYPES'),
    cid: former.text('EMBED_CID') ?? usualCid,
    answer_from,
  };
}

/** What was a setting, and is the same as a key of the file. */
const settingsOf = (former: Former) => ({
  mail_from: former.text('SMTP_FROM'),
  alerts_to: former.list('ALERTS_TO'),
  confirmations: former.isOn('CONFIRMATIONS'),
  retain_days: former.number('RETAIN_DAYS'),
  retain_grace_days: former.number('RETAIN_GRACE_DAYS'),
  keep_consent_years: former.number('KEEP_CONSENT_YEARS'),
  erasures_file: former.text('ERASURES_FILE'),
  proof_of_work: former.number('PROOF_OF_WORK'),
  rate_limit: former.number('RATE_LIMIT'),
  sign_in_exempt: former.text('SIGN_IN_EXEMPT')?.split(/\s*,\s*/),
  snippets_page: former.isOn('SNIPPETS_PAGE'),
  withdrawn_versions: former.list('WITHDRAWN_VERSIONS'),
});
