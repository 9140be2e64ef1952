/** Who looked at personal data, or changed it. Nothing in it is personal. */
import {referenceOf} from '../../contract/reference.ts';
import {auditDetails, auditSentence} from '../admin/audit-words.ts';
import {printable} from '../admin/visible.ts';
import {html, type Html} from '../html/html.ts';
import type {AuditEntry} from '../leads/audit.ts';
import {isLeadId} from '../leads/lead-ids.ts';
import {empty, moment, page} from './layout.ts';
import type {Reply, Visit} from './visit.ts';

const pageEntries = 100;
const shownLeads = 3;

export async function auditPage(visit: Visit): Promise<Reply> {
  const {who, after} = visit.query;
  const entries = await visit.admin.store.auditEntries({who, after}, pageEntries);
  const older = entries.length === pageEntries ? entries.at(-1)?.id : undefined;
  const more = new URLSearchParams({
    ...(who !== undefined && {who}),
    ...(older !== undefined && {after: older}),
  });
  const table = html`<table class="list audit">
    <thead>
      <tr>
        <th scope="col">When</th>
        <th scope="col">Who did what</th>
        <th scope="col">Leads</th>
      </tr>
    </thead>
    <tbody>
      ${entries.map((entry) => rowOf(entry, visit))}
    </tbody>
  </table>`;
  return page(
    {title: 'Who looked', here: '/audit'},
    visit,
    html`<div class="top">
        <h1>Who looked</h1>
        <form class="search" action="/audit" role="search">
          <input
            name="who"
            value="${who ?? ''}"
            maxlength="100"
            aria-label="Name"
            placeholder="Name"
          /><button>Find</button>
        </form>
      </div>
      ${entries.length === 0 ? empty('Nobody', html`<p class="q">No entry fits.</p>`) : table}
      <div class="foot">
        <span>Entries are kept for two years.</span
        >${older !== undefined && html`<a class="btn" href="/audit?${String(more)}">Older</a>`}
      </div>`,
  );
}

const rowOf = (entry: AuditEntry, visit: Visit): Html => {
  const {at, leads, ids} = entry;
  return html`<tr>
    <td class="came">${moment(visit, Date.parse(at))}</td>
    <th scope="row">${printable(auditSentence(entry))}<small>${printable(auditDetails(entry))}</small></th>
    <td class="ref">
      ${leadsOf(ids)}${leads > shownLeads && html`<small>${leads.toLocaleString('en-US')} in all</small>`}
    </td>
  </tr>`;
};

const leadsOf = (ids: readonly string[]): readonly Html[] =>
  ids
    .slice(0, shownLeads)
    .map((id) => (isLeadId(id) ? html`<a href="/leads/${id}">${referenceOf(id)}</a> ` : html`${id} `));
