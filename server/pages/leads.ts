/** The list of leads with its filters, and the search. */
import type {DateTime} from 'luxon';
import {leadStatuses} from '../../contract/embed.ts';
import {Refusal} from '../admin/admin.ts';
import {mostAtOnce} from '../admin/operations/changes.ts';
import {leadOf} from '../admin/lead-names.ts';
import {listPage, namePage, personPage} from '../admin/listing.ts';
import {isName} from '../admin/name-search.ts';
import {namedBy} from '../admin/persons.ts';
import {counted} from '../admin/words.ts';
import {html, type Html} from '../html/html.ts';
import type {LeadFilter} from '../leads/lead-filter.ts';
import {outcomes, outcomeWords} from '../leads/outcomes.ts';
import type {LeadView} from '../leads/lead-view.ts';
import type {Person} from '../leads/persons.ts';
import {note} from '../admin/operations/outcomes.ts';
import {mayDo} from './changes.ts';
import {exportForm} from './export.ts';
import {city, date, empty, hidden, page, search} from './layout.ts';
import {leadTable, noLeadsYet, partnerWords, whichTimes} from './lead-table.ts';
import {manyButtons, mayChoose} from './many.ts';
import {seesPersons, type Reply, type Visit} from './visit.ts';

const pageLeads = 50;
/** Seconds after which an open page asks for itself again. */
const every = 30;
/** More partners than these are typed and not chosen: their names would be most of the page. */
const mostChoices = 100;

/** The first and the last day of each, as days before today. */
const times = {
  today: ['Today', 0, 0],
  yesterday: ['Yesterday', 1, 1],
  week: ['Last 7 days', 6, 0],
  month: ['Last 30 days', 29, 0],
} as const;
type Time = keyof typeof times;
const isTime = (text = ''): text is Time => Object.hasOwn(times, text);
const isOneDay = (time: Filters['time']) => isTime(time) && times[time][1] === times[time][2];

function spanOf(time: Time, now: DateTime) {
  const [, first, last] = times[time];
  const midnight = (days: number) => now.minus({days}).startOf('day').toMillis();
  return {since: midnight(first), until: midnight(last - 1)};
}

const opens = {held: 'Held', any: 'Not delivered'} as const;
const filters = ['time', 'partner', 'state', 'campaign', 'answer', 'open', 'outcome', 'mine', 'who'] as const;
type Filters = Partial<Record<(typeof filters)[number] | 'after', string>>;

const filtersOf = ({query}: Visit): Filters =>
  Object.fromEntries(filters.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));

/** The choices of partners' own questions. Looking for one opens leads, so who sees no persons has none. */
const ownChoices = ({admin, seen}: Visit) =>
  (seesPersons(seen) ? admin.config.partners : []).flatMap(({questions}) =>
    questions.flatMap(({name, label, choices = []}) =>
      choices.map(({value, en}) => ({name, value, words: `${label['en']}: ${en}`})),
    ),
  );
const nameOfChoice = ({name, value}: {name: string; value: string}) => `${name}=${value}`;

function filterOf(
  {partner, state, campaign, answer, time, open, outcome, mine}: Filters,
  visit: Visit,
): LeadFilter {
  const choice = ownChoices(visit).find((each) => nameOfChoice(each) === answer);
  return {
    answers: choice && {[choice.name]: choice.value},
    partner: partner === '-' ? null : partner,
    status: leadStatuses.find((status) => status === state),
    campaign,
    ...(isTime(time) && spanOf(time, visit.now)),
    open: open === 'held' || open === 'any' ? open : undefined,
    outcome: outcome === 'none' ? outcome : outcomes.find((each) => each === outcome),
    actor: mine === undefined ? undefined : visit.admin.actor,
  };
}

const linkTo = (given: Filters, change: Filters = {}) =>
  `/leads?${String(
    new URLSearchParams(
      Object.entries({...given, ...change}).filter((pair): pair is [string, string] => Boolean(pair[1])),
    ),
  )}`;

const answerWords = {done: 'answered', pending: 'to follow', refused: 'refused'} as const;

/** A filter that is set, as a link that takes it away. */
const setChip = (given: Filters, name: keyof Filters, words: string) =>
  html`<a class="chip set" href="${linkTo(given, {[name]: ''})}"
    >${words}<span class="unseen"> (take this filter away)</span><span aria-hidden="true">✕</span></a
  >`;

/** A filter with a list to choose from, or a field to type in. */
function chooser(
  given: Filters,
  name: keyof Filters,
  label: string,
  options?: readonly (readonly [string, string])[],
) {
  const {[name]: set, ...others} = given;
  if (set !== undefined) return setChip(given, name, options?.find(([value]) => value === set)?.[1] ?? set);
  const field = options
    ? html`<select name="${name}" data-now aria-label="${label}">
        <option value="">${label}</option>
        ${options.map(([value, words]) => html`<option value="${value}">${words}</option>`)}
      </select>`
    : html`<input name="${name}" maxlength="200" placeholder="${label}" aria-label="${label}" />`;
  return html`<form class="chip" action="/leads">${hidden(others)}${field}<button>Go</button></form>`;
}

function chips(visit: Visit, given: Filters): Html {
  const {partners} = visit.admin.config;
  const keys = [...partners.map(({key}) => [key, key] as const), ['-', partnerWords(null)] as const];
  const timeWords = Object.entries(times).map(([value, [words]]) => [value, words] as const);
  const answers = leadStatuses.map((each) => [each, answerWords[each]] as const);
  const own = new Map(ownChoices(visit).map((each) => [nameOfChoice(each), each.words]));
  const switchOf = (name: keyof Filters, value: string, words: string) =>
    given[name] === value
      ? setChip(given, name, words)
      : html`<a class="chip" href="${linkTo(given, {[name]: value})}">${words}</a>`;
  const open = Object.entries(opens).map(([value, words]) => switchOf('open', value, words));
  const came = outcomes.map((each) => [each, outcomeWords[each][0]] as const);
  const called = html`${switchOf('outcome', 'none', 'Nobody has called')}
  ${mayDo(note, visit.seen) && switchOf('mine', '1', 'Called by me')}
  ${given.outcome !== 'none' && chooser(given, 'outcome', 'Outcome', came)}`;
  return html`<div class="chips" role="group" aria-label="Filters">
    ${given.who !== undefined && setChip(given, 'who', 'Your search')}${chooser(given, 'time', 'Time', timeWords)}
    ${chooser(given, 'partner', 'Partner', keys.length > mostChoices ? undefined : keys)}
    ${
      given.who === undefined &&
      html`${chooser(given, 'state', 'Answer', answers)} ${chooser(given, 'campaign', 'Campaign')}
      ${own.size > 0 && chooser(given, 'answer', 'Question', [...own])}${open}${called}`
    }
  </div>`;
}

export async function leadsPage(visit: Visit): Promise<Reply> {
  if (visit.query['none'] !== undefined) return leadsFrame(visit, {}, nothingFound(visit));
  const given = filtersOf(visit);
  const filter = filterOf(given, visit);
  const who = given.who === undefined ? undefined : visit.decrypt(given.who);
  if (given.who !== undefined && (!who?.startsWith('{"') || !seesPersons(visit.seen))) return {to: '/leads'};
  return who === undefined
    ? listed(visit, given, filter)
    : ofPerson(visit, given, filter, JSON.parse(who) as Searched);
}

/** Whom somebody searches, as it stands in an address. */
type Searched = Person & {name?: string};

async function listed(visit: Visit, given: Filters, filter: LeadFilter): Promise<Reply> {
  const {admin, seen, query} = visit;
  const isAll = query['all'] !== undefined && mayChoose(visit);
  const isChoosing = isAll || (query['choose'] !== undefined && mayChoose(visit));
  const limit = isAll ? mostAtOnce : pageLeads;
  const options = {limit, after: query['after'], seesPersons: seesPersons(seen)};
  const {rows, after, lookedTo} = await listPage(admin, filter, options);
  const isCounted = isOneDay(given.time) && filter.open === undefined && !filter.answers;
  const many = isCounted ? counted(await admin.store.countLeads(filter), 'lead') : 'The newest leads first';
  const further = lookedTo === undefined ? 'Older' : 'Look further back';
  const looked = lookedTo === undefined ? '' : ` Looked back to ${date(seen, lookedTo)}.`;
  return leadsFrame(
    visit,
    given,
    html`${isChoosing && manyButtons(visit, linkTo(given))}
      ${rows.length === 0 ? noLeads(given, lookedTo === undefined ? undefined : date(seen, lookedTo)) : leadTable(rows, visit, true, isChoosing ? isAll : undefined)}
      <div class="foot">
        <span>${many}; ${whichTimes(visit, city(seen))}.${looked}</span>
        ${query['after'] !== undefined && html`<a class="btn" href="${linkTo(given)}">Newest</a>`}
        ${after !== undefined && html`<a class="btn" href="${linkTo(given, {after})}">${further}</a>`}
      </div>`,
  );
}

async function ofPerson(
  visit: Visit,
  given: Filters,
  filter: LeadFilter,
  {name, ...person}: Searched,
): Promise<Reply> {
  const {admin, seen} = visit;
  const limit = pageLeads;
  if (name !== undefined) {
    const {rows, looked, lookedTo} = await namePage(admin, filter, name, {limit});
    const back = lookedTo === undefined ? '' : `, back to ${date(seen, lookedTo)}`;
    const none = 'No name begins so. Search older leads by a number, an address or a reference.';
    return found(visit, given, rows, none, `Looked at ${counted(looked, 'lead')}${back}`);
  }
  const {rows, more} = await personPage(admin, filter, person, {limit});
  const note =
    more > 0 &&
    html`<p class="asked">
      ${counted(more, 'lead was', 'leads were')} not looked at yet: this server is still preparing the search.
      Try again in a minute.
    </p>`;
  const none = 'No lead has this number or address. A number may be written in any way, with its country.';
  return found(visit, given, rows, none, `${counted(rows.length, 'lead')} of this person`, note);
}

const found = (
  visit: Visit,
  given: Filters,
  rows: readonly LeadView[],
  none: string,
  many: string,
  note: Html | false = false,
): Reply =>
  leadsFrame(
    visit,
    given,
    html`${note}${rows.length === 0 ? empty('Nobody was found', html`<p class="q">${none}</p>`) : leadTable(rows, visit, true)}
      <div class="foot">
        <span>${many}; ${whichTimes(visit, city(visit.seen))}.</span>
      </div>`,
  );

function noLeads(given: Filters, lookedTo: string | undefined): Html {
  if (Object.keys(given).length === 0) return noLeadsYet();
  return lookedTo === undefined
    ? empty('No lead fits', html`<p class="q">Take a filter away, or see <a href="/leads">all leads</a>.</p>`)
    : empty(
        'No lead fits so far',
        html`<p class="q">None since ${lookedTo}. There are older ones to look at.</p>`,
      );
}

const nothingFound = ({seen}: Visit) =>
  empty(
    'Nothing was found',
    html`<p class="q">
      ${seesPersons(seen) ? 'Search by a name, a telephone number, an e-mail address, or a reference' : 'Search by a reference'}
      such as K7QM-2XHD.
    </p>`,
  );

const leadsFrame = (visit: Visit, given: Filters, content: Html): Reply =>
  page(
    {title: 'Leads', here: '/leads', every},
    visit,
    html`<div class="top">
        <h1>Leads</h1>
        ${search(visit)}
        ${given.who === undefined && mayChoose(visit) && html`<a class="btn" href="${linkTo(given)}&choose=1">Choose</a>`}
      </div>
      ${chips(visit, given)}${content}${visit.seen.role === 'admin' && exportForm(visit, given.partner)}`,
  );

/** The reference or id of a lead, or what finds a person, goes into the address encrypted, because addresses stand in logs. */
export async function searchLeads(visit: Visit): Promise<Reply> {
  const {admin, form, encrypt, seen} = visit;
  const text = (form.get('q') ?? '').trim().slice(0, 254);
  if (text === '') return {to: '/leads'};
  try {
    const named = seesPersons(seen) ? namedBy(text) : text;
    if (typeof named !== 'string') return {to: linkTo({who: encrypt(JSON.stringify(named))})};
    return {to: `/leads/${await leadOf(admin, named)}`};
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isNamed = seesPersons(seen) && isName(text) && !text.includes('@');
    return {to: isNamed ? linkTo({who: encrypt(JSON.stringify({name: text}))}) : '/leads?none=1'};
  }
}
