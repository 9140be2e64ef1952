/** What people asked for besides a stop, with the days until it must be answered; and leads that a lawsuit keeps. */
import {daysToAnswer, dueAt, requestKinds} from '../../leads/privacy-requests.ts';
import {leadOf} from '../lead-names.ts';
import {addRequest, endRequest, keepLead, listRequests, privacyRequest} from '../privacy-requests.ts';
import {readTime} from '../times.ts';
import {localDay} from '../words.ts';
import * as field from './fields.ts';
import {changes, reads} from './operation.ts';

const lead = field.argument('the id or the reference of the lead');
const kind = {
  ...field.choice('kind', requestKinds, 'to be erased, to know what is stored, or to have it corrected'),
  schema: field.choice('kind', requestKinds, '').schema.unwrap().default('erase'),
};

const requests = reads({
  words: 'leads requests',
  what: 'list who asked to be erased, to know, or to have something corrected, the oldest first',
  help: `A link in an e-mail notes a request by itself, "leads requests add" one that came by telephone or letter.
"leads erase" ends those to erase by following them, and "leads requests end" any, with what was done.`,
  fields: {},
  line: privacyRequest,
  counted: ['request'],
  columns: [
    ['lead', 'reference'],
    ['partner', ({partner}) => partner ?? '-'],
    'kind',
    ['asked', 'requested_at'],
    ['by', 'way'],
    'days',
    ['due', 'due_at'],
  ],
  read: listRequests,
});

const add = changes({
  words: 'leads requests add',
  what: `note what somebody asked for by telephone or letter: from that day on, ${daysToAnswer} days count`,
  roles: ['agent', 'admin'],
  past: 'noted a request to {kind}, about {it}',
  planned: 'was about to note a request about {it}',
  fields: {
    lead,
    kind,
    asked: {
      schema: field.parsedBy(readTime).default(() => Date.now()),
      what: 'when it was asked, such as yesterday; without it, now',
      value: 'day',
    },
    via: {schema: field.way, what: 'how it came, such as phone or letter', value: 'way'},
  },
  asked: {kind: 'Asked to', asked: 'On', via: 'How it came'},
  onLead: {
    button: 'Note a request…',
    cannot: 'It was erased before.',
    isPossible: (_, {erasedAt}) => erasedAt === null,
    input: (id) => ({lead: id}),
  },
  async plan(admin, {lead: named}) {
    const id = await leadOf(admin, named);
    await admin.noteAccess({lead: id});
    const does = `What the person of this lead asked for waits for an operator, and must be answered within ${daysToAnswer} days.`;
    return {does: [does], facts: [id], prepared: undefined};
  },
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
  fields: {lead, kind, reason: field.reason('what was done, or why it is not followed, which is kept')},
  run: (admin, input) => endRequest(admin, input),
  said: (reference, {kind: what}) => ({said: [`The request to ${what} ${reference} has ended`]}),
});

const keep = changes({
  words: 'leads keep',
  what: 'keep a lead and its consent for a lawsuit, against retention',
  help: `"leads erase" erases it all the same, after a question that names the lawsuit. A day that has passed ends it.`,
  roles: ['admin'],
  past: 'kept {it} for a lawsuit',
  planned: 'was about to keep {it} for a lawsuit',
  fields: {
    lead,
    until: {schema: field.parsedBy(readTime), what: 'until when, such as 2028-01-31', value: 'day'},
    reason: field.reason('which lawsuit, without names; it is kept'),
  },
  asked: {until: 'Until', reason: 'Why, without names'},
  onLead: {
    button: 'Keep for a lawsuit…',
    cannot: 'It was erased before.',
    isPossible: (_, {erasedAt}) => erasedAt === null,
    input: (id) => ({lead: id}),
  },
  async plan(admin, {lead: named}) {
    const id = await leadOf(admin, named);
    await admin.noteAccess({lead: id});
    const does = 'The lead and its consent stay until that day, however short leads are kept.';
    return {does: [does], facts: [id], prepared: undefined};
  },
  run: (admin, input) => keepLead(admin, input),
  said: (reference, {until}) => ({said: [`${reference} is kept until ${localDay(until)}`]}),
});

export const privacyRequests = [requests, add, end, keep];
