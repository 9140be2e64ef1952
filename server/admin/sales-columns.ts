/** The columns of a spreadsheet for salespeople: whom to call, and whether that is allowed. */
import {parsePhoneNumberFromString} from 'libphonenumber-js/min';
import {DateTime} from 'luxon';
import {totalAmount} from '../../contract/amounts.ts';
import {formQuestionNames, questionOf} from '../../contract/questions.ts';
import type {Partner} from '../config/partners.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import type {LeadView} from '../leads/lead-view.ts';
import {resultWords} from '../leads/lead-words.ts';
import {formAnswers} from '../leads/own-answers.ts';
import type {ReadStore} from '../leads/ports.ts';
import {extensionIn} from '../leads/read-contact.ts';
import type {With} from './admin.ts';
import {viewsOf} from './lead-view.ts';
import {outcomeText} from './outcomes.ts';
import {localTime} from './words.ts';

type Cell = (view: LeadView, lead: FullLead, zone: string | undefined) => unknown;
type Column = [head: string, cell: Cell];
/** The columns of every sheet. Times have a form that spreadsheets recognise, and totals are numbers. */
const columns: Readonly<Record<string, Cell>> = {
  Received: ({createdAt}, _lead, zone) => timeCell(createdAt, zone),
  Name: (_view, {lead}) => `${lead.first_name} ${lead.last_name}`,
  Phone: (_view, {lead}) => phoneCell(lead.phone.typed, lead.phone.e164),
  'May be called': ({call}) => call?.text,
  'Time there': ({call}) => call?.there,
  State: (_view, {lead}) => lead.state,
  Language: ({consent}) => consent?.language,
  Email: (_view, {lead}) => lead.email,
  ...Object.fromEntries(
    formQuestionNames.map((asked): Column => {
      const cell: Cell = (_view, {lead}) => formAnswers(lead).find(({name}) => name === asked)?.text;
      return [questionOf(asked).label.en, cell];
    }),
  ),
  Total: ({amounts, result}) => amounts?.[totalAmount] ?? (result && resultWords[result][0]),
  'Credit score': (_view, {lead}) => ('credit_score' in lead ? lead.credit_score : undefined),
  Notes: (_view, {lead}) => lead.notes,
  'Do not sell or share': ({optOut}) => optOut && 'yes',
  Partner: ({partner}) => partner,
  Campaign: (_view, {attribution}) => attribution?.utm_campaign,
  Reference: ({reference}) => reference,
  Result: ({outcome}) => outcome && outcomeText(outcome),
};

/** With a column after the notes for each of the partners' own questions. Its head lists the wordings, if partners word it differently. */
export function salesColumns(partners: readonly Pick<Partner, 'questions'>[]): readonly Column[] {
  const labels = Map.groupBy(
    partners.flatMap(({questions}) => questions),
    ({name}) => name,
  );
  const own = [...labels].map(([name, asked]): Column => {
    const head = [...new Set(asked.map(({label}) => label['en']))].join(' / ');
    return [head, (_view, {lead}) => lead.answers?.find((each) => each.name === name)?.text];
  });
  const usual = Object.entries(columns);
  return usual.toSpliced(1 + usual.findIndex(([head]) => head === 'Notes'), 0, ...own);
}

/** @param zone the reader's time zone. Undefined for this machine's */
export const salesRows = async (
  admin: With<ReadStore, 'config'>,
  sheet: readonly Column[],
  leads: readonly FullLead[],
  zone: string | undefined,
) =>
  (await viewsOf(admin, leads)).map((view) =>
    sheet.map(([, cellOf]) => view.record && cellOf(view, view.record, zone)),
  );

const timeCell = (time: number, zone: string | undefined) =>
  zone === undefined
    ? localTime(time).slice(0, 16)
    : DateTime.fromMillis(time, {zone}).toFormat('yyyy-MM-dd HH:mm');

/**
 * Such as `(415) 555-0132` or `(+52) 55 1234 5678`. Without the parentheses, a spreadsheet would read a number that begins with a
 * plus as a formula, or drop the plus.
 */
function phoneCell(typed: string, e164: string): string {
  const number = parsePhoneNumberFromString(e164);
  const shown = e164.startsWith('+1') ? number?.formatNational() : number?.formatInternational();
  const further = extensionIn(typed);
  return `${(shown ?? e164).replace(/^\+\d+/, '($&)')}${further ? ` ext. ${further}` : ''}`;
}
