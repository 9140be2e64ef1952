/** What is done with many leads of the list at once: one plan for all of them, and a button that does it. */
import {doMany, mostAtOnce, ofMany, planMany} from '../admin/operations/changes.ts';
import {verbOf} from '../admin/operations/operation.ts';
import {printable} from '../admin/visible.ts';
import {counted, maxOthers} from '../admin/words.ts';
import {html, type Html} from '../html/html.ts';
import {mayDo, titleOf, waiting} from './changes.ts';
import {capitalized, hidden, page, saying} from './layout.ts';
import type {Reply, Route, Visit} from './visit.ts';

const form = 'many';

/** What chooses a lead in the list. */
export const choice = (id: string, reference: string, isChosen: boolean): Html =>
  html`<input
    class="choice"
    type="checkbox"
    name="lead"
    value="${id}"
    form="${form}"
    aria-label="Choose ${reference}"
    ${isChosen && 'checked'}
  />`;

export const mayChoose = ({seen}: Visit): boolean => ofMany.some((row) => mayDo(row, seen));

/** The buttons above a list in which leads are chosen. @param list its address */
export function manyButtons({seen}: Visit, list: string): Html {
  const rows = ofMany.filter((row) => mayDo(row, seen));
  return html`<form class="row many" id="${form}" method="post">
    <a class="btn" href="${list}&all=1">Choose all</a>
    ${rows.map(
      (row) =>
        html`<button class="btn ${row.onLead.isBad && 'bad'}" formaction="/leads/many/${verbOf(row)}">
          ${row.onLead.button}
        </button>`,
    )}
    <a class="btn" href="${list}">Back</a>
  </form>`;
}

async function change(visit: Visit, row: (typeof ofMany)[number]): Promise<Reply> {
  const {admin, form: sent} = visit;
  const leads = [...new Set(sent.getAll('lead'))].slice(0, mostAtOnce);
  const {button, make = titleOf(button), isBad} = row.onLead;
  const back = '/leads';
  if (leads.length === 0) return saying(visit, back, {failed: 'No lead was chosen.'});
  const plan = await planMany(admin, row, leads);
  const agreed = sent.get('confirm');
  if (agreed !== null)
    return saying(visit, back, await waiting((report) => doMany(admin, row, plan, agreed, report)));
  const title = `${titleOf(button)}: ${counted(plan.leads.length, 'lead')}`;
  const more = plan.leads.length - maxOthers;
  return page(
    {title, here: '/leads'},
    visit,
    html`<div class="top">
        <p class="path"><a href="/leads">Leads</a></p>
      </div>
      <div class="narrow">
        <h1>${title}</h1>
        <ul class="does">
          ${plan.leads.slice(0, maxOthers).map(({reference, person, does}) => html`<li><span class="ref">${reference}</span> <bdi>${printable(person ?? '')}</bdi><br />${printable(does)}</li>`)}
          ${plan.questions.map((question) => html`<li>${capitalized(printable(question))}.</li>`)}
          ${more > 0 && html`<li>and ${counted(more, 'more lead')}</li>`}
          ${plan.left > 0 && html`<li>Left out: ${counted(plan.left, 'lead')}. ${row.onLead.cannot}</li>`}
        </ul>
        <form method="post" action="/leads/many/${verbOf(row)}">
          ${leads.flatMap((lead) => hidden({lead}))}${hidden({confirm: plan.digest})}
          <p class="row">
            <button class="btn ${isBad ? 'bad' : 'main'}">${make}</button
            ><a class="btn" href="${back}">Back</a>
          </p>
        </form>
      </div>`,
  );
}

export const manyRoutes: readonly Route[] = ofMany.map((row) => ({
  method: 'POST',
  path: `/leads/many/${verbOf(row)}`,
  roles: row.roles ?? [],
  action: row.words,
  run: (visit) => change(visit, row),
}));
