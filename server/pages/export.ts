/** The export of a day of leads: a form below the list, and the file. */
import {DateTime} from 'luxon';
import {Refusal, type Job} from '../admin/admin.ts';
import {exportFormats, exportLeads, type Exporting, type Exported} from '../admin/exporting.ts';
import {html, type Html} from '../html/html.ts';
import type {LeadFilter} from '../leads/lead-filter.ts';
import {icon} from './layout.ts';
import type {Reply, Visit} from './visit.ts';

const formatWords = {sales: 'For sales', csv: 'CSV, everything', jsonl: 'JSON Lines'} as const;

/** @param partner the one that is chosen, or nothing */
export function exportForm({now}: Visit, partner = ''): Html {
  const today = now.toISODate() ?? '';
  return html`<details class="more">
    <summary>Export a day</summary>
    <form class="row" method="post" action="/leads/export">
      <label>Day <input type="date" name="day" value="${today}" max="${today}" required /></label>
      <label>Partner <input name="partner" value="${partner}" placeholder="all" maxlength="100" /></label>
      <label
        >As
        <select name="format">
          ${Object.entries(formatWords).map(([value, words]) => html`<option value="${value}">${words}</option>`)}
        </select></label
      >
      <button class="btn">${icon('down')}Export</button>
    </form>
  </details>`;
}

/** @throws Refusal if the day is none */
export function exportDay({admin, form, seen}: Visit): Promise<Reply> {
  const [day, partner, format] = ['day', 'partner', 'format'].map((name) => form.get(name) ?? '');
  const start = DateTime.fromISO(day ?? '', {zone: seen.zone}).startOf('day');
  if (!start.isValid || !/^\d{4}(-\d\d){2}$/.test(day ?? ''))
    throw new Refusal('Day must be a date, such as 2026-11-26.');
  // Where a day begins at one o'clock, because the clocks change, the next one begins at midnight.
  const nextDay = start.plus({days: 1}).startOf('day');
  const filter: LeadFilter = {
    since: start.toMillis(),
    until: nextDay.toMillis(),
    partner: partner === '-' ? null : partner || undefined,
  };
  const kind = exportFormats.find((each) => each === format) ?? 'csv';
  const job = exportLeads(admin, filter, {format: kind, forSales: format === 'sales', zone: seen.zone});
  return Promise.resolve({
    download: textsOf(job, () => admin.store.session(seen.digest, Date.now())),
    name: `leads-${start.toISODate()}.${kind}`,
    type: kind === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8',
  });
}

/** Ends when the session does: a download goes on for as long as somebody reads it. */
async function* textsOf(job: Job<Exporting, Exported>, session: () => Promise<unknown>) {
  for await (const part of job) {
    if (!(await session())) throw new Refusal('You are not signed in any more.');
    if ('text' in part) yield part.text;
  }
}
