/** Changes of one lead: the first page shows what a change would do, and its button makes the change. */
import {changes, makeChange, planChange, type Change} from '../admin/changes.ts';
import {html} from '../html/html.ts';
import {hidden, page, saying} from './layout.ts';
import {notFound} from './replies.ts';
import {seesPersons, type Reply, type Visit} from './visit.ts';

export const changeWords: Readonly<Record<Change, string>> = {
  release: 'Send it on…',
  allow: 'Send it on…',
  send: 'Send again…',
  drop: 'Drop…',
  revoke: 'Stop calls…',
  erase: 'Erase…',
};

/** Those that only an admin may make. */
const forAdmins: readonly Change[] = ['erase'];
export const mayMake = (change: Change, {seen}: Visit) =>
  seesPersons(seen) && (seen.role === 'admin' || !forAdmins.includes(change));

function changeOf(visit: Visit) {
  const {query, form} = visit;
  const change = changes.find((each) => each === query['change']);
  if (!change || !mayMake(change, visit)) throw notFound();
  return {
    change,
    lead: query['id'] ?? '',
    destination: query['destination'] ?? (form.get('destination') || undefined),
  };
}

/** What a change would do, and the button that does it. */
export async function changePage(visit: Visit): Promise<Reply> {
  const plan = await planChange(visit.admin, changeOf(visit));
  const {change, lead, destination, title, who, does, button, needsReason, confirm} = plan;
  const fields = {confirm, ...(destination !== null && {destination})};
  return page(
    {title: `Lead ${plan.reference}`, here: '/leads'},
    visit,
    html`<div class="top">
        <p class="path">
          <a href="/leads">Leads</a> / <a class="ref" href="/leads/${lead}">${plan.reference}</a>
        </p>
      </div>
      <div class="narrow">
        <h1>${title}: ${who !== null && html`<bdi>${who}</bdi>, `}${plan.reference}</h1>
        <ul class="does">
          ${does.map((line) => html`<li>${line}</li>`)}
        </ul>
        <form method="post" action="/leads/${lead}/${change}">
          ${hidden(fields)}
          ${needsReason && html`<label class="field">Why <input name="reason" required maxlength="200" /></label>`}
          <p class="row">
            <button class="btn ${change === 'erase' || change === 'revoke' ? 'bad' : 'main'}">
              ${button}</button
            ><a class="btn" href="/leads/${lead}">Back</a>
          </p>
        </form>
      </div>`,
  );
}

export async function change(visit: Visit): Promise<Reply> {
  const {admin, form} = visit;
  const wanted = changeOf(visit);
  const [confirm, reason] = [form.get('confirm') ?? '', form.get('reason') ?? ''];
  const said = await makeChange(admin, {...wanted, confirm, reason});
  return saying(visit, `/leads/${encodeURIComponent(wanted.lead)}`, said);
}
