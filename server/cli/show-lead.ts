/** How `lead-prequal leads show` prints a lead for people: whom to call, the amounts, the answers, then the rest. */
import {amountParts, totalAmount} from '../../contract/amounts.ts';
import {formOnlyFields} from '../../contract/extra-fields.ts';
import {referenceOf} from '../../contract/reference.ts';
import {formatMoney} from '../../form/format-money.ts';
import {afterTouch} from '../../form/words/en.ts';
import {lookUp} from '../../form/words/look-up.ts';
import type {ShownDelivery} from '../admin/deliveries.ts';
import type {ShownErased} from '../admin/erasing.ts';
import type {ShownLead} from '../admin/leads.ts';
import {counted, maxOthers, placed, timeZone} from '../admin/words.ts';
import type {LeadView} from '../leads/lead-view.ts';
import {agreedWords, resultWords, senderWords} from '../leads/lead-words.ts';
import {lineColumns, minuteOrNone, printTable, timeOrNone, type Run} from './output.ts';
import {afterwardsLines} from './revoke.ts';

const {names, labels} = afterTouch;

type Value = string | number | boolean | null | undefined;
type Line = readonly [name: string, value: Value];
const emptyLine: Line = ['', ' '];

/** Numbers are dollars. */
function inWords(value: Value): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? formatMoney(value, 'en-US') : (value ?? '');
}

const listed = (values: readonly Value[]) => values.filter(Boolean).join(', ');
/** The newest ones, and how many there are besides: `--json` has all. */
const referencesOf = (ids: readonly (string | null | undefined)[] = []) =>
  listed([
    ...ids.slice(-maxOthers).map((id) => id && referenceOf(id)),
    ids.length > maxOthers && `and ${counted(ids.length - maxOthers, 'earlier lead')}`,
  ]);

/** A lead, or what is left of an erased one. */
type Shown = Omit<ShownErased, 'kept' | 'erased_at' | 'consent_kept_until'> &
  Partial<Omit<ShownLead, 'lead' | 'created_at'>> & {lead: Partial<ShownLead['lead']>};

/** Prints what there is. Many facts are for programs alone, which have `--json`. */
export function printLead({printFields}: Run, view: LeadView, shown: Shown, more: readonly Line[] = []) {
  const {consent, cid} = shown;
  const {amounts, result, call} = view;
  const {lead_type, first_name, last_name, email, phone, phone_e164, call_time, ...answers} = shown.lead;
  const parts = amountParts.filter((part) => amounts?.[part]);
  const lines: Line[] = [
    ['Name', first_name && `${first_name} ${last_name}`],
    [labels.phone, listed([...new Set([phone, phone_e164])])],
    [labels.call_time, lookUp(formOnlyFields.call_time.inMails, call_time) ?? call_time],
    ['May be called', call?.text],
    ['Time there now', call?.there],
    [labels.email, email],
    ['Total', amounts?.[totalAmount] ?? (result && resultWords[result][0])],
    ['Made up of', listed(parts.map((part) => `${names[part]} ${inWords(amounts?.[part])}`))],
    ['Type', lead_type === 'standard' ? lead_type : null],
    emptyLine,
    ...Object.entries(answers).map(([name, value]): Line => [lookUp(labels, name) ?? name, value]),
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
    ['How agreed', consent && agreedWords(consent)],
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
  const fields = lines
    .filter(([, value]) => (value ?? '') !== '')
    .filter((line, index, all) => line !== emptyLine || (index > 0 && all[index - 1] !== emptyLine))
    .map(([name, value]) => [name, inWords(value)] as const);
  return printFields(fields, lineColumns);
}

export function printErased(run: Run, view: LeadView, {kept, ...erased}: ShownErased) {
  const {consent, ...lead} = kept && 'consent' in kept ? kept : {consent: undefined};
  return printLead(run, view, {...erased, lead, ...(consent && {consent})}, [
    ['Erased', timeOrNone(erased.erased_at)],
    ['Consent until', timeOrNone(erased.consent_kept_until)],
    ['Consent', kept && 'unreadable' in kept ? `cannot be read: ${kept.unreadable}` : null],
  ]);
}

const deliveriesHead = ['destination', 'content', 'state', 'tries', 'when', 'what went wrong'];

/** A line each: `deliveries show` says more. */
export async function printDeliveries(run: Run, deliveries: readonly ShownDelivery[]) {
  if (deliveries.length === 0) return run.say('This lead has no deliveries.');
  const rows = deliveries.map(({destination, place, content, state, attempts, last_error, ...at}) => [
    ...[placed({destination, place}), content, state, attempts],
    minuteOrNone(at.settled_at ?? at.next_attempt_at ?? at.happened_at),
    last_error ?? '',
  ]);
  await run.write('\n');
  await printTable(run, deliveriesHead, rows, undefined, lineColumns);
}
