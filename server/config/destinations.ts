/** The kinds of destinations to which leads are sent, and the settings of each. */
import {hash} from 'node:crypto';
import {domainToASCII} from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import {z} from 'zod';
import {chosenEventTypes, type LeadEventType} from '../../contract/lead-events.ts';
import {isWithin, readAddress, readRanges} from './addresses.ts';
import {inCamelCase} from './camel-case.ts';
import type {ConfirmationsSettings} from './confirmations.ts';
import {cid, httpUrl} from './values.ts';

/** What the settings of a destination are completed with. The file holds no secrets, the environment does. */
export type Environs = {
  /** The value of a setting such as `CREDENTIALS_LENDER_USER`. If it is missing or wrong, the start fails. */
  read: <Value>(setting: string, schema: z.ZodType<Value>) => Value;
  /** The sender of e-mails. Undefined if the file says none. */
  mailFrom: string | undefined;
  /** People read amounts rounded down to a multiple of this, as in the form. */
  rounding: number;
  /** Where operators have their pages, if they have any. It may be wrong where another fault says so. */
  adminUrl: string | undefined;
  /** The names of the partners by their keys. */
  partnerNames: Readonly<Record<string, string>>;
  /** Makes the start fail. @param field of the destination, such as `url`, or the setting that stands for it */
  fault: (field: string, message: string) => void;
};

const credentialsName = z.string().regex(/^[A-Z0-9_]+$/, 'must be the name of credentials, in capitals');
const credential = z.string();

const upstreamFields = {
  url: httpUrl.describe('Where the upstream is, such as `https://api.lender.example/v1`.'),
  cid: cid.describe('The `cid` that the upstream gave you. Leads are sent with it, not with their own.'),
  credentials: credentialsName.describe(
    'The <name> of `CREDENTIALS_<name>_USER` and `CREDENTIALS_<name>_PASSWORD`, with which the server signs in there.',
  ),
};

const pace = {
  per_second: z
    .number()
    .positive('must be above 0')
    .max(10_000)
    .optional()
    .describe('How many deliveries are started in a second, at most.'),
  parallel: z.int().min(1).max(100).optional().describe('How many are in progress at once, at most.'),
};

/**
 * A secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. Node skips what is not base64, but receivers may
 * refuse it or read other bytes, so only the one right spelling is accepted.
 */
const webhookSecret = z.string().transform((text, context) => {
  const [, digits = ''] = /^whsec_(.+)$/.exec(text) ?? [];
  const key = Buffer.from(digits, 'base64');
  if (key.toString('base64') === digits && key.length >= 24 && key.length <= 64) return key;
  context.addIssue({code: 'custom', message: 'must be whsec_ and 24 to 64 bytes in base64'});
  return z.NEVER;
});
const webhookSecrets = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(webhookSecret).min(1, 'must hold a secret').max(2, 'must hold two secrets at most'));

const webhookUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
    error: 'must be a URL that starts with https://',
    abort: true,
  })
  .refine((text) => !URL.parse(text)?.username && !URL.parse(text)?.password, {
    error: 'must have no user name and no password',
  });

const events = <Type extends LeadEventType>(...types: readonly Type[]) =>
  z
    .array(z.enum(types))
    .min(1, 'must hold at least one type of event')
    .refine((given) => new Set(given).size === given.length, 'must not hold a type of event twice')
    .optional()
    .describe(
      `The events that it gets: ${chosenEventTypes.length < types.length ? 'all but `lead.outcome`' : 'all'} without it, \`lead.erased\` and \`consent.revoked\` in any case.`,
    );

const details = z
  .enum(['none', 'link', 'contact'])
  .default('none')
  .describe(
    'What a message says of a visitor. `contact`: name, phone, e-mail address, answers and notes. `none`: no personal data. `link`: as `none`, and it links the page of the lead, which only operators can read.',
  );

/** What messages say besides the lead. `leadPages`: where the page of a lead is, up to its id. */
function messageSettings(
  chosen: z.output<typeof details>,
  {adminUrl, rounding, partnerNames, fault}: Environs,
): {rounding: number; partnerNames?: Environs['partnerNames']; leadPages?: string} {
  if (chosen === 'link' && adminUrl === undefined)
    fault('details', 'link needs the setting ADMIN_URL, which is missing');
  const leadPages = adminUrl === undefined || chosen === 'none' ? undefined : `${adminUrl}/leads/`;
  return {rounding, partnerNames, ...(leadPages !== undefined && {leadPages})};
}

export const chatFormats = ['slack', 'teams', 'google-chat'] as const;

const internal = z
  .boolean()
  .default(false)
  .describe('Whether it is in your own network: then its address may be private, and plain http.');

/** Where a webhook or a chat room is, and whether it may be in the operator's network. */
function receiver(
  {read, fault}: Environs,
  {credentials, isInternal, inFile}: {credentials: string; isInternal: boolean; inFile?: string | undefined},
) {
  const setting = `CREDENTIALS_${credentials}_URL`;
  const url = inFile ?? read(setting, webhookUrl);
  const {protocol, hostname} = URL.parse(url ?? '') ?? {};
  if (protocol === 'http:' && !isInternal) {
    const field = inFile === undefined ? setting : 'url';
    fault(field, 'must start with https://, unless "internal": true says that it is in your network');
  }
  return {
    url,
    /** The host, for messages. Missing if the URL is a secret. */
    ...(inFile !== undefined && {namedHost: hostname}),
    isInternal,
  };
}

/** A path or parameters would have no effect. Who writes `?ignoreTLS=true`, or a `/` in the password, is told so. */
export const smtpUrl = z.string().refine((text) => {
  const {protocol = '', hostname = '', pathname} = URL.parse(text) ?? {};
  return /^smtps?:$/.test(protocol) && hostname && /^\/?$/.test(pathname ?? '') && !/[?#]/.test(text);
}, 'must be an address such as smtp://user:password@host:587, without path and parameters, and with signs such as / or # of a password encoded');

/** `leads@example.com` or `Leads <leads@example.com>`. */
export const sender = z.string().refine((text) => {
  const [first, ...others] = addressparser(text, {flatten: true});
  const [, local = '', domain = ''] = /^(.+)@(.+)$/.exec(first?.address ?? '') ?? [];
  const isAddress = z.email().safeParse(`${local}@${domainToASCII(domain)}`).success;
  return isAddress && others.length === 0 && !/\p{Cc}/u.test(text);
}, 'must be one e-mail address, such as Leads <leads@example.com>');

export const recipients = z
  .array(z.email('must be an e-mail address'))
  .min(1)
  .max(20)
  .refine((addresses) => new Set(addresses).size === addresses.length, 'must not hold an address twice');

/** `smtps://leads%40example.com:password@…` signs in as a mailbox. Undefined if the user name is none, or missing. */
function mailboxIn(url: string): string | undefined {
  try {
    const user = decodeURIComponent(URL.parse(url)?.username ?? '');
    return sender.safeParse(user).data;
  } catch {
    return undefined;
  }
}

/** By which mail server e-mails go, and who sends them. */
export function mailSettings({read, mailFrom, fault}: Environs) {
  const url = read('SMTP_URL', smtpUrl);
  const from = mailFrom ?? mailboxIn(url ?? '');
  if (url !== undefined && from === undefined)
    fault('mail_from', 'is missing, because the user in SMTP_URL is no mailbox: the sender of e-mails');
  // With a fault, the configuration is refused as a whole, so nothing uses the value.
  return {smtpUrl: url, from: from ?? ''};
}

/**
 * The schema of each kind of destination, as the file describes it. Its output is a function that returns the
 * settings of the destination, because a part of them comes from the environment.
 */
export const destinationKinds = {
  'lead-api': z
    .strictObject({
      type: z.literal('lead-api').describe('Gets the lead itself, by the same API, and may answer it.'),
      ...upstreamFields,
      attribution_in_notes: z
        .boolean()
        .default(false)
        .describe('Whether campaign, click ids and pages are added to the notes of a lead, as lines.'),
      on_lost_reply: z
        .enum(['send', 'hold'])
        .default('send')
        .describe(
          'Whether a lead whose reply was lost is sent again, or held for an operator ([more](destinations.md#a-lost-reply)).',
        ),
      ...pace,
    })
    .transform(({credentials, ...fields}) => ({read}: Environs) => ({
      ...inCamelCase(fields),
      user: read(`CREDENTIALS_${credentials}_USER`, credential),
      password: read(`CREDENTIALS_${credentials}_PASSWORD`, credential),
    })),

  webhook: z
    .strictObject({
      type: z.literal('webhook').describe('Gets signed events: a lead was stored, a lead was answered.'),
      url: webhookUrl
        .optional()
        .describe('Where it is. Without it, `CREDENTIALS_<name>_URL` says so, as some URLs are secrets.'),
      credentials: credentialsName.describe(
        'The <name> of `CREDENTIALS_<name>_SECRET`, with which events are signed.',
      ),
      internal,
      events: events(...chosenEventTypes, 'lead.outcome'),
      ...pace,
    })
    .transform(({credentials, internal: isInternal, ...fields}) => (environs: Environs) => ({
      ...inCamelCase(fields),
      ...receiver(environs, {credentials, isInternal, inFile: fields.url}),
      /** One or two keys. Each event is signed with all of them, so that a receiver can change to a new one. */
      secrets: environs.read(`CREDENTIALS_${credentials}_SECRET`, webhookSecrets),
    })),

  chat: z
    .strictObject({
      type: z.literal('chat').describe('Gets messages in a room of Slack, Microsoft Teams or Google Chat.'),
      format: z.enum(chatFormats).describe('Whose messages the room takes.'),
      credentials: credentialsName.describe(
        'The <name> of `CREDENTIALS_<name>_URL`, which is a secret, because anybody who knows it can write into the room.',
      ),
      internal,
      details,
      events: events(...chosenEventTypes),
      ...pace,
    })
    .transform(({credentials, internal: isInternal, ...fields}) => (environs: Environs) => ({
      ...inCamelCase(fields),
      ...receiver(environs, {credentials, isInternal}),
      ...messageSettings(fields.details, environs),
    })),

  email: z
    .strictObject({
      type: z.literal('email').describe('Gets an e-mail about each lead.'),
      to: recipients.describe('Who gets the e-mails.'),
      details,
      reply_to: z
        .enum(['visitor', 'none'])
        .default('visitor')
        .describe(
          'Whom an answer reaches: the visitor, if the message has the address, or nobody but the sender.',
        ),
    })
    .transform((fields) => (environs: Environs) => ({
      ...inCamelCase(fields),
      ...messageSettings(fields.details, environs),
      ...mailSettings(environs),
    })),
};

type Kinds = typeof destinationKinds;
type KindSchema = Kinds[keyof Kinds];

/** A destination as the file describes it. */
export const destinationSchema = z.discriminatedUnion(
  'type',
  // TypeScript does not know that `Object.values` returns at least one schema.
  Object.values(destinationKinds) as [KindSchema, ...KindSchema[]],
  {
    error: ({code}) =>
      code === 'invalid_union' ? `must be one of ${Object.keys(destinationKinds).join(', ')}` : undefined,
  },
);

/** The settings of one destination. `type` is its kind, a key of `destinationKinds`. */
export type DestinationSettings = ReturnType<z.output<KindSchema>> | ConfirmationsSettings;
/** The settings of a destination of kind `lead-api`: a lead service that has the same API as `/json/leads`. */
export type LeadApiSettings = Extract<DestinationSettings, {type: 'lead-api'}>;
/** The settings of a webhook: a URL that gets the events of each lead, signed as Standard Webhooks says. */
export type WebhookSettings = Extract<DestinationSettings, {type: 'webhook'}>;
/** The settings of a chat room that is told of leads. */
export type ChatSettings = Extract<DestinationSettings, {type: 'chat'}>;
/** The settings of e-mails that report leads. */
export type EmailSettings = Extract<DestinationSettings, {type: 'email'}>;

/** Confirmations go to the address of the visitor. */
function whereIs(settings: DestinationSettings): string {
  if (settings.type === 'confirmation') return '';
  return settings.type === 'email' ? settings.to.toSorted().join() : settings.url;
}
/**
 * Stands for the kind of a destination and for where it is, so that nothing goes to an address for which it was not meant.
 * A digest, because some addresses are secrets.
 */
export const addressOf = (settings: DestinationSettings): string =>
  hash('sha256', `${settings.type} ${whereIs(settings)}`).slice(0, 16);
/** For operators: the mailboxes, or the host, because the rest of a URL may be a secret. Empty for confirmations. */
export const placeOf = (settings: DestinationSettings): string =>
  URL.parse(whereIs(settings))?.host ?? whereIs(settings);

/** In `answer_from`, the calculator. No destination may have this name. */
export const calculatorName = 'calculator';

/** What happens to a lead whose reply was lost: it is sent again, or held until an operator decides. */
export type OnLostReply = LeadApiSettings['onLostReply'];

const privateRanges = readRanges('loopback,linklocal,uniquelocal');

/** Of host names, only `localhost` and names below it are private. Any other name may resolve to a public address. */
export function isPrivateHost(host: string): boolean {
  if (/^(.+\.)?localhost$/.test(host)) return true;
  return isWithin(readAddress(host) ?? '', privateRanges);
}

/** The destinations to which requests can be read on the network: by plain HTTP, at an address that is not private. */
export const unencrypted = (destinations: ReadonlyMap<string, DestinationSettings>): string[] =>
  [...destinations].flatMap(([name, settings]) => {
    if (settings.type !== 'lead-api') return [];
    const {protocol, hostname} = new URL(settings.url);
    return protocol === 'http:' && !isPrivateHost(hostname) ? [name] : [];
  });
