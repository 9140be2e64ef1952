/** What a new installation needs: checks each answer of its owner, tries the mail server, and writes the files. */
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

/** The answer to a question that may stay without one. */
export const none = 'none';
const orNone = (text: string) => (text.toLowerCase() === none ? undefined : text);

/** People write `www.example.com`. Only this machine has no TLS. */
const withScheme = (text: string): string =>
  /^[a-z]+:\/\//i.test(text) ? text : `${isLocal(text.replace(/[:/].*/, '')) ? 'http' : 'https'}://${text}`;
const hostOf = (url: string): string => new URL(url).hostname;
/** A name without a dot is more often a mistake than a host in a network of one's own. */
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

/** With and without `www.`, it is the same website. */
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

/** Whether the consent texts can hold the name, so that whoever reads them finds it there. */
function fitsConsent(business: string): boolean {
  const partner = partnerNamed(business, ['https://www.example.com']);
  if (!partnerFields.safeParse(partner).success) return false;
  const partners = [onePartner(partner)] as const;
  const doubts = leadDoubts({partners, callers: [], destinations: new Map(), alerts: undefined});
  return doubts.every(({kind}) => kind !== 'texts');
}

/** Where a mail server may listen, in the order in which it is tried. A near one often has no certificate. */
function mailAddresses(text: string): string[] {
  const url = /^smtps?:/.test(text) ? text : `smtp://${text.toLowerCase()}`;
  const {hostname = '', port, protocol} = URL.parse(url) ?? {};
  if (port || protocol === 'smtps:') return [port === '465' ? url.replace('smtp:', 'smtps:') : url];
  const ports = isPrivateHost(hostname) ? [25, 587, 465] : [465, 587, 25];
  return ports.map((each) => `${each === 465 ? 'smtps' : 'smtp'}://${hostname}:${each}`);
}

/** What belongs to this machine. */
const machineSettings = (url: string, pages: string | undefined) => ({
  PUBLIC_URL: url,
  ...(isLocal(hostOf(url)) ? {PORT: new URL(url).port} : {TRUST_PROXY: '1'}),
  ...(pages !== undefined && {ADMIN_URL: pages}),
  ...(pages !== undefined && isLocal(hostOf(pages)) && {ADMIN_PORT: new URL(pages).port || '80'}),
});

const contactSchema = partnerFields.shape.contact.unwrap();
type Contact = z.input<typeof contactSchema>;

/** What each answer becomes, and what is wrong with it. @param url the address of the server, for the pages beside it */
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
/** With the mail server as it was tried. */
export type Answers = Omit<Checked, 'mailServer' | 'mailUser'> & {mail: Mail};

/** Where operators have their pages, if nobody says something else. On this machine, one port further. */
export function usualPages(url: string): string {
  const {hostname, port} = new URL(url);
  return isLocal(hostname) ? `http://localhost:${Number(port) + 1}` : `https://admin.${hostname}`;
}

/** Milliseconds. */
const patience = 5_000;

/** Where the name of an address leads. Only a hint, because a proxy or router may stand before this machine. */
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

/** `from`: missing if mails are sent as the user. */
export type Mail = {url: string; from?: string | undefined};
export type MailAccess = Pick<Checked, 'mailbox' | 'mailServer' | 'mailUser'> & {password: string};
/** `wrong`: which answer the test has shown to be wrong, if any. `text`: why, without the password. */
export type MailTest = {mail: Mail; text: string; wrong?: 'mailbox' | 'mailServer' | 'password'};

/**
 * Sends a test mail to all mailboxes, by the first address of the mail server that answers.
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
  // A mail server may take the mail for some of the mailboxes.
  const isMailbox = said.startsWith(works ? 'The mail server refused' : mailCauses.noRecipient.message);
  if (works && !isMailbox) return {mail, text: `a test mail went to ${to.join(', ')}`, isAnswered: true};
  const isPassword = said.startsWith(mailCauses.wrongPassword.message);
  const wrong = isMailbox ? 'mailbox' : isPassword ? 'password' : 'mailServer';
  const why = isPassword ? 'refuses user or password' : `takes no mail: ${said}`;
  // Some servers repeat what they were sent.
  const words = password ? reply?.replaceAll(password, '…') : reply;
  const text = `${new URL(mail.url).host} ${why}${words ? `. It says: ${words}` : ''}`;
  return {mail, wrong, text, isAnswered: works || Boolean(reply)} as const;
}

type NewFile = {path: string; holds: string; text: string; mode: number};

/**
 * Where the files will be.
 * @param given instead of the environment of this process
 * @throws Refusal if there is one, or if they cannot be written
 */
export function placesFor(given: Environment = environmentHere([], []).environment) {
  const reader = createSettingsReader(given, []);
  const file = reader.text('CONFIG')?.path ?? reader.fileOf('CONFIG') ?? '';
  const there = [file, environmentFile].filter((path) => path === 'CONFIG' || existsSync(path));
  if (there.length > 0) throw new Refusal(`Already there: ${there.join(', ')}. It writes over nothing.`);
  try {
    for (const path of [file, environmentFile]) accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    refuseFor(error);
  }
  const keyFile = reader.value('DATA_KEY') === undefined ? reader.fileOf('DATA_KEY') : undefined;
  return {given, file, keyFile, postgres: reader.value('DATABASE_URL')};
}

/**
 * What will be written, and the configuration that the server will read. With PostgreSQL, no start makes a key.
 * @throws ConfigError
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
  // All of them are URLs and numbers, in which a quote may be encoded.
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
  // A stand-in, where the first start will make the key.
  const DATA_KEY = (key && key.DATA_KEY) || given['DATA_KEY'] || randomBytes(32).toString('hex');
  return {files, config: readConfig({...given, ...machine, CONFIG: text, DATA_KEY})};
}

/** Writes all of them or none. @throws Refusal */
export function writeAll(files: readonly NewFile[]): void {
  const written: string[] = [];
  for (const {path, mode, text} of files) {
    try {
      writeFileSync(path, text, {mode, flag: 'wx', flush: true});
      written.push(path);
    } catch (error) {
      // What was there before is not ours. What the disk had no room for is.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') written.push(path);
      for (const each of written) rmSync(each, {force: true});
      refuseFor(error, 'Nothing was written: ');
    }
  }
}
