/** One lead as a sheet for the person who calls: whom, when, whether, and how much, then what happened. */
import {amountParts, totalAmount, type Amounts} from '../../contract/amounts.ts';
import {formOnlyFields} from '../../contract/extra-fields.ts';
import {referenceOf} from '../../contract/reference.ts';
import {fillClass} from '../../form/styles/amount-colors.ts';
import {afterTouch} from '../../form/words/en.ts';
import {lookUp} from '../../form/words/look-up.ts';
import {readCallSheet, type CallSheet} from '../admin/call-sheet.ts';
import type {ShownLead} from '../admin/leads.ts';
import {printable, visible} from '../admin/visible.ts';
import {html, type Html, type HtmlValue} from '../html/html.ts';
import {bar, clock, date, icon, moment, money, page, state} from './layout.ts';
import {changeWords, mayMake} from './changes.ts';
import {sealedName} from './lead-table.ts';
import {seesPersons, type Reply, type Visit} from './visit.ts';

const {names, labels} = afterTouch;

export async function leadPage(visit: Visit): Promise<Reply> {
  const {admin, query, seen} = visit;
  const sheet = await readCallSheet(admin, query['id'] ?? '', {seesPersons: seesPersons(seen)});
  const {id, reference} = sheet;
  const buttons = sheet.changes
    .filter((change) => mayMake(change, visit))
    .map(
      (change) =>
        html`<a class="btn ${change === 'erase' && 'bad'}" href="/leads/${id}/${change}"
          >${changeWords[change]}</a
        >`,
    );
  return {
    page: page(
      {title: `Lead ${reference}`, here: '/leads'},
      visit,
      html`<div class="sheet">
        <div class="top">
          <p class="path"><a href="/leads">Leads</a> / <span class="ref">${reference}</span></p>
          ${state(sheet.state)}
        </div>
        <div class="lead">
          <div>${contentOf(sheet, visit)}</div>
          <aside>
            <h2>What happened</h2>
            ${storyOf(sheet, visit)}
          </aside>
        </div>
        <p class="row">${buttons}</p>
      </div>`,
    ),
  };
}

function contentOf(sheet: CallSheet, visit: Visit): Html {
  const {lead, erased, unreadable, reference} = sheet;
  if (lead) return callSheet(sheet, lead, visit);
  if (unreadable !== null)
    return html`<h1>Cannot be read</h1>
      <p>${unreadable}.</p>
      <p class="q">Give back its data key, or restore a backup of it. Until then nobody can call.</p>`;
  if (erased)
    return html`<h1>Erased</h1>
      <p>
        ${erased.erased_at !== null && html`On ${date(visit.seen, Date.parse(erased.erased_at))}. `}Nothing
        personal of it is left here${erased.kept === null ? '' : ', except the consent'}.
      </p>
      ${keptConsent(erased, visit)}`;
  return html`<h1>${sealedName(reference)}</h1>
    <p class="q">Your role sees no personal data.</p>
    ${cameFrom(sheet, undefined, visit)}`;
}

function keptConsent(
  {kept, consent_kept_until}: NonNullable<CallSheet['erased']>,
  {seen}: Visit,
): Html | false {
  if (kept === null || 'unreadable' in kept) return false;
  const until = consent_kept_until === null ? '' : `, until ${date(seen, Date.parse(consent_kept_until))}`;
  return facts([
    ['Consent of', printable(`${kept.first_name} ${kept.last_name}`)],
    ['Telephone', printable(kept.phone)],
    ['Kept', `with name and number${until}`],
  ]);
}

/** Hours of the day between which many states allow calls, by the clock of whoever is called. */
const [callsFrom, callsUntil] = [8, 20];

/** Whether somebody with this consent may be called, and at this moment. */
function callingOf({consent, lead}: CallSheet, {now}: Visit): keyof typeof callingWords {
  if (consent?.askedAt) return 'yet';
  if (consent?.mayCall === false) return 'no';
  if (!consent || consent.mayCall === null) return 'ask';
  const hours = (lead?.time_zones ?? []).map((zone) => now.setZone(zone).hour);
  return hours.some((hour) => hour < callsFrom || hour >= callsUntil) ? 'later' : 'yes';
}

function callSheet(sheet: CallSheet, shown: ShownLead, visit: Visit): Html {
  const {phone, phone_e164: e164, email, call_time: when, notes} = shown.lead;
  const {suspicion, consent} = sheet;
  const calling = callingOf(sheet, visit);
  const hints = [
    (lookUp(formOnlyFields.call_time.inMails, when) ?? when)?.replace(/^./, (first) => first.toUpperCase()),
    consent?.language && `form in ${consent.language}`,
    sheet.timeThere === null ? undefined : `it is ${sheet.timeThere}`,
  ];
  const call = html`<a class="btn ${calling === 'yes' && 'main'}" href="tel:${e164}"
    >${icon('call')}Call ${printable(phone)}</a
  >`;
  const {correctedBy} = sheet;
  return html`<div class="person">
      <h1>${printable(`${shown.lead.first_name} ${shown.lead.last_name}`)}</h1>
      ${
        correctedBy !== null &&
        html`<p>
          <strong>Corrected:</strong> call about
          <a href="/leads/${correctedBy}">${referenceOf(correctedBy)}</a> instead.
        </p>`
      }
      ${calling === 'no' || calling === 'yet' ? html`<strong>${printable(phone)}</strong>` : call}
      <a class="btn" href="mailto:${encodeURIComponent(email).replace('%40', '@')}">${printable(email)}</a>
      <p class="q s">${hints.filter(Boolean).join(' · ')}</p>
    </div>
    ${
      suspicion !== null &&
      html`<p class="may no">
        ${icon('warn')}<strong>May be from a bot</strong>
        <span
          >${suspicion.replace(/^./, (first) => first.toUpperCase())}.${sheet.state.kind === 'held' && ' It is sent nowhere until somebody decides.'}</span
        >
      </p>`
    }
    ${mayCall(sheet, calling, visit)}${amountsOf(sheet)}
    <section class="two">
      ${answersOf(shown)}
      <div>
        <h2>Came from</h2>
        ${cameFrom(sheet, shown, visit)}
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

const callingWords = {
  no: 'Do not call',
  yet: 'Do not call yet',
  ask: 'Not known whether you may call',
  later: 'May be called, but not now',
  yes: 'May be called',
} as const;

function mayCall(sheet: CallSheet, calling: keyof typeof callingWords, {seen}: Visit): Html {
  const {consent} = sheet;
  const said = (what: string, at: number | null) =>
    at === null ? what : `${what} on ${date(seen, at)} at ${clock(seen, at)}`;
  const {language, version, words = null} = consent ?? {};
  const how = [language && `in ${language}`, version && `version ${version}`].filter(Boolean).join(', ');
  const {stoppedAt = null, askedAt = null, mailboxStoppedAt = null, at = null} = consent ?? {};
  const stopped = stoppedAt !== null && said('Somebody with this number said stop', stoppedAt);
  const facts = [
    askedAt !== null &&
      `${said('Somebody with another address asked to stop this number', askedAt)}. Decide: stop calls, or send it on.`,
    mailboxStoppedAt !== null &&
      `${said('Somebody with this e-mail address said stop', mailboxStoppedAt)}, for another number.`,
    stopped && `${stopped}. ${at !== null && at > stoppedAt ? 'After' : 'Before'} that:`,
    consent && `${said(consent.text, at)}${how && `, ${how}`}.`,
    calling === 'ask' && 'Ask whoever sent the lead before you call.',
    calling === 'later' &&
      `It is ${sheet.timeThere}. Many states forbid calls before 8 AM and after 8 PM there.`,
  ];
  return html`<div class="may ${calling !== 'yes' && 'no'}">
    ${icon(calling === 'yes' ? 'tick' : 'warn')}<strong>${callingWords[calling]}</strong>
    <span>${facts.filter(Boolean).join(' ')}</span>
    ${
      words !== null &&
      html`<details>
        <summary>What the visitor agreed to</summary>
        <blockquote>${printable(words)}</blockquote>
      </details>`
    }
  </div>`;
}

function amountsOf({amounts, lead}: CallSheet): Html {
  if (!amounts) {
    const isPending = lead?.answer?.status === 'pending';
    return html`<section>
      <p class="q">
        ${isPending ? 'The amounts are to follow.' : lead?.answer?.status === 'refused' ? 'This lead was refused, so it has no amounts.' : 'A standard lead, without amounts.'}
      </p>
    </section>`;
  }
  return html`<section>
    <p class="q">Pre-qualified for, as the visitor saw it</p>
    <p class="total">${money(amounts[totalAmount])}</p>
    ${bar(amounts, 'whole')}
    <table class="one">
      <tbody>
        ${amountParts.map((part) => partRow(part, amounts))}
      </tbody>
    </table>
  </section>`;
}

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
      .filter(([, value]) => value !== undefined && value !== '')
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

const otherPlaces = [
  'lead_type',
  'first_name',
  'last_name',
  'email',
  'phone',
  'phone_e164',
  'call_time',
  'notes',
];

/** A standard lead has none. */
function answersOf({lead}: ShownLead): Html | false {
  const answers = Object.entries(lead).filter(([name]) => !otherPlaces.includes(name));
  return (
    answers.length > 0 &&
    html`<div>
      <h2>Answers</h2>
      ${facts(answers.map(([name, value]) => [lookUp(labels, name) ?? name, inWords(value)]))}
    </div>`
  );
}

function cameFrom({partner, createdAt, id}: CallSheet, shown: ShownLead | undefined, visit: Visit): Html {
  const {consent, attribution = {}, context = {}} = shown ?? {};
  const campaign = ['utm_source', 'utm_medium', 'utm_campaign'] as const;
  const further = Object.entries(attribution).filter(([name]) => !campaign.some((each) => each === name));
  return facts([
    ['Partner', partner ?? 'a caller of the API'],
    ['Page', printable(consent?.page ?? consent?.origin ?? '')],
    ['Campaign', printable(campaign.flatMap((name) => shown?.attribution[name] ?? []).join(', '))],
    ...[...further, ...Object.entries(context)].map(([name, value]): Fact => [
      name.replaceAll('_', ' '),
      inWords(value),
    ]),
    ['Received', moment(visit, createdAt)],
    ['Id', html`<span class="ref">${id}</span>`],
  ]);
}

function storyOf({id, story}: CallSheet, visit: Visit): Html {
  const item = ({at, next, kind, title, text, send, lead}: CallSheet['story'][number]) =>
    html`<li class="${kind}">
      <strong>${lead === null ? title : html`<a href="/leads/${lead}">${title}</a>`}</strong>
      <span class="when"
        >${kind === 'soon' && 'since '}${moment(visit, at)}${next !== null && html`, next attempt ${moment(visit, next)}`}</span
      >
      ${text !== null && html`<p>${text}</p>`}
      ${send !== null && mayMake('send', visit) && html`<a class="btn" href="/leads/${id}/send?${String(new URLSearchParams({destination: send}))}">${kind === 'soon' ? 'Send now…' : 'Send again…'}</a>`}
    </li>`;
  return html`<ol class="story">
    ${story.map(item)}
  </ol>`;
}
