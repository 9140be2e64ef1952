/** What an entry of the audit says, as a sentence for people: who did what, and with which leads. */
import {lookUp} from '../../form/words/look-up.ts';
import type {AuditEntry} from '../leads/audit.ts';
import {everybody} from '../leads/revocation.ts';
import {plannedOnly, type Change} from './changes.ts';
import {counted} from './words.ts';

/** By the words of the command, or of what did it. `{it}` are the leads, and other names are those of the filter. */
const actions: Readonly<Record<string, string>> = {
  'leads list': 'saw {it} in a list',
  'leads show': 'opened {it}',
  'leads change': 'changed {it}',
  'leads export': 'exported {it}',
  'leads erase': 'asked what erasing {it} would do',
  'leads requests': 'ended the request to erase {it}',
  'consent list': 'saw {it} in a list of consents',
  'consent show': 'read what was agreed for {it}',
  'consent allow': 'let {it} go although the number said stop',
  'consent revoke': 'stopped calls about {it}',
  'keys forget': 'erased {it}, whose key was lost',
  'keys saved': 'said that the data key {key} is copied to a safe place',
  'store repair': 'erased or stopped {it} again after a restore',
  repair: 'erased or stopped {it} again after a restore',
  'deliveries show': 'looked at the deliveries of {it}',
  'deliveries retry': 'sent {it} again',
  'deliveries drop': 'dropped {it}',
  'deliveries settle': 'said that the upstream has {it}',
  'destinations list': 'looked at the destinations',
  'destinations accept': 'let deliveries go to the new address of {destination}',
  destinations: 'changed {destination}',
  status: 'saw {it} on the overview',
  'audit list': 'looked at this list',
  'operators list': 'looked at the operators',
  'operators invite': 'invited {operator} as {role}',
  'operators revoke': 'took back the access of {operator}',
  'operators passkey': 'changed the passkeys of {operator}',
  'operators copy': 'was refused with a passkey that may be a copy',
  'operators sign-in': 'signed in',
  'operators sign-out': 'signed out, or ended a session',
  'link: stop': 'said stop by the link of {it}',
  'link: unsubscribe': 'said stop for {it} in the e-mail program',
  'link: erase': 'asked by the link to erase {it}',
  'GET /json/leads/:id': 'read {it} by the API',
};

/** What was made on a page, or was only looked at. */
const changed: Readonly<Record<Change, readonly [made: string, planned: string]>> = {
  send: ['sent {it} again', 'asked what sending {it} again would do'],
  release: ['released {it}', 'asked what releasing {it} would do'],
  allow: ['let {it} go although the number said stop', 'asked what letting {it} go would do'],
  drop: ['dropped {it}', 'asked what dropping {it} would do'],
  revoke: ['stopped calls about {it}', 'asked what stopping calls about {it} would do'],
  erase: ['erased {it}', 'asked what erasing {it} would do'],
};
/** What was done with a destination on its page. */
const destinationWords: Readonly<Record<string, string>> = {
  pause: 'paused {destination}',
  resume: 'resumed {destination}',
  break: 'had {destination} tried again',
  test: 'sent a test to {destination}',
};

function templateOf({action, filter: {change, erasure}}: AuditEntry): string {
  const [name, planned] = typeof change === 'string' ? change.split(/(?=, )/) : [];
  const words = lookUp(changed, name);
  if (words) return words[planned === plannedOnly ? 1 : 0];
  if (erasure === 'confirmed') return 'erased {it}';
  return lookUp(destinationWords, name) ?? lookUp(actions, action) ?? action;
}

/** Such as `opened it`. @param leads how the sentence calls them */
export const didOf = (entry: AuditEntry, leads = 'it'): string =>
  templateOf(entry).replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'it' ? leads : `${entry.filter[name] as string}`,
  );

/** Such as `Maria Lopez`, `The visitor`, or `root, by a command,`. */
export function actorIn({actor}: Pick<AuditEntry, 'actor'>): string {
  const [, kind, name = ''] = /^(operator|caller) (.*)$/s.exec(actor) ?? [];
  if (kind !== undefined) return kind === 'operator' ? name : `The caller ${name}`;
  const others: Record<string, string> = {visitor: 'The visitor', start: 'The server, when it started,'};
  return lookUp(others, actor) ?? `${actor}, by a command,`;
}

/** The whole sentence, such as `Maria Lopez saw 12 leads in a list`. */
export const auditSentence = (entry: AuditEntry): string =>
  `${actorIn(entry)} ${didOf(entry, entry.leads === 1 ? 'a lead' : entry.leads === 0 ? 'no lead' : counted(entry.leads, 'lead'))}`;

const filterWords: Readonly<Record<string, (value: string) => string>> = {
  partner: (key) => `of ${key === '-' ? 'API callers' : key}`,
  destination: (name) => `for ${name}`,
  scope: (of) => `for ${of === everybody ? 'everybody' : of.startsWith('-') ? 'API callers' : of}`,
  status: (words) => `with the answer ${words}`,
  state: (words) => `whose deliveries are ${words}`,
  open: (words) => (words === 'held' ? 'that are held' : 'that are not delivered'),
  deliveries: (many) => `${many} deliveries`,
  since: (time) => `since ${time.slice(0, 10)}`,
  until: (time) => `before ${time.slice(0, 10)}`,
  reason: (words) => `because: ${words}`,
  phone: () => 'by a telephone number',
  email: () => 'by an e-mail address',
  campaign: () => 'of a campaign',
  context: () => 'by a hidden field',
  text: () => 'who agreed to a text',
  all: () => 'with the consents that are kept',
  stops: () => 'the news of stops',
  again: () => 'once more',
  from: (site) => `by a link of ${site}`,
};
/** Those that the sentence has, or that say nothing to people. */
const inSentence = ['change', 'erasure', 'operator', 'role', 'key'];

/** What the filter adds to the sentence, such as `of acme, by a telephone number`. The values of what is personal are not stored. */
export const auditDetails = (entry: AuditEntry): string =>
  Object.entries(entry.filter)
    .filter(([name]) => !inSentence.includes(name) && !templateOf(entry).includes(`{${name}}`))
    .map(([name, value]) => lookUp(filterWords, name)?.(String(value)) ?? `${name} ${String(value)}`)
    .join(', ');
