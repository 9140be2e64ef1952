/** Revokes consents, and allows leads or numbers that are held because of a revocation. */
import {referenceOf} from '../../../contract/reference.ts';
import {allCallers, everybody} from '../../leads/revocation.ts';
import type {Admin} from '../admin.ts';
import {retryDeliveries, storedOf} from '../deliveries.ts';
import {leadOf} from '../lead-names.ts';
import {opened} from '../lead-view.ts';
import {namedBy} from '../persons.ts';
import {
  allowance,
  allowConsent,
  planRevocation,
  revocation,
  revokeConsent,
  type Revoked,
  type Who,
} from '../revocations.ts';
import {isAskedToStop} from '../stops.ts';
import {readDay} from '../times.ts';
import {printable} from '../visible.ts';
import {counted, maxOthers, placed} from '../words.ts';
import {factsOf, isReleasable, pauseLines, sentLines} from './deliveries.ts';
import * as field from './fields.ts';
import {changes, type OpenDelivery, type Plan} from './operation.ts';
import {sameMailboxWords, who} from './person.ts';

/** Says in words whom a scope names: everybody, a partner, or a caller. */
export function whom(scope: string): string {
  if (scope === everybody || scope === 'all') return 'everybody';
  if (scope === allCallers) return 'the callers';
  const [, cid] = scope.split(`${allCallers}:`);
  return printable(cid === undefined ? scope : `the callers of client ${decodeURIComponent(cid)}`);
}
const partnerOf = (given: string | undefined) => (given === '-' ? null : given);

const agents = ['agent', 'admin'] as const;
const noNumber = 'No number is known, so no later lead is held.';

export const revoke = changes({
  words: 'consent revoke',
  what: 'revoke a consent: stop all that goes out, and hold later leads with the number',
  help: `What waits of all leads with the number is dropped, those who had them are told (consent.revoked), and later leads with it
are held until "consent allow". An e-mail address or a lead stands for the numbers of its leads.

Exit status: 0 revoked; 1 not, or not of all that may be meant; 2 the command line is wrong, or nobody can be asked.`,
  roles: agents,
  past: 'stopped calls about {it}',
  planned: 'asked what stopping calls about {it} would do',
  fields: {
    who,
    partner: field.option('key', 'only for this partner, or - for the callers; without it, for all'),
    asked: {
      schema: field.parsedBy(readDay).optional(),
      what: 'when the person asked, if that was earlier, such as 2026-11-20',
      value: 'day',
    },
    via: {
      schema: field.way.optional(),
      what: 'how the person asked, such as phone, letter or e-mail',
      value: 'way',
    },
  },
  confirm: {word: 'revoke'},
  onLead: {
    button: 'Stop calls…',
    make: 'Stop',
    isBad: true,
    cannot: 'Its consent was taken back before.',
    isPossible: (_, {erasedAt, revoked}) => erasedAt === null && revoked?.scope !== 'all',
    input: (lead) => ({who: lead}),
  },
  async plan(admin, {who: named, partner, asked, via}) {
    const planned = await planRevocation(admin, {
      who: namedBy(named),
      partner: partnerOf(partner),
      asked,
      way: via,
    });
    const {concerns, others, meant, scopes} = planned;
    const more = concerns.length - maxOthers;
    const names = concerns.slice(0, maxOthers);
    if (more > 0) names.push(`and ${counted(more, 'other lead')}`);
    const numbers = meant.phones.size === 1 ? 'the same number' : counted(meant.phones.size, 'number');
    return {
      does: [
        names.length > 0 && `Nothing of ${names.join(', ')} goes out any more.`,
        'Those who had it are told to stop calls and messages.',
        meant.phones.size > 0 ? `Later leads with ${numbers} are held until somebody decides.` : noNumber,
        others.length > 0 &&
          `Among them, ${others.slice(0, maxOthers).join(', ')} ${others.length === 1 ? 'has' : 'have'} the same number and another address, and so may be of somebody else. A stop is one of the number, whoever is named. To leave them out, name another number of this person, or a lead with it, if there is one.`,
        sameMailboxWords([...meant.sameMailbox].filter((id) => !meant.leads.has(id))),
      ],
      facts: [...scopes, ...concerns],
      prepared: planned,
      question: `revoke this consent ${partner === undefined ? 'for everybody' : `for ${whom(partner)} alone`}`,
    };
  },
  run: (admin, _, planned) => revokeConsent(admin, planned),
  line: revocation,
  said: ({scope, numbers, leads, unread}) => ({
    said: leads.map(
      ({reference, changes: isNew}) =>
        `The consent of ${reference} ${isNew ? 'is revoked' : 'was revoked before'}`,
    ),
    remarks: [
      ...leads.flatMap(toldLines),
      `${counted(leads.length, 'lead')}, for ${whom(scope)}. ${numbers === 0 ? noNumber : `Later leads with ${numbers === 1 ? 'the number' : `the ${numbers} numbers`} are held: "lead-prequal consent list --revoked".`}`,
    ],
    fails: [
      unread.length > 0 &&
        `${counted(unread.length, 'lead')} cannot be read, and may be of this person, too: ${unread.map(referenceOf).join(', ')}. Later leads with their numbers are not held.`,
    ],
  }),
});

const toldLines = ({reference, told, former, remote_ids}: Revoked['leads'][number]) => [
  told.length > 0 && `${reference} will be told: ${told.join(', ')}`,
  ...remote_ids.map(
    ({destination, remote_id}) =>
      `${reference} cannot be told: ${destination}, which has it as ${remote_id ?? 'an id that is not known'}`,
  ),
  ...former.map((one) => `${reference} cannot be told: formerly ${placed(one)}`),
];

/** `rows`: the held deliveries of the named lead, whatever the reason. */
type Allowing = {who: Who; rows: readonly OpenDelivery[]};

export const allow = changes({
  words: 'consent allow',
  what: 'send a lead that is held because of its number, or let a number go again',
  help: `A lead that is held goes out alone, also if a bot may have sent it. Of one that is not held, it decides about the number
that somebody else asked to stop. A phone number lets go all that is held because of it, and later leads.`,
  roles: agents,
  past: 'let {it} go although the number said stop',
  planned: 'asked what letting {it} go would do',
  fields: {
    who: {
      ...who,
      what: `${who.what.replace(' or an e-mail address', '').replace('a lead, a', 'a lead, or a')}`,
    },
    reason: field.reason('why, which is kept'),
    partner: field.option(
      'key',
      'of a number: only for this partner, or - for the callers; without it, for all',
    ),
  },
  asked: {reason: 'Why'},
  onLead: {
    button: 'Send it on…',
    cannot: 'It is not held because of its number.',
    isPossible: (open, {isSuppressed = false, isAsked}) =>
      isAsked || (isSuppressed && open.some(isReleasable)),
    input: (lead) => ({who: lead}),
  },
  async plan(admin, {who: named}): Promise<Plan<Allowing>> {
    const meant = namedBy(named);
    return typeof meant === 'string' ? planLead(admin, await leadOf(admin, meant)) : planNumber(admin, meant);
  },
  async run(admin, {reason, partner}, {who: meant, rows}) {
    const done = await allowConsent(admin, {who: meant, reason, partner: partnerOf(partner)});
    // `allowConsent` has already released what was held because of the number.
    const others = rows.filter((row) => row.reason !== 'suppressed');
    if (typeof meant === 'string')
      await retryDeliveries(admin, {
        filter: {lead: meant},
        each: others.map(({destination, content, state}) => ({lead: meant, destination, content, state})),
      });
    return done;
  },
  line: allowance,
  said: ({released}) => ({
    said: [
      ...released.map((reference) => `${reference} is sent now`),
      `${counted(released.length, 'lead')} released`,
    ],
  }),
});

const planNumber = async ({store}: Admin, meant: Exclude<Who, string>): Promise<Plan<Allowing>> => ({
  does: [
    'Whoever asked to stop this number, it may be called all the same.',
    'Leads that are held because of that are sent now, and later ones go as usual.',
  ],
  facts: [meant, ...(await store.heldLeads())],
  prepared: {who: meant, rows: []},
});

/** Allows only this lead if it is held. If it is not, but somebody else asked to stop calls to its number, allows the number. */
async function planLead(admin: Admin, id: string): Promise<Plan<Allowing>> {
  await admin.noteAccess({lead: id});
  const record = (await admin.store.findRecords([id])).get(id);
  const known = record && opened(record);
  const lead = known && 'lead' in known ? known : undefined;
  // Not for a held lead: other leads with its number may be of other people, so only this lead is allowed.
  if (lead && !lead.isSuppressed && (await isAskedToStop(admin, lead)))
    return planNumber(admin, {phone: lead.lead.phone.e164});
  const rows = (await storedOf(admin, id, ['held'])).filter(isReleasable);
  return {
    does: [
      'Somebody with this number revoked a consent before. Later leads with it are held all the same.',
      ...rows.flatMap(sentLines),
      ...(await pauseLines(admin, rows)),
    ],
    facts: [id, ...rows.map(factsOf)],
    prepared: {who: id, rows},
  };
}
