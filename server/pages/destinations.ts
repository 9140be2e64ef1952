/** Where leads go: a row for each destination, with how the last day went, and what can be done about what is wrong. */
import {
  readDestinationHours,
  wrongOf,
  type DestinationHours,
  type DestinationRow,
} from '../admin/destinations.ts';
import {ofLists} from '../admin/operations/table.ts';
import {routeOf} from '../config/callers.ts';
import {receiversOf} from '../config/routes.ts';
import {counted} from '../admin/words.ts';
import {html, type Html} from '../html/html.ts';
import {openStates} from '../leads/deliveries.ts';
import {withRemedy} from '../observe/causes.ts';
import {buttonOf, mayDo} from './changes.ts';
import {empty, page, since, state} from './layout.ts';
import {partnerWords} from './lead-table.ts';
import {seesPersons, type Reply, type Seen, type Visit} from './visit.ts';

const every = 15;

export async function destinationsPage(visit: Visit): Promise<Reply> {
  const [{destinations}, hours] = await Promise.all([
    visit.status(),
    readDestinationHours(visit.admin, visit.now.toMillis()),
  ]);
  const rows = destinations.toSorted(
    (one, other) => Number(one.state === 'ok') - Number(other.state === 'ok'),
  );
  const none = empty(
    'No destinations',
    html`<p class="q">Leads are stored here, and sent nowhere. The configuration names none.</p>`,
  );
  return page(
    {title: 'Destinations', here: '/destinations', every},
    visit,
    html`<div class="top">
        <h1>Destinations</h1>
        <span class="q"
          >the last 24 hours, each bar half an hour: low arrived, taller more than a minute late, tall not
          yet</span
        >
      </div>
      ${rows.length === 0 ? none : rows.map((row) => rowOf(row, hours.get(row.destination) ?? [], visit))}`,
  );
}

const stateWords: Readonly<Record<string, string>> = {ok: 'takes leads', missing: 'not configured any more'};

function rowOf(row: DestinationRow, cells: Cells, visit: Visit): Html {
  const {destination: name, type, partners, state: is, since: from, last_success_at: last} = row;
  const isWell = is === 'ok';
  const words = `${stateWords[is] ?? is}${isWell || from === null ? '' : ` for ${since(visit, Date.parse(from))}`}`;
  const named = partners.length > 5 ? [counted(partners.length, 'partner')] : partners;
  const who = [...named, ...(hasCallers(name, visit) ? [partnerWords(null)] : [])].join(', ') || 'no partner';
  return html`<section class="dest" id="${name}" aria-label="${name}">
    <div>
      <h2>${name}</h2>
      <span class="q s">${type} · ${who}</span>
    </div>
    ${strip(cells)}
    <div>
      <p>${waitingWords(row, visit)}</p>
      <p class="q s">
        ${last === null ? 'has taken nothing lately' : `last took one ${since(visit, Date.parse(last))} ago`}
      </p>
    </div>
    <div class="how">${state({kind: isWell ? 'ok' : is === 'paused' ? 'held' : 'no', words})}</div>
    ${isWell ? buttons(row, visit) : html`<div class="why"><strong>${whyOf(row, visit.seen)}</strong>${buttons(row, visit)}</div>`}
  </section>`;
}

/** Whether leads of callers of the API go there. */
const hasCallers = (name: string, {admin: {config}}: Visit) =>
  config.callers
    .map((caller) => routeOf(caller))
    .some(({answerFrom, ...route}) => answerFrom === name || receiversOf(route).includes(name));

export function waitingWords(row: DestinationRow, visit: Visit): string {
  const {waiting, oldest_created_at: oldest} = row;
  const age = oldest === null ? '' : `, the oldest for ${since(visit, Date.parse(oldest))}`;
  const stopped = openStates
    .filter((name) => name !== 'waiting' && row[name] > 0)
    .map((name) => `${row[name].toLocaleString('en-US')} ${name}`);
  const words =
    waiting === 0
      ? 'nothing waits'
      : `${waiting.toLocaleString('en-US')} wait${waiting === 1 ? 's' : ''}${age}`;
  return [words, ...stopped].join(', ');
}

/** @param seen a viewer reads no error: it may quote what somebody wrote */
export function whyOf(row: DestinationRow, seen: Pick<Seen, 'role'>): string {
  if (row.state === 'missing')
    return 'The configuration has no such destination any more, and leads wait for it.';
  const why = wrongOf(row);
  if (why && seesPersons(seen)) return withRemedy(why);
  return row.state === 'paused' ? 'Somebody has paused it.' : 'It did not take the last lead.';
}

type Cells = NonNullable<ReturnType<DestinationHours['get']>>;
const looks = {none: ['n', 3], 'in-time': ['', 14], late: ['m', 19], open: ['w', 24]} as const;

function strip(cells: Cells): Html {
  const count = (kind: keyof typeof looks) => cells.filter((each) => each === kind).length;
  const words = `Half hours of the last day with late leads: ${count('late')}; with leads that have not arrived: ${count('open')}.`;
  const rects = cells.map((kind, index) => {
    const [tone, high] = looks[kind];
    return html`<rect class="${tone}" x="${index * 10}" y="${24 - high}" width="9" height="${high}" />`;
  });
  return html`<svg
    class="strip"
    viewBox="0 0 480 24"
    preserveAspectRatio="none"
    role="img"
    aria-label="${words}"
  >
    ${rects}
  </svg>`;
}

function buttons({destination, state: is}: DestinationRow, {seen}: Visit): Html | false {
  if (is === 'missing') return false;
  const shown = ofLists.filter(
    (row) => row.onList.list === 'destinations' && mayDo(row, seen) && (row.onList.isShown?.(is) ?? true),
  );
  return html`<div class="row">${shown.map((row) => buttonOf(row, destination))}</div>`;
}
