/** Sets up a new installation: checks each answer of its owner, tries the mail server, and writes the files. */
import {randomBytes} from 'node:crypto';
import {lookup} from 'node:dns/promises';
import {accessSync, constants, existsSync, rmSync, writeFileSync} from 'node:fs';
import {networkInterfaces} from 'node:os';
import {dirname, resolve} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {getDomain} from 'tldts';
import {z} from 'zod';
import {paths} from '../../contract/api.ts';
import {normalized} from '../../contract/normalized.ts';
import {readConfig, type Config} from '../config/config.ts';
import {isPrivateHost, recipients, sender, smtpUrl, type EmailSettings} from '../config/destinations.ts';
import {environmentHere, fileName as environmentFile} from '../config/environment-file.ts';
import {createSettingsReader, readSettings, type Environment} from '../config/environment.ts';
import type {FileInput} from '../config/file.ts';
import {origin} from '../config/origins.ts';
import {onePartner, partnerFields} from '../config/partners.ts';
import {maxRetainDays} from '../config/retention.ts';
import {sampleConsent} from '../config/sample-consent.ts';
import {adminUrl, isLocal, list, wholeNumber} from '../config/setting-values.ts';
import {displayName} from '../config/values.ts';
import {leadDoubts} from '../leads/lead-doubts.ts';
import {mailCauses} from '../observe/causes.ts';
import {Refusal, refuseFor} from './admin.ts';
import {testDestination} from './destinations.ts';

/** What to type to leave an optional question unanswered. */
export const none = 'none';
const orNone = (text: string) => (text.toLowerCase() === none ? undefined : text);

/** Adds the scheme that people leave out. Only `localhost` is reached without TLS. */
const withScheme = (text: string): string =>
  /^[a-z]+:\/\//i.test(text) ? text : `${isLocal(text.replace(/[:/].*/, '')) ? 'http' : 'https'}://${text}`;
const hostOf = (url: string): string => new URL(url).hostname;
/** A host name without a dot is more often a mistake than a host in a private network. */
const hasHost = (url: string): boolean => hostOf(url).includes('.') || isLocal(hostOf(url));

const address = z
  .string()
  .transform(withScheme)
  .refine((url) => adminUrl.safeParse(url).success && hasHost(url), {
    error:
      'must be a name such as leads.example.com, with https:// and without a path; http:// is for localhost alone',
    abort: true,
  })
  .transform((url) => new URL(url).origin);

/** The origins of a website with and without `www.`, because both show the same pages. */
function withTwin(url: string): string[] {
  if (hostOf(url).startsWith('www.')) return [url, url.replace('//www.', '//')];
  return getDomain(url) === hostOf(url) ? [url, url.replace('//', '//www.')] : [url];
}

const websites = list
  .transform((texts) => texts.map((text) => URL.parse(withScheme(text))?.origin ?? ''))
  .refine((urls) => urls.length > 0 && urls.every((url) => URL.canParse(url) && hasHost(url)), {
    error: 'must be a website such as www.example.com, or several with commas',
    abort: true,
  })
  .transform((urls) => [...new Set(urls.flatMap(withTwin))])
  .pipe(z.array(origin));

const keyOf = (business: string): string =>
  normalized(business, 'NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '') || 'form';

function partnerNamed(business: string, origins: string[], contact?: Contact) {
  const {en, es} = sampleConsent(business);
  const texts = {en: {text: en, version: '1'}, es: {text: es, version: '1'}};
  return {key: keyOf(business), name: business, contact, origins, consent: {required: true, texts}};
}

/** Whether the consent texts can contain the name of the business unchanged. */
function fitsConsent(business: string): boolean {
  const partner = partnerNamed(business, ['https://www.example.com']);
  if (!partnerFields.safeParse(partner).success) return false;
  const partners = [onePartner(partner)] as const;
  const doubts = leadDoubts({partners, callers: [], destinations: new Map(), alerts: undefined});
  return doubts.every(({kind}) => kind !== 'texts');
}

/** URLs to try for a mail server, in this order. In a private network, port 25 is first: many servers there have no certificate. */
function mailAddresses(text: string): string[] {
  const url = /^smtps?:/.test(text) ? text : `smtp://${text.toLowerCase()}`;
  const {hostname = '', port, protocol} = URL.parse(url) ?? {};
  if (port || protocol === 'smtps:') return [port === '465' ? url.replace('smtp:', 'smtps:') : url];
  const ports = isPrivateHost(hostname) ? [25, 587, 465] : [465, 587, 25];
  return ports.map((each) => `${each === 465 ? 'smtps' : 'smtp'}://${hostname}:${each}`);
}

/** The settings that depend on this machine. */
const machineSettings = (url: string, pages: string | undefined) => ({
  PUBLIC_URL: url,
  ...(isLocal(hostOf(url)) ? {PORT: new URL(url).port} : {TRUST_PROXY: '1'}),
  ...(pages !== undefined && {ADMIN_URL: pages}),
  ...(pages !== undefined && isLocal(hostOf(pages)) && {ADMIN_PORT: new URL(pages).port || '80'}),
});

const contactSchema = partnerFields.shape.contact.unwrap();
type Contact = z.input<typeof contactSchema>;

/** The schemas that check and parse the answers. @param url the address of the server, which the operators' pages must fit */
export const answersBeside = (url = '') => ({
  url: address.transform((own) => (isLocal(hostOf(own)) && !new URL(own).port ? `${own}:8080` : own)),
  business: displayName.refine(fitsConsent, 'must be a name with letters, and without brackets'),
  website: websites,
  contact: z
    .string()
    .transform((text): Contact => (text.includes('@') ? {email: text} : {phone: text}))
    .pipe(contactSchema),
  mailbox: list.pipe(recipients.min(1, 'must be an e-mail address, or several with commas')),
  mailServer: z
    .string()
    .transform(mailAddresses)
    .refine((urls) => urls.every((each) => smtpUrl.safeParse(each).success && !each.includes('@')), {
      error: 'must be a host such as mail.example.com, or with a port: mail.example.com:587',
    }),
  mailUser: z.string().min(1).transform(orNone),
  days: wholeNumber(1, maxRetainDays),
  pages: z
    .string()
    .transform(orNone)
    .pipe(address.optional())
    .superRefine((pages, context) => {
      const faults: string[] = [];
      readSettings(createSettingsReader(machineSettings(url, pages), faults), faults);
      for (const message of faults) context.addIssue({code: 'custom', message});
    }),
});
type Checks = ReturnType<typeof answersBeside>;
export type Question = keyof Checks;
type Checked = {[Name in Question]: z.output<Checks[Name]>};
/** The checked answers, with the mail server in the form that worked. */
export type Answers = Omit<Checked, 'mailServer' | 'mailUser'> & {mail: Mail};

/** The default address of the operators' pages. On `localhost`, it has the next port. */
export function usualPages(url: string): string {
  const {hostname, port} = new URL(url);
  return isLocal(hostname) ? `http://localhost:${Number(port) + 1}` : `https://admin.${hostname}`;
}

/** How long to wait for the DNS, in milliseconds. */
const patience = 5_000;

/** Says where a host name resolves to. This is only a hint, because a proxy or router may be in front of this machine. */
export async function whereItLeads(url: string): Promise<string> {
  const found = await Promise.race([
    lookup(hostOf(url), {all: true}).catch(() => []),
    setTimeout(patience, [], {ref: false}),
  ]);
  const own = Object.values(networkInterfaces()).flatMap((each = []) => each.map((one) => one.address));
  if (found.some((each) => own.includes(each.address))) return 'the name leads to this machine';
  return found[0]
    ? `the name leads to ${found[0].address}: a proxy or router there must lead on to this machine`
    : 'the name leads nowhere yet: enter it in the DNS';
}

/** `from`: the sender. Missing if it is the user of the mail server. */
export type Mail = {url: string; from?: string | undefined};
export type MailAccess = Pick<Checked, 'mailbox' | 'mailServer' | 'mailUser'> & {password: string};
/** `wrong`: the answer that the test found to be wrong, if any. `text`: the reason, without the password. */
export type MailTest = {mail: Mail; text: string; wrong?: 'mailbox' | 'mailServer' | 'password'};

/**
 * Sends a test mail to all mailboxes, through the first address of the mail server that answers.
 * @param isSent false takes the first address without a test
 */
export async function tryMail(access: MailAccess, isSent: boolean): Promise<MailTest> {
  const {mailServer, mailUser, mailbox, password} = access;
  const from = sender.safeParse(mailUser).success ? undefined : mailbox[0];
  const encoded = [mailUser ?? '', password].map(encodeURIComponent).join(':');
  let silent: MailTest | undefined;
  for (const each of mailServer) {
    const mail = {url: mailUser === undefined ? each : each.replace('//', `//${encoded}@`), from};
    if (!isSent) return {mail, text: ''};
    const {isAnswered, ...test} = await testMail(mail, access);
    if (isAnswered) return test;
    silent ??= test;
  }
  return silent!;
}

async function testMail(mail: Mail, {mailbox: to, mailUser = '', password}: MailAccess) {
  const usual = {type: 'email', details: 'contact', replyTo: 'none', rounding: 1} as const;
  const settings: EmailSettings = {...usual, to, smtpUrl: mail.url, from: mail.from ?? mailUser};
  const {works, said, reply} = await testDestination({destinations: new Map([['mail', settings]])}, 'mail');
  // A mail server may accept the mail for only some of the mailboxes.
  const isMailbox = said.startsWith(works ? 'The mail server refused' : mailCauses.noRecipient.message);
  if (works && !isMailbox) return {mail, text: `a test mail went to ${to.join(', ')}`, isAnswered: true};
  const isPassword = said.startsWith(mailCauses.wrongPassword.message);
  const wrong = isMailbox ? 'mailbox' : isPassword ? 'password' : 'mailServer';
  const why = isPassword ? 'refuses user or password' : `takes no mail: ${said}`;
  // Some servers repeat the password in their reply.
  const words = password ? reply?.replaceAll(password, '…') : reply;
  const text = `${new URL(mail.url).host} ${why}${words ? `. It says: ${words}` : ''}`;
  return {mail, wrong, text, isAnswered: works || Boolean(reply)} as const;
}

type NewFile = {path: string; holds: string; text: string; mode: number};

/**
 * The paths of the files.
 * @param given replaces the environment of this process
 * @throws Refusal if one of the files exists already, or if they cannot be written
 */
export function placesFor(given: Environment = environmentHere([], []).environment) {
  const reader = createSettingsReader(given, []);
  const file = reader.text('CONFIG')?.path ?? reader.fileOf('CONFIG') ?? '';
  const there = [file, environmentFile].filter((path) => path === 'CONFIG' || existsSync(path));
  if (there.length > 0)
    throw new Refusal(
      `Already there: ${there.join(', ')}. It writes over nothing. Another partner is an entry of partners in the file: docs/partners.md#two-partners`,
    );
  try {
    for (const path of [file, environmentFile]) accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    refuseFor(error);
  }
  const keyFile = reader.value('DATA_KEY') === undefined ? reader.fileOf('DATA_KEY') : undefined;
  return {given, file, keyFile, postgres: reader.value('DATABASE_URL')};
}

/**
 * The files to write, and the configuration that they result in. On PostgreSQL they include a data key: no server makes one
 * there. @throws ConfigError
 */
export function draftFor(
  {url, business, website, contact, mailbox, mail, days, pages}: Answers,
  {given, file, keyFile, postgres}: ReturnType<typeof placesFor>,
): {files: NewFile[]; config: Config} {
  const partner = partnerNamed(business, website, contact);
  const content: FileInput = {
    $schema: `${url}${paths.businessFileSchema}`,
    partners: [{...partner, send_to: ['mail'], show_estimate: 'before-contact'}],
    destinations: {mail: {type: 'email', to: mailbox, details: 'contact'}},
    ...(mail.from !== undefined && {mail_from: mail.from}),
    alerts_to: mailbox,
    retain_days: days,
  };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const database = postgres !== undefined && {DATABASE_URL: postgres};
  const machine = {...machineSettings(url, pages), SMTP_URL: mail.url, ...database};
  // All values are URLs and numbers, in which a quote can be percent-encoded.
  const lines = Object.entries(machine).map(([name, value]) => `${name}='${value.replaceAll("'", '%27')}'\n`);
  const key = database && keyFile && {DATA_KEY: randomBytes(32).toString('hex')};
  const files = [
    {path: file, holds: 'the business, its page, its consent, its mailbox', text, mode: 0o640},
    {path: environmentFile, holds: 'addresses and the mail password', text: lines.join(''), mode: 0o600},
    ...(key
      ? [
          {
            path: keyFile,
            holds: 'the key that encrypts personal data',
            text: `${key.DATA_KEY}\n`,
            mode: 0o600,
          },
        ]
      : []),
  ];
  // A random placeholder where the server will make the real key at its first start.
  const DATA_KEY = (key && key.DATA_KEY) || given['DATA_KEY'] || randomBytes(32).toString('hex');
  return {files, config: readConfig({...given, ...machine, CONFIG: text, DATA_KEY})};
}

/** Writes all files or none. @throws Refusal if one of them cannot be written */
export function writeAll(files: readonly NewFile[]): void {
  const written: string[] = [];
  for (const {path, mode, text} of files) {
    try {
      writeFileSync(path, text, {mode, flag: 'wx', flush: true});
      written.push(path);
    } catch (error) {
      // A file that was there before (`EEXIST`) stays. One for which the disk had no room is removed, too.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') written.push(path);
      for (const each of written) rmSync(each, {force: true});
      refuseFor(error, 'Nothing was written: ');
    }
  }
}
