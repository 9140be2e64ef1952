/** What the table of operations lets people do on pages: one that shows what would happen, and its button, which does it. */
import {planChange, type OfOneLead} from '../admin/operations/changes.ts';
import {
  done,
  inputOf,
  planned,
  verbOf,
  type AnyChanging,
  type Given,
  type Plan,
  type Planned,
} from '../admin/operations/operation.ts';
import {progressWords, type Progress} from '../admin/operations/progress.ts';
import {ofLead, ofLists, type OfLead, type OfList} from '../admin/operations/table.ts';
import {printable} from '../admin/visible.ts';
import {html, type Html, type HtmlValue} from '../html/html.ts';
import {action, hidden, page, saying, type Place, type Said} from './layout.ts';
import {optionsToSignIn} from './passkeys.ts';
import {passkeyForm} from './sign-in.ts';
import type {Reply, Route, Seen, Visit} from './visit.ts';
import {askPasskey, useOfPasskey} from './you.ts';

export const mayDo = ({roles = []}: AnyChanging, {role}: Pick<Seen, 'role'>): boolean => roles.includes(role);

/** The name of the button, without what says that a question follows. */
const titleOf = (button: string) => button.replace('…', '');

/** Of several leads, each line begins with the reference. */
function linesOf({does}: Plan<unknown>): string[] {
  const leads = does.filter((line) => typeof line !== 'string').length;
  const capitalized = (words: string) => words.replace(/^./, (first) => first.toUpperCase());
  return does.flatMap((line) =>
    typeof line === 'string'
      ? [line]
      : line.fields.map(([name, value]) =>
          leads > 1 ? `${line.reference} ${name}: ${value}` : `${capitalized(name)}: ${value}`,
        ),
  );
}

type Shown = {
  here: Place;
  list: string;
  back: string;
  name: HtmlValue;
  heading: HtmlValue;
  title: string;
  make: string;
  isBad?: boolean | undefined;
  to: string;
  fields: Readonly<Record<string, string>>;
};

/** What a page asks for before something is done. */
const askedOf = ({asked = {}}: AnyChanging) =>
  Object.entries(asked).map(
    ([name, label]) =>
      html`<label class="field">${label} <input name="${name}" required maxlength="200" /></label>`,
  );

/** What would happen, and the button that does it. */
async function planPage(
  visit: Visit,
  row: AnyChanging,
  {plan, digest}: Planned,
  shown: Shown,
): Promise<Reply> {
  const {here, list, back, name, heading, title, make, isBad, to} = shown;
  const fields = {...shown.fields, confirm: digest};
  const tone = isBad ? 'bad' : 'main';
  const form = row.passkey
    ? passkeyForm(
        'get',
        to,
        await optionsToSignIn(visit.admin.config, useOfPasskey(visit, to)),
        make,
        fields,
        tone,
      )
    : html`<form method="post" action="${to}">
        ${hidden(fields)}${askedOf(row)}
        <p class="row"><button class="btn ${tone}">${make}</button><a class="btn" href="${back}">Back</a></p>
      </form>`;
  return page(
    {title, here},
    visit,
    html`<div class="top">
        <p class="path"><a href="${here}">${list}</a> / <a class="ref" href="${back}">${name}</a></p>
      </div>
      <div class="narrow">
        <h1>${heading}</h1>
        <ul class="does">
          ${linesOf(plan).map((line) => html`<li>${printable(line)}</li>`)}
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

/** Sentences that a page says of what was done, at most. */
const maxSaid = 3;

async function make({admin, form}: Visit, row: AnyChanging, given: Given, plan: Planned): Promise<Said> {
  const asked = Object.fromEntries(Object.keys(row.asked ?? {}).map((name) => [name, form.get(name) ?? '']));
  const input = inputOf(row, {...given, ...asked}, true);
  try {
    const agreed = row.plan && (form.get('confirm') ?? '');
    const result = await done(row, admin, input, plan, agreed, patience());
    const {said = [], remarks = [], fails = []} = row.said(result, input, admin);
    if (fails.length > 0) return {failed: fails.join('\n')};
    const more = said.length - maxSaid;
    return [
      ...(row.passkey ? remarks : []),
      ...said.slice(0, maxSaid),
      ...(more > 0 ? [`and ${more} more`] : []),
    ].join('\n');
  } catch (error) {
    if (error instanceof GoesOn) return error.message;
    throw error;
  }
}

const ofOneLead = ({query, form}: Visit): OfOneLead => ({
  lead: query['id'] ?? '',
  destination: query['destination'] ?? (form.get('destination') || undefined),
});

async function planOfLead(visit: Visit, row: OfLead): Promise<Reply> {
  const one = ofOneLead(visit);
  const {lead, reference, person, ...plan} = await planChange(visit.admin, row, one);
  const {title, make: words, isBad} = row.onLead;
  const back = `/leads/${lead}`;
  return planPage(visit, row, plan, {
    here: '/leads',
    list: 'Leads',
    back,
    name: reference,
    title: `Lead ${reference}`,
    make: words,
    isBad,
    heading: html`${title}: ${person !== null && html`<bdi>${printable(person)}</bdi>, `}${reference}`,
    to: `${back}/${verbOf(row)}`,
    fields: one.destination === undefined ? {} : {destination: one.destination},
  });
}

async function changeLead(visit: Visit, row: OfLead): Promise<Reply> {
  const one = ofOneLead(visit);
  const plan = await planChange(visit.admin, row, one);
  const given = row.onLead.input(plan.lead, one.destination);
  return saying(visit, `/leads/${encodeURIComponent(plan.lead)}`, await make(visit, row, given, plan));
}

const lists = {destinations: 'Destinations', operators: 'People'} as const;

/** @returns the path of the page that does this with the line */
export const pathOf = (row: OfList, name: string): string =>
  `/${row.onList.list}/${encodeURIComponent(name)}/${verbOf(row)}`;

async function planOfLine(visit: Visit, row: OfList): Promise<Reply> {
  const {list, button, isBad, input} = row.onList;
  const {name = ''} = visit.query;
  const given = input(name, visit.query);
  const plan = await planned(row, visit.admin, inputOf(row, given, false));
  const title = `${titleOf(button)}: ${name}`;
  const {role} = visit.query;
  return planPage(visit, row, plan, {
    here: `/${list}`,
    list: lists[list],
    back: `/${list}`,
    name,
    title,
    heading: title,
    isBad,
    make: titleOf(button),
    to: pathOf(row, name),
    fields: role === undefined ? {} : {role},
  });
}

async function changeLine(visit: Visit, row: OfList): Promise<Reply> {
  const {admin, query, form} = visit;
  const {name = ''} = query;
  const to = pathOf(row, name);
  if (row.passkey) await askPasskey(visit, useOfPasskey(visit, to));
  const given = row.onList.input(name, {...query, ...(form.get('role') && {role: form.get('role') ?? ''})});
  const plan = await planned(row, admin, inputOf(row, given, false));
  const {to: path} = saying(visit, `/${row.onList.list}`, await make(visit, row, given, plan));
  return {to: `${path}#${encodeURIComponent(name)}`};
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

const both = <Of extends AnyChanging>(
  row: Of,
  path: string,
  plan: (visit: Visit, row: Of) => Promise<Reply>,
  change: (visit: Visit, row: Of) => Promise<Reply>,
): Route[] => {
  const as = {path, roles: row.roles ?? [], action: row.words};
  const get: Route = {...as, method: 'GET', run: (visit) => plan(visit, row)};
  const post: Route = {...as, method: 'POST', run: (visit) => change(visit, row)};
  return row.plan ? [get, post] : [post];
};

/** A page for each operation that has a button. */
export const operationRoutes: readonly Route[] = [
  ...ofLead.flatMap((row) => both(row, `/leads/:id/${verbOf(row)}`, planOfLead, changeLead)),
  ...ofLists.flatMap((row) => both(row, `/${row.onList.list}/:name/${verbOf(row)}`, planOfLine, changeLine)),
];

/** Somebody new, who stands on no line yet. */
export function invitePage(visit: Visit): Promise<Reply> {
  const row = ofLists.find(({words}) => words === 'operators invite');
  if (!row) throw new Error('Nobody can be invited');
  return planOfLine(visit, row);
}
