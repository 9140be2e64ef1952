/** What the files of a history's processes may say: destinations, routes, data keys, timings. */
import {defaultPolicy} from '../../calculator/policy.ts';
import type {Config} from '../../server/config/config.ts';
import type {DestinationSettings} from '../../server/config/destinations.ts';
import type {Rule} from '../../server/config/routes.ts';
import {usualTimings, type Timings} from '../../server/config/timings.ts';
import type {NewLead as ToDesk} from '../../server/leads/new-lead.ts';
import {createEncryptor, type Encryptor} from '../../server/store/encryption.ts';
import {emailSettings} from '../support/email-settings.ts';
import {erasuresFile} from './data-folder.ts';
import type {Addresses, Agreed} from './history.ts';
import type {ConfigurationName, DestinationName, KeysName, Plan, Sender} from './plan.ts';

/** Shorter than those of a real server, so that a history has room for several attempts. */
export const timings: Timings = {
  ...usualTimings,
  delivery: 10_000,
  settling: 2_000,
  lease: 16_000,
  longestRetry: 20_000,
  longestBreak: 5_000,
  refusedRetry: 10_000,
  leadsPerSecond: 5,
  idlePoll: 2_000,
  busyPoll: 200,
};

const noPartners = [] as unknown as Config['partners'];
/** What every configuration says. Operations sweep (commands.ts), and not the processes. */
export const settings = {
  policy: defaultPolicy,
  publicUrl: 'https://leads.example.com',
  formerEvidenceWords: ['an evidence key of at least 32 characters'],
  partners: noPartners,
  erasuresFile,
  retention: {retainDays: undefined, keepConsentYears: 5, graceDays: 30},
};

const access = {user: 'user', password: 'password', cid: '1'};
const destinations = {
  lender: {
    type: 'lead-api',
    url: 'http://lender.test',
    ...access,
    attributionInNotes: true,
    onLostReply: 'send',
    perSecond: undefined,
    parallel: 4,
  },
  other: {
    type: 'lead-api',
    url: 'http://other.test',
    ...access,
    attributionInNotes: false,
    onLostReply: 'send',
    perSecond: 2,
    parallel: 2,
  },
  crm: {
    type: 'webhook',
    url: 'http://crm.test',
    secrets: [Buffer.from('secret')],
    isInternal: true,
    perSecond: 5,
    parallel: 3,
  },
  inbox: emailSettings('smtp://inbox.test'),
} satisfies Record<DestinationName, DestinationSettings>;
/**
 * The destinations of a configuration.
 * @param isChoosy whether the webhook gets answers alone, and what no webhook may leave out
 */
export function destinationsUnder(
  name: ConfigurationName,
  {isChoosy = false, onLostReply = 'send'}: Partial<Pick<Plan, 'isChoosy' | 'onLostReply'>> = {},
): Map<string, DestinationSettings> {
  const lender = {...destinations.lender, onLostReply};
  const other = {...destinations.other, onLostReply};
  const crm = {...destinations.crm, ...(isChoosy && {events: ['lead.answered' as const]})};
  const all = new Map<string, DestinationSettings>(Object.entries({...destinations, lender, other, crm}));
  if (name === 'without crm') all.delete('crm');
  if (name === 'crm elsewhere') all.set('crm', {...crm, url: 'http://crm.elsewhere.test'});
  if (name === 'other elsewhere') all.set('other', {...other, url: 'http://other.elsewhere.test'});
  if (name === 'slower crm') all.set('crm', {...crm, perSecond: 2});
  return all;
}

/** As facts have them. */
export const addressesUnder = (name: ConfigurationName): Addresses =>
  Object.fromEntries(
    [...destinationsUnder(name)].map(([destination, settings]) => [
      destination,
      new URL('url' in settings ? settings.url : settings.smtpUrl).hostname,
    ]),
  );

export const agreed = (maxSends: number): Record<DestinationName, Agreed> => ({
  lender: {gets: 'leads', parallel: 4, maxSends},
  other: {gets: 'leads', parallel: 2, maxSends},
  crm: {gets: 'events', parallel: 3, perSecond: 5, maxSends: Infinity},
  inbox: {gets: 'events', parallel: 2, perSecond: 10, maxSends: Infinity},
});

type Route = Pick<ToDesk, 'partner' | 'answerFrom' | 'rules'> & {cid: string; sendTo: DestinationName[]};
const cid = '1001';
export const routes: Record<Sender, Route> = {
  'a caller': {partner: null, cid, answerFrom: 'lender', sendTo: ['inbox']},
  'another caller': {partner: null, cid: '1002', answerFrom: 'lender', sendTo: ['inbox']},
  acme: {partner: 'acme', cid, answerFrom: 'lender', sendTo: ['crm', 'inbox']},
  globex: {partner: 'globex', cid, answerFrom: undefined, sendTo: ['crm', 'other']},
  initech: {partner: 'initech', cid, answerFrom: 'lender', sendTo: []},
};
/** The lender gives the first lead the least total, and each one more. */
const large = (to: DestinationName, leads: number): Rule => ({
  to,
  when: {total_at_least: 10_000 + 4 * leads, lead_type: ['prequalification']},
});
/** Those of `initech`. Each configuration sends other leads elsewhere. */
export const rulesUnder = (name: ConfigurationName): Rule[] =>
  name === 'slower crm' || name === 'other elsewhere'
    ? [large('inbox', 2), large('other', 5), {to: 'crm', otherwise: true}]
    : [large('crm', 3), {to: 'other', when: {lead_type: ['standard']}}, {to: 'inbox', otherwise: true}];
/** For whose client a partner sends. */
export const clientOf = (partner: string | null | undefined) =>
  Object.values(routes).find((one) => one.partner !== null && one.partner === partner)?.cid;

/**
 * What the data keys of a process are, one after another, as the guide of operators says. Nothing may skip one of them:
 * each process reads what the others write. From the last but one on, `rotate` encrypts everything with the new key, and
 * only then comes the last one.
 */
const keyPhases: Record<KeysName, readonly (readonly [string, ...string[]])[]> = {
  one: [['key-1']],
  changed: [['key-1'], ['key-1', 'key-2'], ['key-2', 'key-1'], ['key-2']],
};
const encryptors = new Map<string, Encryptor>();

export function keysOf(name: KeysName) {
  const phases = keyPhases[name];
  const last = phases.length - 1;
  return {
    last,
    /** With this phase, everything can be encrypted with the last key. */
    rotating: Math.max(0, last - 1),
    encryptorAt(phase: number): Encryptor {
      const words = phases[phase] ?? phases[0]!;
      const known = encryptors.get(words.join(' ')) ?? createEncryptor(words);
      encryptors.set(words.join(' '), known);
      return known;
    },
  };
}
