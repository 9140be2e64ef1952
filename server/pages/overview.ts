/** The first page: what needs an operator now, and today beside a usual day. */
import {paths} from '../../contract/api.ts';
import {listPage} from '../admin/listing.ts';
import {sayFormUse, type FormUse} from '../admin/form-use.ts';
import {readOverview, type Overview} from '../admin/overview.ts';
import {rowOf} from '../admin/operations/table.ts';
import {isWell, placeOf, type Finding, type Status} from '../admin/status.ts';
import {counted} from '../admin/words.ts';
import {html, type Html} from '../html/html.ts';
import {city, clock, icon, page, search, since, state} from './layout.ts';
import {waitingWords, whyOf} from './destinations.ts';
import {leadTable, noLeadsYet, partnerWords} from './lead-table.ts';
import {seesPersons, type Reply, type Visit} from './visit.ts';

const newestShown = 6;
const partnersShown = 8;
/** Seconds after which an open page asks for itself again. */
const every = 15;

/** A destination in the words of its page, whose times are those of the operator. Commands are for who has a shell. */
function wordsOf({kind, subject, text, remedy}: Finding, {destinations}: Status, visit: Visit) {
  const row = destinations.find(({destination}) => kind === 'destination' && destination === subject);
  // An error may quote what somebody wrote, which a viewer does not read.
  const byHand =
    kind !== 'stop' || seesPersons(visit.seen) ? remedy?.replace(/, then "lead-prequal .*/, '.') : null;
  // The clock in it is that of the machine.
  const title = kind === 'suspects' ? text.replace(/ since .*, for /, ' for ') : text;
  if (!row) return {title, why: byHand?.includes('lead-prequal ') ? null : (byHand ?? null)};
  const age = row.since === null ? '' : ` for ${since(visit, Date.parse(row.since))}`;
  const what = row.state === 'missing' ? 'is not configured any more' : `has been ${row.state}${age}`;
  return {title: `${row.destination} ${what}: ${waitingWords(row, visit)}.`, why: whyOf(row, visit.seen)};
}

function need(finding: Finding, status: Status, visit: Visit): Html {
  const {level, kind, subject} = finding;
  const {title, why} = wordsOf(finding, status, visit);
  const row = status.destinations.find(({destination}) => kind === 'stopped' && destination === subject);
  const isHeld = row !== undefined && row.refused + row.failed === 0;
  const [to, words] = placeOf[isHeld ? 'held' : kind]?.(encodeURIComponent(subject ?? '')) ?? [];
  const decision = kind === 'erasure' ? 'leads erase' : 'consent allow';
  const mayDecide = rowOf(decision)?.roles?.includes(visit.seen.role);
  return html`<li class="${level}">
    ${icon('warn')}<strong>${title}</strong>${why !== null && html`<p>${why}</p>`}
    ${to !== undefined && (words !== 'Decide' || mayDecide) && html`<a class="btn" href="${to}">${words}<span class="unseen">: ${title}</span></a>`}
  </li>`;
}

function needsOf(status: Status, {lastLeadAt}: Overview, visit: Visit): Html {
  const {destinations, findings} = status;
  const last = lastLeadAt === null ? '' : ` The last lead came ${since(visit, lastLeadAt)} ago.`;
  const taking =
    destinations.length === 0
      ? 'Leads are stored here, and sent nowhere.'
      : `${counted(destinations.length, 'destination takes', 'destinations take')} leads.`;
  const well = html`<p class="well">
    ${state({kind: 'ok', words: 'All is well'})}<span class="q">${taking}${last}</span>
  </p>`;
  return html`${isWell(status) && well}
  ${
    findings.length > 0 &&
    html`<ul class="needs" aria-label="Needs somebody">
      ${findings.map((finding) => need(finding, status, visit))}
    </ul>`
  }`;
}

export async function overviewPage(visit: Visit): Promise<Reply> {
  const {admin, now, seen} = visit;
  const status = await visit.status();
  const [overview, {rows}] = await Promise.all([
    readOverview(admin, {now, status}),
    listPage(admin, {}, {limit: newestShown, seesPersons: seesPersons(seen)}),
  ]);
  const hasLeads = overview.lastLeadAt !== null;
  const main = hasLeads
    ? html`${figures(overview, visit)}
        <div class="two">
          <section>
            <div class="head">
              <h2>Newest leads</h2>
              <a href="/leads">All leads</a>
            </div>
            ${leadTable(rows, visit, false)}
          </section>
          <div>${byHour(overview, visit)}${partnerTable(overview, visit)}</div>
        </div>`
    : noLeadsYet(
        admin.config.snippetsPage &&
          html`<a class="btn main" href="${admin.config.publicUrl}${paths.snippets}">Copy the snippet</a>`,
      );
  return page(
    {title: 'Overview', here: '/', every},
    visit,
    html`<div class="top">
        <h1>${now.toFormat('cccc, MMMM d')}</h1>
        <span class="q">${clock(seen, now.toMillis())} in ${city(seen)}</span>${search(visit)}
      </div>
      ${needsOf(status, overview, visit)}${main}`,
  );
}

const figure = (label: string, value: string | number, note: string) =>
  html`<div>
    <dt>${label}</dt>
    <dd>${value} <small>${note}</small></dd>
  </div>`;

function figures({today, usual, lastLeadAt, answers, held, oldestHeldAt, stopped}: Overview, visit: Visit) {
  const asked = answers.done + answers.pending + answers.refused;
  const still = [
    answers.pending > 0 && `${answers.pending} to follow`,
    answers.refused > 0 && `${answers.refused} refused`,
  ].filter(Boolean);
  const notSent = [
    stopped > 0 && `${counted(stopped, 'lead')} refused or given up`,
    held > 0 && oldestHeldAt !== null && `the oldest for ${since(visit, oldestHeldAt)}`,
  ].filter(Boolean);
  return html`<dl class="figures">
    ${figure('Leads today', today.toLocaleString('en-US'), `${usual === 0 ? 'none' : usual.toLocaleString('en-US')} is usual by now on a ${visit.now.weekdayLong ?? 'day'}`)}
    ${figure('Last lead', lastLeadAt === null ? '–' : `${since(visit, lastLeadAt)} ago`, lastLeadAt === null ? 'none yet' : `at ${clock(visit.seen, lastLeadAt)}`)}
    ${figure('Have their answer', asked === 0 ? '–' : `${Math.round((100 * answers.done) / asked)}%`, still.join(', ') || 'none is missing')}
    ${figure(seesPersons(visit.seen) ? 'Held for you' : 'Held', held, notSent.join(', ') || 'nothing to decide')}
  </dl>`;
}

function byHour({hours}: Overview, {now}: Visit): Html {
  const [wide, high] = [20, 104];
  const most = Math.max(1, ...hours.flatMap(({today, usual}) => [today, usual]));
  const y = (value: number) => Math.round(high - (value / most) * 96);
  const peak = hours.reduce((best, {today}, hour) => (today > (hours[best]?.today ?? 0) ? hour : best), 0);
  const name = (hour: number) => now.set({hour, minute: 0}).toFormat('h a');
  const bars = hours.map(
    ({today, usual}, hour) =>
      html`${today > 0 && html`<rect class="bar" x="${hour * wide + 2}" width="${wide - 4}" y="${y(today)}" height="${high - y(today)}" rx="2"><title>${name(hour)}: ${today}</title></rect>`}${usual > 0 && html`<path class="usual" d="M${hour * wide + 1} ${y(usual)}h${wide - 2}" />`}`,
  );
  const marks = [0, 6, 12, 18].map((hour) => html`<text x="${hour * wide + 2}" y="124">${name(hour)}</text>`);
  const usualDay = now.weekdayLong ?? 'day';
  const highest = hours[peak]?.today ?? 0;
  const busiest =
    highest > 0 ? `Busiest hour: ${name(peak)}, ${counted(highest, 'lead')}` : 'No lead has come today';
  const words = `${busiest}. This hour so far: ${hours[now.hour]?.today ?? 0}; usual on a ${usualDay}: ${Math.round(hours[now.hour]?.usual ?? 0)}.`;
  return html`<section>
    <div class="head">
      <h2>Today by the hour</h2>
      <span class="q s">dashes: a usual ${usualDay}</span>
    </div>
    <svg class="chart" viewBox="0 0 480 132" role="img" aria-label="${words}">
      <line x1="0" x2="480" y1="${high}" y2="${high}" />
      ${bars}${marks}
    </svg>
    <p class="q s">${words}</p>
  </section>`;
}

/** How often the form of a partner was begun on each of 30 days, and below that how often it was sent. */
function formBars(form: FormUse): Html | false {
  const words = sayFormUse(form);
  if (words === '') return false;
  const views = form.days.map(({shown, began}) => shown + began);
  const most = Math.max(1, ...views, ...form.days.map(({sent}) => sent));
  const bar = (kind: string, index: number, times: number, title: string) => {
    const height = Math.ceil((times / most) * 24);
    return html`<rect class="${kind}" x="${index * 8}" y="${24 - height}" width="6" height="${height}"
      ><title>${title}</title></rect
    >`;
  };
  const bars = form.days.map(({day, sent}, index) => {
    const title = `${day}: ${counted(views[index] ?? 0, 'page view')}, ${sent} sent`;
    return html`${bar('v', index, views[index] ?? 0, title)}${bar('a', index, sent, title)}`;
  });
  const label = `Page views of 30 days in UTC, and below them what was sent. The most on a day: ${most}. In 7 days: ${words}`;
  return html`<small>${words}</small>
    <svg class="strip" viewBox="0 0 240 24" preserveAspectRatio="none" role="img" aria-label="${label}">
      ${bars}
    </svg>`;
}

function partnerTable({partners}: Overview, visit: Visit): Html {
  const row = ({partner, today, usual, lastLeadAt, silent, why, form}: Overview['partners'][number]) =>
    html`<tr>
      <th scope="row">
        <a href="/leads?partner=${encodeURIComponent(partner ?? '-')}">${partnerWords(partner)}</a>
        ${(silent || why !== null) && html`<small>${state({kind: 'held', words: [silent && 'silent', why].filter(Boolean).join('; ')})}</small>`}
        ${form !== null && formBars(form)}
      </th>
      <td class="r">${today}</td>
      <td class="r q">${Math.round(usual)}</td>
      <td class="r">${lastLeadAt === null ? 'never' : since(visit, lastLeadAt)}</td>
    </tr>`;
  return html`<section>
    <div class="head">
      <h2>Partners</h2>
      <span class="q s">bars: begun and sent, 30 days</span>
      ${partners.length > partnersShown && html`<span class="q s">${partnersShown} of ${partners.length}</span>`}
    </div>
    <table class="one">
      <thead>
        <tr>
          <th scope="col">Partner</th>
          <th scope="col" class="r">Today</th>
          <th scope="col" class="r">Usual</th>
          <th scope="col" class="r">Last lead</th>
        </tr>
      </thead>
      <tbody>
        ${partners
          .toSorted((one, other) => Number(other.silent) - Number(one.silent))
          .slice(0, partnersShown)
          .map(row)}
      </tbody>
    </table>
  </section>`;
}
