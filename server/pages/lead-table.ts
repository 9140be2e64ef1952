/** Leads in rows, the newest first. A narrow screen shows each row as two lines. */
import {totalAmount} from '../../contract/amounts.ts';
import type {ListedRow} from '../admin/listing.ts';
import {html, type Html, type HtmlValue} from '../html/html.ts';
import {callAnswerWords} from '../leads/may-call.ts';
import {bar, clock, date, empty, icon, moment, money, since, state} from './layout.ts';
import {seesPersons, type Visit} from './visit.ts';

const sealed = html`<span class="sealed">${icon('lock')}<i aria-hidden="true"></i></span>`;
/** Stands in place of a name that the role does not see. */
export const sealedName = (reference: string): Html => html`${sealed}<small class="ref">${reference}</small>`;

function visitorOf(
  {id, reference, person, erasedAt, unreadable}: ListedRow,
  visit: Visit,
  isWhole: boolean,
): Html {
  const link = (words: HtmlValue, look = '') => html`<a class="${look}" href="/leads/${id}">${words}</a>`;
  if (erasedAt !== null) return html`${link('Erased')}<small>on ${date(visit.seen, erasedAt)}</small>`;
  if (unreadable !== null) return html`${link('Cannot be read')}<small>${unreadable}</small>`;
  if (!person) return link(sealedName(reference));
  return html`${link(html`<bdi>${person.name}</bdi>`, 'name')}${isWhole && html`<small class="wide"><bdi>${person.phone}</bdi></small>`}`;
}

function totalOf({person, erasedAt, unreadable}: ListedRow, {seen}: Visit): HtmlValue {
  if (erasedAt !== null || unreadable !== null) return '–';
  if (!person) return seesPersons(seen) ? '–' : html`<span class="q">sealed</span>`;
  if (person.amounts) return html`${money(person.amounts[totalAmount])}${bar(person.amounts, 'parts')}`;
  return person.pending ? html`<span class="q">to follow</span>` : '–';
}

/** That a lead may be called needs no words. */
const callOf = ({call}: ListedRow): Html | false =>
  call !== null && call.answer !== 'yes' && html`<small>${callAnswerWords[call.answer]}</small>`;

/** @param more below it */
export const noLeadsYet = (more: Html | false = false): Html =>
  empty(
    'No leads yet',
    html`<p class="q">
        The form takes them from the pages that are listed. Fill it in on one of them, and the lead stands
        here within a second.
      </p>
      ${more}`,
  );

/** A lead without a partner came over the API. */
export const partnerWords = (partner: string | null): string => partner ?? 'API callers';

/** @param isWhole whether there is room for everything, as in the list of leads */
export function leadTable(rows: readonly ListedRow[], visit: Visit, isWhole: boolean): Html {
  const row = (lead: ListedRow) =>
    html`<tr ${lead.erasedAt !== null && html`class="erased"`}>
      <th scope="row">${visitorOf(lead, visit, isWhole)}</th>
      <td class="came">
        ${since(visit, lead.createdAt)} ago<small
          >${isWhole ? moment(visit, lead.createdAt) : partnerWords(lead.partner)}</small
        >
      </td>
      <td class="r">${totalOf(lead, visit)}</td>
      ${
        isWhole &&
        html`<td class="wide">${lead.person?.credit ?? ''}</td>
          <td class="wide">
            ${partnerWords(lead.partner)}<small><bdi>${lead.campaign ?? '–'}</bdi></small>
          </td>`
      }
      <td class="how">${state(lead.state)}${callOf(lead)}</td>
      ${isWhole && html`<td class="wide ref">${lead.reference}</td>`}
    </tr>`;
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">Visitor</th>
        <th scope="col">Came</th>
        <th scope="col" class="r">Total</th>
        ${
          isWhole &&
          html`<th scope="col" class="wide">Credit</th>
            <th scope="col" class="wide">Partner, campaign</th>`
        }
        <th scope="col" class="how">State</th>
        ${isWhole && html`<th scope="col" class="wide">Reference</th>`}
      </tr>
    </thead>
    <tbody>
      ${rows.map(row)}
    </tbody>
  </table>`;
}

/** Such as `times are those of Denver, where it is 11:44 AM`. */
export const whichTimes = ({seen, now}: Visit, cityName: string): string =>
  `times are those of ${cityName}, where it is ${clock(seen, now.toMillis())}`;
