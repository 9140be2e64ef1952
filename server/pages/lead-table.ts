/** Leads in rows, the newest first. A narrow screen shows each row as two lines. */
import {totalAmount} from '../../contract/amounts.ts';
import {html, type Html, type HtmlValue} from '../html/html.ts';
import {oneLine} from '../leads/hidden-characters.ts';
import type {LeadView} from '../leads/lead-view.ts';
import {resultWords} from '../leads/lead-words.ts';
import {newestOutcome} from './after-call.ts';
import {bar, clock, date, empty, icon, moment, money, since, state} from './layout.ts';
import {choice} from './many.ts';
import {seesPersons, type Visit} from './visit.ts';

const hidden = html`<span class="sealed">${icon('lock')}<i aria-hidden="true"></i></span>`;
/** Stands in place of a name that the role does not see. */
export const hiddenName = (reference: string): Html => html`${hidden}<small class="ref">${reference}</small>`;

function visitorOf({id, reference, record, erasedAt, unreadable}: LeadView, visit: Visit, isWhole: boolean) {
  const link = (words: HtmlValue, classes = '') =>
    html`<a class="${classes}" href="/leads/${id}">${words}</a>`;
  if (erasedAt !== null) return html`${link('Erased')}<small>on ${date(visit.seen, erasedAt)}</small>`;
  if (unreadable !== null) return html`${link('Cannot be read')}<small>${unreadable}</small>`;
  if (!record) return link(hiddenName(reference));
  const {first_name, last_name, phone} = record.lead;
  const name = html`<bdi>${oneLine(`${first_name} ${last_name}`, 80)}</bdi>`;
  return html`${link(name, 'name')}${isWhole && html`<small class="wide"><bdi>${oneLine(phone.typed, 40)}</bdi></small>`}`;
}

function totalOf({amounts, result, isHidden, erasedAt}: LeadView): HtmlValue {
  if (isHidden && erasedAt === null) return html`<span class="q">sealed</span>`;
  if (amounts) return html`${money(amounts[totalAmount])}${bar(amounts, 'parts')}`;
  return result === 'to_follow' ? html`<span class="q">${resultWords.to_follow[0]}</span>` : '–';
}

/** That a lead may be called needs no words. */
const callOf = ({call}: LeadView): Html | false =>
  call !== null && call.answer !== 'yes' && html`<small>${call.words}</small>`;

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

/**
 * @param isWhole whether there is room for everything, as in the list of leads
 * @param areChosen whether all leads are chosen. Without it, none can be
 */
export function leadTable(
  rows: readonly LeadView[],
  visit: Visit,
  isWhole: boolean,
  areChosen?: boolean,
): Html {
  const isChoosing = areChosen !== undefined && seesPersons(visit.seen);
  const row = (lead: LeadView) =>
    html`<tr ${lead.erasedAt !== null && html`class="erased"`}>
      <th scope="row">
        ${isChoosing && choice(lead.id, lead.reference, areChosen)}${visitorOf(lead, visit, isWhole)}
      </th>
      <td class="came">
        ${since(visit, lead.createdAt)} ago<small
          >${isWhole ? moment(visit, lead.createdAt) : partnerWords(lead.partner)}</small
        >
      </td>
      <td class="r">${totalOf(lead)}</td>
      ${
        isWhole &&
        html`<td class="wide">
          ${partnerWords(lead.partner)}<small
            ><bdi>${oneLine(lead.campaign.join(', '), 60) || '–'}</bdi></small
          >
        </td>`
      }
      <td class="how">${state(lead.state)}${callOf(lead)}</td>
      ${isWhole && html`<td class="after">${lead.erasedAt === null && (newestOutcome(lead, visit) || 'Nobody has called')}</td>`}
      ${isWhole && html`<td class="wide ref">${lead.reference}</td>`}
    </tr>`;
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">Visitor</th>
        <th scope="col">Came</th>
        <th scope="col" class="r">Total</th>
        ${isWhole && html`<th scope="col" class="wide">Partner, campaign</th>`}
        <th scope="col" class="how">State</th>
        ${
          isWhole &&
          html`<th scope="col">Newest outcome</th>
            <th scope="col" class="wide">Reference</th>`
        }
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
