/** Who may use these pages: the list, and the way in for somebody new. */
import {listOperators, type OperatorRow} from '../admin/operators.ts';
import {ofLists} from '../admin/operations/table.ts';
import {counted} from '../admin/words.ts';
import {html, type Html} from '../html/html.ts';
import {roles} from '../leads/operators.ts';
import {buttonOf} from './changes.ts';
import {moment, page} from './layout.ts';
import type {Reply, Visit} from './visit.ts';

export async function operatorsPage(visit: Visit): Promise<Reply> {
  const rows = (await listOperators(visit.admin)).filter(({revoked_at}) => revoked_at === null);
  return page(
    {title: 'People', here: '/operators'},
    visit,
    html`<div class="top"><h1>People</h1></div>
      <table class="list">
        <thead>
          <tr>
            ${['Name', 'Role', 'Passkeys', 'Last sign-in'].map((head) => html`<th scope="col">${head}</th>`)}
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => lineOf(row, visit))}
        </tbody>
      </table>
      <h2>Somebody new</h2>
      <p class="q s">
        A viewer sees no personal data, an agent calls people, an admin may also erase and invite.
      </p>
      <form class="row" action="/operators/invite">
        <label class="field">Name <input name="name" required maxlength="64" autocomplete="off" /></label>
        <label class="field"
          >Role
          <select name="role">
            ${roles.map((role) => html`<option ${role === 'agent' && html`selected`}>${role}</option>`)}
          </select></label
        ><button class="btn main">Invite…</button>
      </form>`,
  );
}

function lineOf({name, role, passkeys, signed_in_at, invited_until}: OperatorRow, visit: Visit): Html {
  const at = (time: string) => moment(visit, Date.parse(time));
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${role}</td>
    <td>${counted(passkeys, 'passkey')}</td>
    <td>
      ${signed_in_at !== null ? at(signed_in_at) : invited_until === null ? 'never' : html`invited until ${at(invited_until)}`}
    </td>
    <td>
      <div class="row">
        ${ofLists.filter(({onList}) => onList.list === 'operators').map((row) => buttonOf(row, name))}
      </div>
    </td>
  </tr>`;
}
