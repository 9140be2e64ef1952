/** A lead with its deliveries: for people, whom to call, the amounts, the answers, then the rest; for programs, all of it. */
import {z} from 'zod';
import {amountParts, totalAmount} from '../../../contract/amounts.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {afterTouch} from '../../../form/words/en.ts';
import {lookUp} from '../../../form/words/look-up.ts';
import type {Admin} from '../admin.ts';
import type {LeadView} from '../../leads/lead-view.ts';
import {answerText, formAnswers} from '../../leads/own-answers.ts';
import {agreedWords, fieldLabels as labels, resultWords, senderWords} from '../../leads/lead-words.ts';
import {deliveriesOf, shownDelivery, type ShownDelivery} from '../deliveries.ts';
import {shownErased, type ShownErased} from '../erasing.ts';
import {outcomeText} from '../outcomes.ts';
import {showLead, shownLead, type ShownLead} from '../leads.ts';
import {printable} from '../visible.ts';
import {why, type Why} from '../why.ts';
import {actorName, counted, maxOthers, placed, timeOrNone, timeZone} from '../words.ts';
import {afterwardsLines} from './consents.ts';
import {damagedReplies} from './deliveries.ts';
import * as field from './fields.ts';
import {reads} from './operation.ts';

const {names} = afterTouch;

type Value = string | number | boolean | null | undefined;
type Line = readonly [name: string, value: Value];
const emptyLine: Line = ['', ' '];

/** A value in words. Numbers are amounts in dollars. */
function inWords(value: Value): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? formatMoney(value, 'en-US') : (value ?? '');
}

const listed = (values: readonly Value[]) => values.filter(Boolean).join(', ');
/** References of the newest leads, and the number of the others: `--json` has all. */
const referencesOf = (ids: readonly (string | null | undefined)[] = []) =>
  listed([
    ...ids.slice(-maxOthers).map((id) => id && referenceOf(id)),
    ids.length > maxOthers && `and ${counted(ids.length - maxOthers, 'earlier lead')}`,
  ]);

/** A lead, or what is left of an erased one. */
type Shown = Omit<ShownErased, 'kept' | 'erased_at' | 'consent_kept_until'> &
  Partial<Omit<ShownLead, 'lead' | 'created_at'>> & {lead: Partial<ShownLead['lead']>};

const outcomeLine = ({
  at,
  by,
  outcome,
  amount,
  note: words,
  undone_at: undone,
}: ShownLead['outcomes'][number]): Line => {
  const what = [
    outcome ? outcomeText({outcome, amount}) : 'Note',
    `${timeOrNone(at)}, ${actorName(by)}`,
    undone !== null && `taken back ${timeOrNone(undone)}`,
  ];
  return ['After the call', `${listed(what)}${words === null ? '' : `: ${printable(words)}`}`];
};

/** The lines for people. Some fields are left out: programs get all of them by `--json`. */
function linesOf(view: LeadView, shown: Shown, more: readonly Line[] = []) {
  const {consent, cid} = shown;
  const {amounts, result, call} = view;
  const {
    lead_type,
    first_name,
    last_name,
    email,
    phone,
    phone_e164,
    answers: own = [],
    ...answers
  } = shown.lead;
  const parts = amountParts.filter((part) => amounts?.[part]);
  const lines: Line[] = [
    ['Name', first_name && `${first_name} ${last_name}`],
    [labels.phone, listed([...new Set([phone, phone_e164])])],
    ...formAnswers(answers).map(({label, text}): Line => [label, text]),
    ['May be called', call?.text],
    ['Time there now', call?.there],
    [labels.email, email],
    ['Total', amounts?.[totalAmount] ?? (result && resultWords[result][0])],
    ['Made up of', listed(parts.map((part) => `${names[part]} ${inWords(amounts?.[part])}`))],
    ['Type', lead_type === 'standard' ? lead_type : null],
    ...(shown.outcomes ?? []).toReversed().map(outcomeLine),
    emptyLine,
    ...Object.entries(labels).map(([name, label]): Line => [label, lookUp<Value>(answers, name)]),
    ...own.map((each): Line => [printable(each.label), answerText(each)]),
    emptyLine,
    ['Reference', `${shown.reference} (${shown.id})`],
    ['Received', `${timeOrNone(shown.created_at)} (${timeZone()}, as all times here)`],
    ['Partner', `${senderWords(shown.partner)}${cid ? ` (cid ${cid})` : ''}`],
    ['May be a bot', view.suspicion],
    ['The same as', referencesOf([shown.duplicate_of])],
    ['Came again as', referencesOf(shown.duplicates)],
    ['Corrects', referencesOf([shown.supersedes])],
    ['Corrected by', referencesOf(shown.superseded_by)],
    ...more,
    [
      'Consent',
      consent === null
        ? 'none'
        : consent &&
          `${timeOrNone(consent.given_at)}, text ${consent.text_version} ${consent.text_language ?? ''}`,
    ],
    ...afterwardsLines(shown, timeOrNone),
    ['How agreed', consent && agreedWords({...consent, givenWith: consent.given_with})],
    ['Certificate', consent?.certificate_url],
    ['Consent on', consent?.page ?? consent?.origin],
    [consent?.script ? 'Button' : 'Button, it says', consent?.button],
    ['Text unchanged', consent?.verbatim],
    ['Text in view', consent?.in_view],
    ['Beside the text', consent?.slot_text],
    ['Opt-out signal', view.optOut],
    ...Object.entries(shown.attribution ?? {}),
    ...Object.entries(shown.context ?? {}),
  ];
  return lines
    .filter(([, value]) => (value ?? '') !== '')
    .filter((line, index, all) => line !== emptyLine || (index > 0 && all[index - 1] !== emptyLine))
    .map(([name, value]) => [name, inWords(value)] as const);
}

function erasedLines(view: LeadView, {kept, ...erased}: ShownErased) {
  const {consent, ...lead} = kept && 'consent' in kept ? kept : {consent: undefined};
  return linesOf(view, {...erased, lead, ...(consent && {consent})}, [
    ['Erased', timeOrNone(erased.erased_at)],
    ['Consent until', timeOrNone(erased.consent_kept_until)],
    ['Consent', kept && 'unreadable' in kept ? `cannot be read: ${kept.unreadable}` : null],
  ]);
}

/** `deliveries show` says more. */
const goesTo = (deliveries: readonly ShownDelivery[]) => [
  ['', ' '] as const,
  ...deliveries.map(({destination, place, content, state, attempts, last_error, ...at}, index) => {
    const when = timeOrNone(at.settled_at ?? at.next_attempt_at ?? at.happened_at);
    const what = `${placed({destination, place})}: ${content}, ${state}`;
    const words = [what, counted(attempts, 'try', 'tries'), when, last_error];
    return [index === 0 ? 'Goes to' : '', listed(words)] as const;
  }),
  ...(deliveries.length === 0 ? [['Goes to', 'nobody'] as const] : []),
];

/** Lines that explain each amount, as the visitor read it, with the policy that it was calculated by. */
const whyLines = (reasons: Why | null) =>
  reasons === null
    ? [['Why', 'not known: no figures of ours are stored for these amounts'] as const]
    : [
        ...reasons.parts.map(
          ({part, amount, text}) => [names[part], `${inWords(amount)}: ${printable(text)}`] as const,
        ),
        ['Figures', `policy ${reasons.policy.version}`] as const,
      ];

/** `view`: for people. `why`: with `--why`. */
export type ShownLine = (ShownErased | (ShownLead & {deliveries: ShownDelivery[]})) & {
  view?: LeadView;
  why?: Why | null;
};

export const shownLine = z.union([
  shownErased,
  shownLead.extend({deliveries: z.array(shownDelivery), why: why.nullable().exactOptional()}),
]);

export function leadLines({view, why: reasons, ...line}: ShownLine) {
  if (!view) return [];
  if (!('deliveries' in line)) return erasedLines(view, line);
  const because = reasons === undefined ? [] : [['', ' '] as const, ...whyLines(reasons)];
  return [...linesOf(view, line), ...because, ...goesTo(line.deliveries)];
}

/** @returns `fails`: messages about parts of the lead that cannot be read */
export async function readShown(
  admin: Admin,
  named: string,
  isForPrograms: boolean,
  asksWhy = false,
): Promise<{line: ShownLine; fails: string[]}> {
  const shown = await showLead(admin, named);
  const view = isForPrograms ? {} : {view: shown.view};
  if ('erased' in shown) return {line: {...shown.erased, ...view}, fails: []};
  const {deliveries, damaged} = await deliveriesOf(admin, shown.lead.id);
  const line = {...shown.lead, deliveries, ...(asksWhy && {why: shown.why}), ...view};
  return {line, fails: damagedReplies(damaged)};
}

export const show = reads({
  words: 'leads show',
  what: 'show a lead and its deliveries, for people; with --json all that is stored about it',
  past: 'opened {it}',
  fields: {
    lead: field.argument('the id or the reference of the lead'),
    why: field.flag('also why it has these amounts: what the visitor read, by the figures of that time'),
  },
  line: shownLine,
  block: leadLines,
  async *read(admin, {lead: named, why: asksWhy}, isForPrograms) {
    const {line, fails} = await readShown(admin, named, isForPrograms, asksWhy);
    yield [line];
    return {fails};
  },
});
