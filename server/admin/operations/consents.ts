/** Shows what somebody agreed to, word for word, and who received the lead. */
import {z} from 'zod';
import {referenceOf} from '../../../contract/reference.ts';
import {readableText} from '../../leads/consent-record.ts';
import {everybody} from '../../leads/revocation.ts';
import type {Person} from '../../leads/persons.ts';
import {idsOf, Refusal, type Admin} from '../admin.ts';
import {
  consentFilter,
  consentRow,
  listConsents,
  showConsent,
  shownConsent,
  type ConsentRow,
  type ShownConsent,
} from '../consents.ts';
import {leadOf} from '../lead-names.ts';
import {namedBy} from '../persons.ts';
import {listRevocations, revocationRow, type Afterwards, type StopRow, type RevocationRow} from '../stops.ts';
import {printable} from '../visible.ts';
import {counted, localTime, placed} from '../words.ts';
import * as field from './fields.ts';
import {reads, type Columns, type Group} from './operation.ts';
import {notesOf, searchPerson, who} from './person.ts';
import {allow, revoke, whom} from './revocations.ts';

const show = reads({
  words: 'consent show',
  what: 'show the record of a consent, with its words, and who got the lead',
  past: 'read what was agreed for {it}',
  fields: {
    who,
    signed: field.flag(
      'print the signed statements alone, one a line (docs/consent.md says how to verify them)',
    ),
  },
  wrong: ({signed}, isForPrograms) =>
    signed && isForPrograms ? '--signed cannot be used with --json' : undefined,
  line: shownConsent,
  block: consentLines,
  async *read(admin, {who: text, signed}) {
    const named = namedBy(text);
    const found = typeof named === 'string' ? undefined : yield* searchPerson(admin, {}, named);
    const ids = found
      ? idsOf([...found.found, ...found.kept])
          .toSorted()
          .toReversed()
      : [await leadOf(admin, text)];
    if (ids.length === 0) throw new Refusal(await noneOf(admin, named), 'unknown');
    const records: ShownConsent[] = [];
    for (const id of ids) records.push(await showConsent(admin, id));
    const remarks = found ? notesOf(admin, found) : [];
    if (signed)
      return {
        said: records.map(({statement}) => statement ?? false),
        fails: records.map(
          ({statement, reference}) =>
            statement === null &&
            `There is no statement about ${reference}: docs/consent.md says what one needs.`,
        ),
        remarks,
      };
    yield records;
    return {remarks: [...new Set([...remarks, ...records.filter(({text}) => text).map(claimed)])]};
  },
});

/** Version 1.6 kept consents of erased leads without the e-mail address, so a search by address cannot find these. */
async function noneOf({store}: Admin, named: string | Person): Promise<string> {
  const kept = typeof named === 'object' && named.phone === undefined ? await store.keptWithoutAddress() : 0;
  return kept === 0
    ? 'There is no lead of this person, and no consent is kept.'
    : `No lead of this person was found, and ${counted(kept, 'consent that is', 'consents that are')} kept of erased leads cannot be found by an e-mail address: ask for the telephone number.`;
}

/** Says which parts of a record the server saw itself, and which it was only told. */
const claimed = (record: ShownConsent) =>
  record.observed?.source
    ? 'A caller brought this consent: the server saw when it came, and the rest is what the caller says.'
    : 'The server saw the time, the address, the origin and the browser’s name. The rest is what the browser said.';

const yesOrNo = (value: boolean | null | undefined, none: string) =>
  value === undefined ? '' : value === null ? none : value ? 'yes' : 'no';
const utc = (at: string | null) => at?.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') ?? '';

type Field = readonly [name: string, value: string];

/** The lines of a record, for people. Times are in UTC, as regulators and other systems have them. */
export function consentLines({observed, reported, text, person, ...record}: ShownConsent): Field[] {
  const {words = null, language} = text ?? {};
  const readable = readableText({words, language}, {...observed, ...reported});
  return [
    ['Reference', `${record.reference} (${record.lead})`],
    ['Partner', record.partner ?? 'none: a caller of /json/leads'],
    ['Name', person ? `${person.first_name} ${person.last_name}` : ''],
    ['Phone', person ? [...new Set([person.phone, person.phone_e164])].join(', ') : ''],
    ['Email', person?.email ?? ''],
    ['Received', utc(record.received_at)],
    ['Erased', utc(record.erased_at)],
    ['Consent kept until', utc(record.kept_until)],
    ...afterwardsLines(record, utc),
    ['Consent', text ? '' : 'none: no text was agreed to, or its record was erased'],
    ['Text', text ? `${text.words ?? 'its words were not kept'}` : ''],
    ['In plain words', readable.text === words ? '' : (readable.text ?? '')],
    ...readable.said.map((sentence): Field => ['On the screen', sentence]),
    ['Text named', text ? [text.version, text.language].filter(Boolean).join(', ') : ''],
    ['SHA-256', text?.sha256 ?? ''],
    ['Beside the text', reported?.slot_text ?? ''],
    ['Given', utc(reported?.given_at ?? observed?.received_at ?? null)],
    ['Box ticked', reported ? yesOrNo(reported.agreed, 'the text has no box') : ''],
    ['Button', observed?.script ? (reported?.button ?? '') : ''],
    ['Text unchanged', yesOrNo(reported?.verbatim, '')],
    ['Whole text in view', yesOrNo(reported?.in_view, '')],
    ['Window', reported?.window_width === undefined ? '' : `${reported.window_width} pixels wide`],
    ['Form', reported?.form_version ?? (observed?.script ? 'without a script' : '')],
    ['Page', reported?.page ?? ''],
    ['Origin', observed?.origin ?? ''],
    // eslint-disable-next-line no-restricted-properties -- These are addresses of a stored consent, not of a request.
    ['Address', observed?.ip ?? reported?.ip ?? ''],
    ['Browser', observed?.user_agent ?? ''],
    ['Certificate', reported?.certificate_url ?? ''],
    [
      'Given with',
      reported?.given_with === undefined ? '' : `another number: lead ${referenceOf(reported.given_with)}`,
    ],
    ...record.receivers.map(({destination, place, content, state, at}): Field => [
      'Who has it',
      [placed({destination, place}), content, state, utc(at)].filter(Boolean).join(', '),
    ]),
    ...(record.receivers.length === 0 ? [['Who has it', 'nobody else'] as const] : []),
  ];
}

const said = {stop: 'said stop', ask: 'asked, by somebody with another address', allow: 'let go'} as const;

/** Lines about what followed a consent: stops, the destinations that were told, and a lawsuit. @param at formats a time */
export function afterwardsLines(
  {taken_back: back, stops, told, legal_hold: hold}: Afterwards,
  at: (time: string | null) => string,
): Field[] {
  const wayOf = ({way}: {way: string | null}) => (way === null ? '' : `, by ${printable(way)}`);
  const lateEntry = (row: Pick<StopRow, 'asked_at' | 'entered_at'>) =>
    row.entered_at === null || row.entered_at === row.asked_at ? '' : `, entered ${at(row.entered_at)}`;
  const lineOf = (row: StopRow): string =>
    [
      `${at(row.asked_at)} ${said[row.what]} for ${whom(row.for)}${wayOf(row)}${lateEntry(row)}`,
      row.reference === null ? '' : `, at ${row.reference}`,
      row.reason === null ? '' : `: ${printable(row.reason)}`,
    ].join('');
  const tellOf = ({destination, place, content, state, at: when}: Afterwards['told'][number]) =>
    `${printable(placed({destination, place}))} of the ${content === 'erased' ? 'erasure' : 'stop'}: ${when === null ? state : `${state} ${at(when)}`}`;
  return [
    ['For a lawsuit', hold ? `kept until ${at(hold.until)}: ${printable(hold.reason)}` : ''],
    [
      'Revoked',
      back
        ? `${at(back.asked_at)}, for ${back.for === 'all' ? 'everybody' : 'the partner'}${wayOf(back)}${lateEntry(back)}`
        : '',
    ],
    ...stops.map((row, index): Field => [index === 0 ? 'The number' : '', lineOf(row)]),
    ...told.map((row, index): Field => [index === 0 ? 'Told' : '', tellOf(row)]),
  ];
}

const ofConsents: Columns<ConsentRow> = [
  'reference',
  ['given', 'given_at'],
  'text',
  ['box', ({agreed}) => yesOrNo(agreed, 'none')],
  ['erased', 'erased_at'],
];

function ofNumber(lead: RevocationRow['leads'][number], isAsked: boolean): string {
  const state = lead.held ? 'held' : lead.revoked_at !== null ? 'revoked' : isAsked && 'decide';
  const given =
    lead.consented_at !== null && `agreed ${localTime(Date.parse(lead.consented_at)).slice(0, 16)}`;
  return [lead.reference, state, lead.partner ?? '-', given].filter(Boolean).join(' ');
}
const minute = (time: string | null) => localTime(Date.parse(time ?? '')).slice(0, 16);
/** A stopped number is listed by its leads: the store has only its digest, so nothing else says whose it is. */
const ofNumbers: Columns<RevocationRow> = [
  ['asked', 'asked_at'],
  ['entered', ({asked_at, entered_at}) => (entered_at === asked_at ? '' : entered_at)],
  ['by', 'way'],
  ['for', ({scope}) => (scope === everybody ? 'all' : whom(scope))],
  ['leads', ({leads, what}) => leads.map((lead) => ofNumber(lead, what === 'ask'))],
  [
    'told',
    ({told, not_told: none}) =>
      none ??
      told.map(
        ({reference, destination, place, state, at}) =>
          `${reference} ${placed({destination, place})} ${at === null ? state : minute(at)}`,
      ),
  ],
  ['days', ({business_days: days, not_told: none}) => days ?? (none === null ? 'not yet' : 'none')],
  ['let go', ({allowances}) => allowances.map(({at, reason}) => `${minute(at)}: ${reason ?? ''}`)],
];

/** The default number of consents in a list. Stops have no default limit, because a regulator asks for all of them. */
const usualLimit = 50;

const list = reads({
  words: 'consent list',
  what: 'list consents, the newest first, without personal data; reads all leads that are selected',
  past: 'saw {it} in a list of consents',
  fields: {
    text: field.option('name', 'only those to this text, such as acme/en/2'),
    revoked: field.flag('instead: who revoked a consent, who was told when, and what is held since'),
    since: field.since('leads, or stops that were asked'),
    until: field.until('leads, or stops'),
    limit: {
      ...field.limit('lines'),
      schema: field.limit('lines').schema.unwrap().optional(),
      what: 'so many consents (default: 50) or stops (default: all), at most',
    },
  },
  wrong: ({revoked, text}) =>
    revoked && text !== undefined ? '--revoked cannot be used with --text' : undefined,
  line: z.union([consentRow, revocationRow]),
  counted: ['line'],
  columns: ({revoked}): Columns<never> => (revoked ? ofNumbers : ofConsents),
  async *read(admin, {text, revoked, limit, ...times}) {
    if (revoked) return void (yield* listRevocations(admin, times, limit));
    const {rows, unreadable} = yield* listConsents(
      admin,
      consentFilter(times, text),
      limit ?? usualLimit,
      text,
    );
    yield rows;
    const names = unreadable.map(referenceOf).join(', ');
    return {
      remarks: [names !== '' && `${counted(unreadable.length, 'lead')} could not be read: ${names}.`],
    };
  },
});

export const consents: Group = {
  name: 'consent',
  what: 'show what somebody agreed to, and who has the lead, also of erased leads whose consent is kept; revoke it',
  help: `Examples:
  lead-prequal consent show K7QM-2XHD                       what the person agreed to, and who has the lead
  lead-prequal consent show "(415) 555-0132"                the same of each lead with this number
  echo jane@example.com | lead-prequal consent show -       the same by e-mail, seen in no list of processes
  lead-prequal consent show K7QM-2XHD > record.txt          the same, to print
  lead-prequal consent list --text acme/en/2                who agreed to the English text 2 of acme
  lead-prequal consent revoke "(415) 555-0132"              this person says stop: nothing goes out any more
  lead-prequal consent list --revoked                       who said so, and what is held since
  lead-prequal consent allow K7QM-2XHD --reason "…"         sends one lead of them all the same`,
  rows: [show, list, revoke, allow],
};
