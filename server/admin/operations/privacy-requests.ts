/** Requests to erase, to know or to correct, with the days left to answer them; and leads that are kept for a lawsuit. */
import {z} from 'zod';
import {daysToAnswer, dueAt, requestKinds} from '../../leads/privacy-requests.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {formFieldNames, questionNames, questionOf} from '../../../contract/questions.ts';
import {tableOf} from '../../../contract/table-of.ts';
import {afterTouch} from '../../../form/words/en.ts';
import {Refusal, type Admin} from '../admin.ts';
import {inCamelCase} from '../../config/camel-case.ts';
import {receiversOf} from '../../config/routes.ts';
import {correctLead, heldOf, readCorrectable} from '../correcting.ts';
import {routeFor} from '../routing.ts';
import {leadOf} from '../lead-names.ts';
import {
  addRequest,
  endRequests,
  keepLead,
  legalHold,
  listHolds,
  listRequests,
  privacyRequest,
  type PrivacyRequestRow,
  requestsOf,
} from '../privacy-requests.ts';
import {readDay} from '../times.ts';
import {dayOf, localDay} from '../words.ts';
import * as field from './fields.ts';
import {changes, reads, type Columns} from './operation.ts';

const lead = field.argument('the id or the reference of the lead');
const kind = {
  schema: z.enum(requestKinds),
  what: 'to be erased, to know what is stored, or to have it corrected',
  value: 'kind',
  choices: requestKinds,
};

/** The button and the plan on a lead's page. @param does what would happen */
const onPage = (button: string, does: string) => ({
  onLead: {
    button,
    cannot: 'It was erased before.',
    isPossible: (_: unknown, {erasedAt}: {erasedAt: number | null}) => erasedAt === null,
    input: (id: string) => ({lead: id}),
  },
  plan: async (admin: Admin, {lead: named}: {lead: string}) => {
    const id = await leadOf(admin, named);
    await admin.noteAccess({lead: id});
    return {does: [does], facts: [id], prepared: undefined};
  },
});

const asked: Columns<PrivacyRequestRow> = [
  ['lead', 'reference'],
  ['partner', ({partner}) => partner ?? '-'],
  'kind',
  ['asked', 'requested_at'],
  ['by', 'way'],
  'days',
];
const ofWaiting: typeof asked = [
  ...asked,
  ['confirm by', ({confirm_by: by}) => dayOf(by)],
  ['due', ({due_at: at}) => dayOf(at)],
];
const ofEnded = [...asked, ['ended', 'ended_at'], 'answer'] as const;

const requests = reads({
  words: 'leads requests',
  what: 'list who asked to be erased, to know, or to have something corrected, the oldest first',
  help: `A link in an e-mail notes a request by itself, "leads requests add" one that came by telephone or letter. "leads erase"
ends those to erase. Within 10 business days, tell whoever asked that it came.`,
  fields: {ended: field.flag('instead: those that have ended, and how')},
  line: privacyRequest,
  counted: ['request'],
  columns: ({ended}): Columns<never> => (ended ? ofEnded : ofWaiting),
  read: (admin, {ended = false}) => listRequests(admin, {isEnded: ended}),
});

const kept = reads({
  words: 'leads kept',
  what: 'list the leads that a lawsuit keeps, the first to end first; what an erasure takes with them is kept, too',
  fields: {},
  line: legalHold,
  counted: ['lead'],
  columns: [['lead', 'reference'], ['until', ({until}) => dayOf(until)], 'reason', ['entered', 'entered_at']],
  read: listHolds,
});

const add = changes({
  words: 'leads requests add',
  what: `note what somebody asked for by telephone or letter: from that day on, ${daysToAnswer} days count`,
  roles: ['agent', 'admin'],
  past: 'noted a request to {kind}, about {it}',
  planned: 'was about to note a request about {it}',
  fields: {
    lead,
    kind: {...kind, schema: kind.schema.default('erase')},
    asked: {
      schema: field.parsedBy(readDay).default(() => Date.now()),
      what: 'when it was asked, such as yesterday; without it, now',
      value: 'day',
    },
    via: {schema: field.way, what: 'how it came, such as phone or letter', value: 'way'},
  },
  asked: {kind: 'Asked to', asked: 'On', via: 'How it came'},
  ...onPage(
    'Note a request…',
    `What the person of this lead asked for waits for an operator, and must be answered within ${daysToAnswer} days.`,
  ),
  run: (admin, {lead: named, kind: what, asked, via}) =>
    addRequest(admin, {lead: named, kind: what, asked, way: via}),
  said: (reference, {kind: what, asked}) => ({
    said: [`The request to ${what} ${reference} must be answered by ${localDay(dueAt({askedAt: asked}))}`],
  }),
});

const end = changes({
  words: 'leads requests end',
  what: 'end a request, after it was answered or because it is not followed',
  past: 'ended the request to {kind} {it}',
  planned: 'was about to end the request to {kind} {it}',
  fields: {
    lead,
    kind,
    reason: field.reason('what was done, or why it is not followed, without names; it is kept'),
  },
  // A request that does not exist is refused before the audit gets an entry.
  async plan(admin, {lead: named, kind: what}) {
    const id = await leadOf(admin, named);
    if ((await requestsOf(admin, id, what)).length === 0)
      throw new Refusal(`Nobody asked to ${what} ${named}, or the request has ended.`, 'unknown');
    await admin.noteAccess({lead: id, kind: what});
    return {does: ['It stays in the list of requests that have ended.'], prepared: id};
  },
  async run(admin, {kind: what, reason}, id) {
    await admin.noteAccess({lead: id, kind: what, reason});
    await endRequests(admin, {lead: id, kind: what, answer: reason});
    return referenceOf(id);
  },
  said: (reference, {kind: what}) => ({said: [`The request to ${what} ${reference} has ended`]}),
});

const keep = changes({
  words: 'leads keep',
  what: 'keep a lead and its consent for a lawsuit, against retention',
  help: `Its duplicates and corrections are kept, too. "leads erase" erases them all the same, after a question that names the
lawsuit.`,
  roles: ['admin'],
  past: 'kept {it} for a lawsuit',
  planned: 'was about to keep {it} for a lawsuit',
  fields: {
    lead,
    until: {schema: field.parsedBy(readDay), what: 'until when, such as 2028-01-31', value: 'day'},
    reason: field.reason('which lawsuit, without names; it is kept'),
  },
  asked: {until: 'Until', reason: 'Why, without names'},
  ...onPage(
    'Keep for a lawsuit…',
    'The lead and its consent stay until that day, however short leads are kept.',
  ),
  run: (admin, input) => keepLead(admin, input),
  said: (reference, {until}) => ({
    said: [
      `${reference} is ${until > Date.now() ? `kept until ${localDay(until)}` : 'not kept for a lawsuit any more'}`,
    ],
  }),
});

const labels = {...afterTouch.labels, ...tableOf(questionNames, (name) => questionOf(name).label.en)};
/** The names of a lead's fields by their options: `--first-name` sets `first_name`. */
const names = inCamelCase(tableOf(formFieldNames, (name) => name));
const corrected = tableOf(Object.keys(names) as (keyof typeof names)[], (option) => ({
  ...field.option('text', labels[names[option]].toLowerCase()),
  ...((option === 'phone' || option === 'email') && {asks: labels[option]}),
}));

const correct = changes({
  words: 'leads correct',
  what: 'correct a lead as the form does: another one takes its place, and its receivers are told',
  help: `What is not given stays as it is, and "" takes away what may be missing. The consent stays that to calls of the first
number: of a new one, it is not known whether it may be called.`,
  roles: ['agent', 'admin'],
  past: 'corrected {corrected} of {it}',
  planned: 'was about to correct {it}',
  fields: {
    lead,
    ...corrected,
    answer: field.pairs('a question', 'revenue=over-50k', "the answer to a partner's own question", /^/),
  },
  wrong: (given) =>
    Object.values(given).filter((value) => value !== undefined).length === 1
      ? 'Say what is right, such as --phone or --last-name.'
      : undefined,
  asked: tableOf(['phone', 'email', 'firstName', 'lastName'] as const, (option) => labels[names[option]]),
  onLead: {
    button: 'Correct…',
    cannot: 'It was erased before, or somebody with its number said stop.',
    isPossible: (_, {erasedAt, revoked, isSuppressed}) => erasedAt === null && !revoked && !isSuppressed,
    input: (id) => ({lead: id}),
  },
  async plan({store, config, noteAccess}, {lead: named}) {
    const record = await readCorrectable({store}, named);
    await noteAccess({lead: record.id});
    const {answerFrom, ...route} = routeFor(config, record);
    const told = [answerFrom ?? [], receiversOf(route)].flat();
    const {rows, isSuspect} = await heldOf({store}, record.id);
    const names = rows.map(({destination}) => destination);
    const then = isSuspect
      ? 'it is held, as a bot may have sent this one'
      : `these are told: ${told.join(', ')}`;
    return {
      does: [
        `Another lead takes its place, and ${told.length > 0 ? then : 'nobody is told'}.`,
        names.length > 0 && `What is held of this one is dropped: ${names.join(', ')}.`,
        'What you leave empty stays. So does the consent: it is none to calls of another number.',
      ],
      facts: [record.id, told, isSuspect, names],
      prepared: undefined,
    };
  },
  run: (admin, {lead: named, answer: answers, ...given}) => {
    const options = Object.keys(given) as (keyof typeof given)[];
    const byField = Object.fromEntries(options.map((option) => [names[option], given[option]]));
    return correctLead(admin, named, {...byField, answers});
  },
  said: ({reference, corrected_by: by, told, stopped, suspect, dropped}) => ({
    said: [
      `${by} takes the place of ${reference}`,
      told.length > 0 && `Told soon: ${told.join(', ')}`,
      stopped.length > 0 &&
        `Held: ${stopped.join(', ')}, because somebody with that number said stop. "lead-prequal consent allow ${by}" sends it, and a request to correct stays open`,
      suspect.length > 0 &&
        `Held: ${suspect.join(', ')}, as a bot may have sent it. "lead-prequal deliveries release ${by}" sends it`,
      dropped.length > 0 && `Dropped, because it was held of ${reference}: ${dropped.join(', ')}`,
      told.length + stopped.length + suspect.length === 0 && 'Nobody is told: no destination gets such leads',
    ],
  }),
});

export const privacyRequests = [requests, add, end, correct, keep, kept];
