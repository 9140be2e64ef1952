/** What the table of operations lets people do on pages: for each, a page that says what would happen, and a button that does it. */
import {planChange} from '../admin/operations/changes.ts';
import {isRequired, type Field} from '../admin/operations/fields.ts';
import {
  done,
  inputOf,
  planned,
  saidIn,
  verbOf,
  type AnyChanging,
  type Planned,
} from '../admin/operations/operation.ts';
import {progressWords, type Progress} from '../admin/operations/progress.ts';
import {ofLead, ofLists, type OfLead, type OfList} from '../admin/operations/table.ts';
import {readDay} from '../admin/times.ts';
import {printable} from '../admin/visible.ts';
import {html, type Html} from '../html/html.ts';
import {action, capitalized, hidden, page, saying, type Said} from './layout.ts';
import {optionsToSignIn} from './passkeys.ts';
import {passkeyForm} from './sign-in.ts';
import type {Reply, Route, Seen, Visit} from './visit.ts';
import {askPasskey, useOfPasskey} from './you.ts';

export const mayDo = ({roles = []}: AnyChanging, {role}: Pick<Seen, 'role'>): boolean => roles.includes(role);

/** The name of the button, without what says that a question follows. */
export const titleOf = (button: string) => button.replace('…', '');

/** Of several leads, each line begins with the reference. */
function linesOf({does}: Planned['plan']): string[] {
  const leads = does.filter((line) => typeof line !== 'string').length;
  return does.flatMap((line) =>
    typeof line === 'string'
      ? [line]
      : line.fields.map(([name, value]) =>
          leads > 1 ? `${line.reference} ${name}: ${value}` : `${capitalized(name)}: ${value}`,
        ),
  );
}

const isNeeded = (field: Field | undefined) => field !== undefined && isRequired(field);

/** What a page asks for before something is done. */
const askedOf = ({asked = {}, fields}: AnyChanging) =>
  Object.entries(asked).map(([name, label]) => {
    const {choices, value} = fields[name] ?? {};
    const required = isNeeded(fields[name]) && html`required`;
    const input = choices
      ? html`<select name="${name}">
          ${choices.map((choice) => html`<option>${choice}</option>`)}
        </select>`
      : html`<input
          name="${name}"
          type="${value === 'day' ? 'date' : 'text'}"
          ${required}
          maxlength="200"
        />`;
    return html`<label class="field">${label} ${input}</label>`;
  });

/** A row with a button, and what the page says around its plan. */
type Begun = {
  row: OfLead | OfList;
  plan: Planned;
  given: object;
  here: keyof typeof lists;
  back: string;
  /** Of the lead or the line, beside the title; and of the person, which no title of a browser and no address may have. */
  name: string;
  person: string | null;
  to: string;
  carried: Readonly<Record<string, string>>;
};

const lists = {'/leads': 'Leads', '/destinations': 'Destinations', '/operators': 'People'} as const;

/** A name as a part of an address, such as O'Brien: `isLocalPath` refuses some signs that `encodeURIComponent` leaves. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()!*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** @returns the path of the page that does this with the line */
const pathOf = (row: OfList, name: string): string => `/${row.onList.list}/${encoded(name)}/${verbOf(row)}`;

/** What else stands in the address, or was sent with the form. */
const carriedIn = ({query, form}: Visit) =>
  Object.fromEntries(
    ['destination', 'role'].flatMap((name) => {
      const value = query[name] ?? form.get(name);
      return value ? [[name, value]] : [];
    }),
  );

async function beginOnLead(visit: Visit, row: OfLead): Promise<Begun> {
  const carried = carriedIn(visit);
  const {id = ''} = visit.query;
  const {lead, reference: name, person, ...plan} = await planChange(visit.admin, row, id, carried);
  const back = `/leads/${lead}`;
  const to = `${back}/${verbOf(row)}`;
  const given = row.onLead.input(lead, carried);
  return {row, plan, given, here: '/leads', back, name, person, to, carried};
}

async function beginOnList(visit: Visit, row: OfList): Promise<Begun> {
  const {name = ''} = visit.query;
  const carried = carriedIn(visit);
  const given = row.onList.input(name, carried);
  const plan = await planned(row, visit.admin, inputOf(row, given, false));
  const here = `/${row.onList.list}` as const;
  return {row, plan, given, here, back: here, name, person: null, to: pathOf(row, name), carried};
}

/** What would happen, and the button that does it. */
async function planPage(visit: Visit, begun: Begun): Promise<Reply> {
  const {row, plan, here, back, name, person, to, carried} = begun;
  const {button, make = titleOf(button), isBad} = 'onLead' in row ? row.onLead : row.onList;
  const fields = {...carried, confirm: plan.digest};
  const tone = isBad ? 'bad' : 'main';
  const options = row.passkey && (await optionsToSignIn(visit.admin.config, useOfPasskey(visit, to)));
  const form = options
    ? passkeyForm('get', to, options, make, fields, tone)
    : html`<form method="post" action="${to}">
        ${hidden(fields)}${askedOf(row)}
        <p class="row"><button class="btn ${tone}">${make}</button><a class="btn" href="${back}">Back</a></p>
      </form>`;
  return page(
    {title: `${titleOf(button)}: ${name}`, here},
    visit,
    html`<div class="top">
        <p class="path"><a href="${here}">${lists[here]}</a> / <a class="ref" href="${back}">${name}</a></p>
      </div>
      <div class="narrow">
        <h1>${titleOf(button)}: ${person !== null && html`<bdi>${printable(person)}</bdi>, `}${name}</h1>
        <ul class="does">
          ${linesOf(plan.plan).map((line) => html`<li>${printable(line)}</li>`)}
        </ul>
        ${form}
      </div>`,
  );
}

class GoesOn extends Error {}

/** Ends the wait of a page: what is left goes on by itself, or is tried again. */
function patience() {
  const words = progressWords();
  return (progress: Progress) => {
    const {goesOn} = words(progress);
    if (goesOn !== undefined) throw new GoesOn(goesOn);
  };
}

/** Waits for the work, and says what came of it. Of what takes too long for a page, it says that it goes on by itself. */
export async function waiting(
  work: (report: (progress: Progress) => void) => Promise<{said: string; fails: readonly string[]}>,
): Promise<Said> {
  try {
    const {said, fails} = await work(patience());
    return fails.length > 0 ? {failed: fails.join('\n')} : said;
  } catch (error) {
    if (error instanceof GoesOn) return error.message;
    throw error;
  }
}

/** Sentences that a page says of what was done, at most. */
const maxSaid = 3;

async function make({admin, form, now}: Visit, {row, plan, given}: Begun): Promise<Said> {
  // The operator's today may not have begun on this machine. It means now, and no day that is still to come.
  const isToday = (name: string, typed: string) =>
    row.fields[name]?.value === 'day' && typed === now.toISODate() && readDay(typed) > now.toMillis();
  const asked = Object.fromEntries(
    Object.keys(row.asked ?? {})
      .map((name) => [name, form.get(name) ?? ''] as const)
      .map(([name, typed]) => [name, isToday(name, typed) ? 'now' : typed] as const)
      .filter(([name, typed]) => typed !== '' || isNeeded(row.fields[name])),
  );
  const input = inputOf(row, {...given, ...asked}, true);
  const agreed = row.plan ? (form.get('confirm') ?? '') : undefined;
  return waiting(async (report) => {
    const result = await done(row, admin, input, plan, agreed, report);
    const {said, remarks, fails} = saidIn(row.said(result, input, admin));
    const more = said.length - maxSaid;
    const shown = [...said.slice(0, maxSaid), ...(more > 0 ? [`and ${more} more`] : [])];
    // Whoever is invited needs what is said of the link. Other remarks name commands.
    return {said: [...(row.passkey ? remarks : []), ...shown].join('\n'), fails};
  });
}

async function change(visit: Visit, begun: Begun): Promise<Reply> {
  const {row, here, back, name, to: path} = begun;
  if (row.passkey) await askPasskey(visit, useOfPasskey(visit, path));
  const {to} = saying(visit, back, await make(visit, begun));
  return {to: back === here ? `${to}#${encoded(name)}` : to};
}

/**
 * A button that leads to the plan, or does at once what has none. What it asks for is behind it.
 * @param name of the line
 */
export function buttonOf(row: OfList, name: string): Html {
  const {button, isBad} = row.onList;
  const to = pathOf(row, name);
  if (row.plan) return html`<a class="btn ${isBad && 'bad'}" href="${to}">${button}</a>`;
  if (!row.asked) return action(to, button);
  return html`<details class="ask">
    <summary class="btn">${button}</summary>
    <form method="post" action="${to}">${askedOf(row)}<button class="btn">${titleOf(button)}</button></form>
  </details>`;
}

function routesOf(row: AnyChanging, path: string, begin: (visit: Visit) => Promise<Begun>): Route[] {
  const as = {path, roles: row.roles ?? [], action: row.words};
  const get: Route = {...as, method: 'GET', run: async (visit) => planPage(visit, await begin(visit))};
  const post: Route = {...as, method: 'POST', run: async (visit) => change(visit, await begin(visit))};
  return row.plan ? [get, post] : [post];
}

/** A page for each operation that has a button. */
export const operationRoutes: readonly Route[] = [
  ...ofLead.flatMap((row) => routesOf(row, `/leads/:id/${verbOf(row)}`, (visit) => beginOnLead(visit, row))),
  ...ofLists.flatMap((row) =>
    routesOf(row, `/${row.onList.list}/:name/${verbOf(row)}`, (visit) => beginOnList(visit, row)),
  ),
];

/** Somebody new, who stands on no line yet. */
export async function invitePage(visit: Visit): Promise<Reply> {
  const row = ofLists.find(({words}) => words === 'operators invite');
  if (!row) throw new Error('Nobody can be invited');
  return planPage(visit, await beginOnList(visit, row));
}
