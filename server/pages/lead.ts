/** One lead as a sheet for the person who calls: whom, when, whether, and how much, then what happened. */
import {amountParts, totalAmount, type Amounts} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {fillClass} from '../../form/styles/amount-colors.ts';
import {afterTouch} from '../../form/words/en.ts';
import {readCallSheet, type CallSheet} from '../admin/call-sheet.ts';
import {printable, visible} from '../admin/visible.ts';
import {html, type Html, type HtmlValue} from '../html/html.ts';
import type {LeadView} from '../leads/lead-view.ts';
import {answerText, formAnswers} from '../leads/own-answers.ts';
import {fieldLabels, resultWords, senderWords} from '../leads/lead-words.ts';
import {afterCall, newestOutcome} from './after-call.ts';
import {bar, capitalized, clock, date, icon, moment, money, page, state} from './layout.ts';
import {changeNamed} from '../admin/operations/changes.ts';
import {mayDo} from './changes.ts';
import {hiddenName} from './lead-table.ts';
import {seesPersons, type Reply, type Visit} from './visit.ts';

const {names} = afterTouch;

/** Words of a stranger. Written from the right, they would change the order of what stands beside them, such as a number. */
const theirs = (words: string): Html => html`<bdi>${printable(words)}</bdi>`;
const listed = (words: readonly string[]): HtmlValue =>
  words.length > 0 && words.map((each, index) => html`${index > 0 && ', '}${theirs(each)}`);

export async function leadPage(visit: Visit): Promise<Reply> {
  const {admin, query, seen} = visit;
  const sheet = await readCallSheet(admin, query['id'] ?? '', {seesPersons: seesPersons(seen)});
  const {id, reference, state: how} = sheet.view;
  const buttons = sheet.changes.flatMap((verb) => {
    const row = changeNamed(verb);
    const tone = row?.words === 'leads erase' && 'bad';
    return row && mayDo(row, seen)
      ? html`<a class="btn ${tone}" href="/leads/${id}/${verb}">${row.onLead.button}</a>`
      : [];
  });
  return page(
    {title: `Lead ${reference}`, here: '/leads'},
    visit,
    html`<div class="sheet">
      <div class="top">
        <p class="path"><a href="/leads">Leads</a> / <span class="ref">${reference}</span></p>
        ${state(how)}
      </div>
      <div class="lead">
        <div>${contentOf(sheet, visit)}</div>
        <aside>
          <h2>What happened</h2>
          ${timelineOf(id, sheet, visit)}${sheet.routes.length > 0 && routesDetails(sheet.routes)}
        </aside>
      </div>
      <p class="row">${buttons}</p>
    </div>`,
  );
}

function contentOf(sheet: CallSheet, visit: Visit): Html {
  const {view, erased} = sheet;
  const {record, unreadable, reference} = view;
  if (record) return callSheet(sheet, record, visit);
  if (unreadable !== null)
    return html`<h1>Cannot be read</h1>
      <p>${unreadable}.</p>
      <p class="q">Give back its data key, or restore a backup of it. Until then nobody can call.</p>
      ${mayCall(sheet, visit)}`;
  if (erased)
    return html`<h1>Erased</h1>
      <p>
        ${erased.erased_at !== null && html`On ${date(visit.seen, Date.parse(erased.erased_at))}. `}Nothing
        personal of it is left here${erased.kept === null ? '' : ', except the consent'}.
      </p>
      ${mayCall(sheet, visit)}${keptConsent(erased, visit)}`;
  return html`<h1>${hiddenName(reference)}</h1>
    <p>${newestOutcome(view, visit)}</p>
    <p class="q">Your role sees no personal data.</p>
    ${cameFrom(view, visit)}`;
}

function keptConsent({kept, consent_kept_until}: NonNullable<CallSheet['erased']>, {seen}: Visit) {
  if (kept === null || 'unreadable' in kept) return false;
  const until = consent_kept_until === null ? '' : `, until ${date(seen, Date.parse(consent_kept_until))}`;
  return facts([
    ['Consent of', theirs(`${kept.first_name} ${kept.last_name}`)],
    ['Telephone', theirs(kept.phone)],
    ['Kept', `with name and number${until}`],
  ]);
}

type Lead = NonNullable<LeadView['record']>['lead'];

function callSheet(sheet: CallSheet, {lead}: {lead: Lead}, visit: Visit): Html {
  const {first_name, last_name, email, notes} = lead;
  const {typed: phone, e164} = lead.phone;
  const {view} = sheet;
  const {suspicion, consent, correctedBy, call: may} = view;
  const hints = [
    ...formAnswers(lead).map(({text}) => capitalized(text)),
    consent?.language && `form in ${consent.language}`,
    may?.there && `it is ${may.there}`,
  ];
  const call = html`<a class="btn ${may?.answer === 'yes' && 'main'}" href="tel:${e164}"
    >${icon('call')}<span>Call ${theirs(phone)}</span></a
  >`;
  return html`<div class="person">
      <h1>${theirs(`${first_name} ${last_name}`)}</h1>
      ${view.outcome !== null && html`<p>${newestOutcome(view, visit)}</p>`}
      ${
        correctedBy !== null &&
        html`<p>
          <strong>Corrected:</strong> call about
          <a href="/leads/${correctedBy}">${referenceOf(correctedBy)}</a> instead.
        </p>`
      }
      ${may && !may.mayDial ? html`<strong>${theirs(phone)}</strong>` : call}
      <a class="btn" href="mailto:${encodeURIComponent(email).replace('%40', '@')}">${theirs(email)}</a>
      <p class="q s">${hints.filter(Boolean).join(' · ')}</p>
    </div>
    ${
      suspicion !== null &&
      html`<p class="may no">
        ${icon('warn')}<strong>May be from a bot</strong>
        <span
          >${capitalized(suspicion)}.${view.state.kind === 'held' && ' It is sent nowhere until somebody decides.'}</span
        >
      </p>`
    }
    ${mayCall(sheet, visit)}${afterCall(sheet, visit)}${amountsOf(sheet)}
    <section class="two">
      ${answersOf(lead)}
      <div>
        <h2>Came from</h2>
        ${cameFrom(view, visit)}
      </div>
    </section>
    ${
      notes &&
      html`<section>
        <h2>Notes</h2>
        <p class="notes">${visible(notes)}</p>
      </section>`
    }`;
}

function mayCall({view: {call, consent}, words, said: claims}: CallSheet, {seen}: Visit): Html | false {
  if (!call) return false;
  const {answer, reason, at} = call;
  const said = (what: string, time: number | null) =>
    `${capitalized(what)}${time === null ? '' : ` on ${date(seen, time)} at ${clock(seen, time)}`}`;
  const {language, version} = consent ?? {};
  const how = [language && `in ${language}`, version && `version ${version}`].filter(Boolean).join(', ');
  // A stop that is older than the consent, or younger, is another case for whoever decides.
  const isAfter =
    reason === 'stopped' && at !== null && consent?.at && (consent.at > at ? 'After' : 'Before');
  const facts = [
    `${said(call.why, at)}.`,
    reason === 'stop_undecided' && 'Decide: stop calls, or send it on.',
    isAfter && `${isAfter} that:`,
    reason !== 'no_consent' && consent && `${said(consent.text, consent.at)}${how && `, ${how}`}.`,
    answer === 'not_known' && reason !== 'unreadable' && 'Ask whoever sent the lead before you call.',
  ];
  return html`<div class="may ${answer !== 'yes' && 'no'}">
    ${icon(answer === 'yes' ? 'tick' : 'warn')}<strong>${call.words}</strong>
    <span>${facts.filter(Boolean).join(' ')}</span>
    ${
      words !== null &&
      html`<details>
        <summary>What the visitor agreed to</summary>
        <blockquote>${printable(words)}</blockquote>
        ${claims.map((sentence) => html`<p>${printable(sentence)}</p>`)}
      </details>`
    }
  </div>`;
}

function amountsOf({view: {amounts, result}, why}: CallSheet): Html {
  if (!amounts)
    return html`<section>
      <p class="q">${result !== null && resultWords[result][1]}</p>
    </section>`;
  return html`<section>
    <p class="q">Pre-qualified for, as the visitor saw it</p>
    <p class="total">${money(amounts[totalAmount])}</p>
    ${bar(amounts, 'whole')}
    <table class="one">
      <tbody>
        ${amountParts.map((part) => partRow(part, amounts))}
      </tbody>
    </table>
    ${why !== null && whyDetails(why)}
  </section>`;
}

/** What the visitor read, by the figures of that time: whoever asks why gets these words. */
const whyDetails = ({policy, parts}: NonNullable<CallSheet['why']>): Html =>
  html`<details>
    <summary>Why these amounts</summary>
    ${facts(parts.map(({part, text}) => [names[part], printable(text)]))}
    <p class="q s">By the figures of policy ${policy.version}.</p>
  </details>`;

const routesDetails = (routes: CallSheet['routes']): Html =>
  html`<details>
    <summary>Why it went there</summary>
    ${facts(
      routes.map(({to, takes, why}) => [
        printable(to),
        printable(`${takes === null ? 'Not known yet' : takes ? 'Gets it' : 'Does not get it'}: ${why}`),
      ]),
    )}
  </details>`;

const partRow = (part: (typeof amountParts)[number], amounts: Amounts): Html =>
  html`<tr>
    <th scope="row">
      <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true">
        <rect class="${fillClass(part)}" width="1" height="1" /></svg
      >${names[part]}
    </th>
    <td class="r">${amounts[part] === undefined ? '–' : money(amounts[part])}</td>
  </tr>`;

type Fact = readonly [label: string, value: HtmlValue];
const facts = (rows: readonly Fact[]): Html =>
  html`<dl class="facts">
    ${rows
      .filter(([, value]) => value)
      .map(
        ([label, value]) =>
          html`<dt>${label}</dt>
            <dd>${value}</dd>`,
      )}
  </dl>`;

/** Numbers are dollars. */
function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'number' ? money(value) : typeof value === 'string' ? visible(value) : '';
}

/** These stand elsewhere on the page. */
const otherPlaces = ['first_name', 'last_name', 'email', 'phone', 'notes'];

/** A standard lead has none. */
function answersOf(lead: Lead): Html | false {
  const values: Readonly<Record<string, unknown>> = lead;
  const answers = Object.entries(fieldLabels).filter(
    ([name]) => !otherPlaces.includes(name) && values[name] !== undefined,
  );
  const rows = [
    ...answers.map(([name, label]) => [label, inWords(values[name])] as const),
    ...(lead.answers ?? []).map((own) => [printable(own.label), theirs(answerText(own))] as const),
  ];
  return (
    rows.length > 0 &&
    html`<div>
      <h2>Answers</h2>
      ${facts(rows)}
    </div>`
  );
}

/** These have lines of their own. */
const ownLines = ['utm_source', 'utm_medium', 'utm_campaign', 'opt_out_signal'];

function cameFrom({partner, createdAt, id, record, ...view}: LeadView, visit: Visit): Html {
  const {consent, attribution, context} = record ?? {};
  const further = Object.entries(attribution ?? {}).filter(([name]) => !ownLines.includes(name));
  return facts([
    ['Partner', senderWords(partner)],
    ['Opt-out signal', view.optOut ?? ''],
    ['Page', printable(consent?.page ?? consent?.origin ?? '')],
    ['Campaign', record !== null && listed(view.campaign)],
    ...[...further, ...Object.entries(context ?? {})].map(([name, value]): Fact => [
      name.replaceAll('_', ' '),
      inWords(value),
    ]),
    ['Received', moment(visit, createdAt)],
    ['Id', html`<span class="ref">${id}</span>`],
  ]);
}

function timelineOf(id: string, {timeline}: CallSheet, visit: Visit): Html {
  const item = ({at, next, kind, title, text, send, lead, by, note}: CallSheet['timeline'][number]) =>
    html`<li class="${kind}">
      <strong>${lead === null ? title : html`<a href="/leads/${lead}">${title}</a>`}</strong>
      <span class="when"
        >${kind === 'soon' && 'since '}${moment(visit, at)}${next !== null && html`, next attempt ${moment(visit, next)}`}${by !== null && ` · ${by}`}</span
      >
      ${text !== null && html`<p>${text}</p>`} ${note !== null && html`<blockquote>${note}</blockquote>`}
      ${send !== null && seesPersons(visit.seen) && html`<a class="btn" href="/leads/${id}/retry?${String(new URLSearchParams({destination: send}))}">${kind === 'soon' ? 'Send now…' : 'Send again…'}</a>`}
    </li>`;
  return html`<ol class="timeline">
    ${timeline.map(item)}
  </ol>`;
}
