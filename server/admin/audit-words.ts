/** Writes an entry of the audit as a sentence for people: who did what, and with which leads. */
import {lookUp} from '../../form/words/look-up.ts';
import type {AuditEntry} from '../leads/audit.ts';
import {everybody} from '../leads/revocation.ts';
import {isChanging, verbOf} from './operations/operation.ts';
import {ofLead, ofLists, rowOf} from './operations/table.ts';
import {actorName, counted, isNamed} from './words.ts';

/** Actions that are not in the table of operations, or had another name before version 2.0. */
const others: Readonly<Record<string, string>> = {
  'leads show': 'opened {it}',
  'leads change': 'changed {it}',
  'leads count': 'counted {it}',
  'leads export': 'exported {it}',
  'leads requests': 'ended the request to erase {it}',
  'leads decline': 'ended the request to erase {it}',
  'store repair': 'erased or stopped {it} again after a restore',
  repair: 'erased or stopped {it} again after a restore',
  destinations: 'changed {destination}',
  status: 'saw {it} on the overview',
  'operators passkey': 'changed the passkeys of {operator}',
  'operators copy': 'was refused with a passkey that may be a copy',
  'operators sign-in': 'signed in',
  'operators sign-out': 'signed out, or ended a session',
  'link: stop': 'said stop by the link of {it}',
  'link: unsubscribe': 'said stop for {it} in the e-mail program',
  'link: erase': 'asked by the link to erase {it}',
  'GET /json/leads/:id': 'read {it} by the API',
};

/** The names that pages gave to changes before version 2.0, where these differ from the last word of the command. */
const formerly: Readonly<Record<string, string>> = {send: 'retry', break: 'resume'};

type Done = Pick<AuditEntry, 'action' | 'filter'>;

/** The name of the action, and whether it was only planned. Entries from before version 2.0 say this in other ways. */
function readEntry({action, filter: {plan, change, erasure}}: Done) {
  const [name = '', planned] = typeof change === 'string' ? change.split(', ') : [];
  const isPlanned = plan === 'shown' || planned !== undefined || erasure === 'planned';
  const verb = lookUp(formerly, name) ?? name;
  const changed = [...ofLead, ...ofLists].find((row) => verbOf(row) === verb);
  return {words: changed?.words ?? action, isPlanned};
}

/** The sentence of an action, with `{it}` for the leads and `{name}` for other noted values. An unknown action stands for itself. */
export function templateOf(entry: Done): string {
  const {words, isPlanned} = readEntry(entry);
  const row = rowOf(words);
  const planned = row && isChanging(row) && isPlanned ? row.planned : undefined;
  return planned ?? row?.past ?? lookUp(others, words) ?? words;
}

/** Such as `opened it`. @param leads the words for the leads in the sentence */
export const didOf = (entry: AuditEntry, leads = 'it'): string =>
  templateOf(entry).replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'it' ? leads : `${entry.filter[name] as string}`,
  );

/** As the subject of a sentence: what is added to a name after a comma, such as `by a command`, ends with another comma. */
export function actorIn({actor}: Pick<AuditEntry, 'actor'>): string {
  const name = actorName(actor);
  return isNamed(actor) || !name.includes(', ') ? name : `${name},`;
}

/** The whole sentence, such as `Maria Lopez saw 12 leads in a list`. */
export const auditSentence = (entry: AuditEntry): string =>
  `${actorIn(entry)} ${didOf(entry, entry.leads === 1 ? 'a lead' : entry.leads === 0 ? 'no lead' : counted(entry.leads, 'lead'))}`;

const filterWords: Readonly<Record<string, (value: string) => string>> = {
  partner: (key) => `of ${key === '-' ? 'API callers' : key}`,
  destination: (name) => `for ${name}`,
  scope: (key) => `for ${key === everybody ? 'everybody' : key.startsWith('-') ? 'API callers' : key}`,
  status: (words) => `with the answer ${words}`,
  undo: () => 'by taking back what was recorded',
  stop: () => 'and stopped calls',
  actor: () => 'whom somebody called',
  state: (words) => `whose deliveries are ${words}`,
  open: (words) => (words === 'held' ? 'that are held' : 'that are not delivered'),
  deliveries: (many) => counted(Number(many), 'delivery', 'deliveries'),
  failing: () => 'whose last attempt failed',
  revoked: () => 'that said stop',
  since: (time) => `since ${time.slice(0, 10)}`,
  until: (time) => `before ${time.slice(0, 10)}`,
  kept_until: (time) => `until ${time.slice(0, 10)}`,
  asked: (time) => `asked on ${time.slice(0, 10)}`,
  via: (way) => `by ${way}`,
  reason: (words) => `because: ${words}`,
  phone: () => 'by a telephone number',
  email: () => 'by an e-mail address',
  name: () => 'by a name',
  campaign: () => 'of a campaign',
  context: () => 'by a hidden field',
  answers: () => 'by an answer',
  outcome: () => 'by what came of calls',
  text: () => 'who agreed to a text',
  all: () => 'with the consents that are kept',
  stops: () => 'the events of stops',
  again: () => 'once more',
  from: (site) => `by a link of ${site}`,
};
/** Names of filters that the sentence already contains, or that mean nothing to people. */
const inSentence = ['plan', 'change', 'erasure', 'operator', 'role', 'key'];

/** The words for the filter, such as `of acme, by a telephone number`. The audit does not store values that are personal. */
export const auditDetails = (entry: AuditEntry): string =>
  Object.entries(entry.filter)
    .filter(([name]) => !inSentence.includes(name) && !templateOf(entry).includes(`{${name}}`))
    .map(([name, value]) => lookUp(filterWords, name)?.(String(value)) ?? `${name} ${String(value)}`)
    .join(', ');
