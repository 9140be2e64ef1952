/** What a salesperson reads of a lead in a spreadsheet: whom to call, and whether. */
import {parsePhoneNumberFromString} from 'libphonenumber-js/min';
import {DateTime} from 'luxon';
import {totalAmount} from '../../contract/amounts.ts';
import {formOnlyFields} from '../../contract/extra-fields.ts';
import {extension} from '../../contract/phone.ts';
import {lookUp} from '../../form/words/look-up.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import type {MayCall} from '../leads/may-call.ts';
import type {Admin} from './admin.ts';
import {amountsForPeople, type LeadDetails} from './lead-details.ts';
import {callsOf, callWords} from './lead-view.ts';
import {localTime} from './words.ts';

/** `zone`: of whoever reads it. Undefined for that of this machine */
type Sales = {config: Admin['config']; zone: string | undefined; call: MayCall | undefined};

/** The time is one for a spreadsheet, and the total a number, as the form showed it. */
const columns: Readonly<Record<string, (lead: LeadDetails, sales: Sales) => unknown>> = {
  Received: ({created_at}, {zone}) => timeCell(Date.parse(created_at), zone),
  Name: ({lead}) => `${lead.first_name} ${lead.last_name}`,
  Phone: ({lead}) => phoneCell(lead.phone, lead.phone_e164),
  'May be called': (_lead, {call}) => call && callWords(call),
  'Time there': (_lead, {call}) => call?.there,
  State: ({lead}) => lead.state,
  Language: ({consent}) => consent?.text_language,
  Email: ({lead}) => lead.email,
  'When to call': ({lead: {call_time}}) => lookUp(formOnlyFields.call_time.inMails, call_time) ?? call_time,
  Total: (lead, {config}) =>
    amountsForPeople(lead, config)?.[totalAmount] ?? lead.answer?.status.replace('done', ''),
  'Credit score': ({lead}) => lead.credit_score,
  Notes: ({lead}) => lead.notes,
  'Do not sell or share': ({opt_out_signal}) => (opt_out_signal ? 'yes' : ''),
  Partner: ({partner}) => partner,
  Campaign: ({attribution}) => attribution.utm_campaign,
  Reference: ({reference}) => reference,
  Result: () => '',
};
export const salesColumns = Object.keys(columns);

/** @returns what makes the cells of a row */
export async function salesCells(
  admin: Admin,
  leads: readonly FullLead[],
  zone: string | undefined,
): Promise<(lead: LeadDetails) => unknown[]> {
  const calls = await callsOf(admin, leads);
  return (lead) => {
    const sales = {config: admin.config, zone, call: calls.get(lead.id)};
    return Object.values(columns).map((valueOf) => valueOf(lead, sales));
  };
}

const timeCell = (time: number, zone: string | undefined) =>
  zone === undefined
    ? localTime(time).slice(0, 16)
    : DateTime.fromMillis(time, {zone}).toFormat('yyyy-MM-dd HH:mm');

/**
 * Such as `(415) 555-0132` or `(+52) 55 1234 5678`. A spreadsheet would take a number that begins with a plus for a
 * formula, or for a number without it.
 */
function phoneCell(typed: string, e164: string): string {
  const number = parsePhoneNumberFromString(e164);
  const shown = e164.startsWith('+1') ? number?.formatNational() : number?.formatInternational();
  const further = /\d+(?=\D*$)/.exec(extension.exec(typed)?.[0] ?? '');
  return `${(shown ?? e164).replace(/^\+\d+/, '($&)')}${further ? ` ext. ${further[0]}` : ''}`;
}
