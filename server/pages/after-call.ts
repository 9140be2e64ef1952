/** What an agent says after a call: one press saves it, and another takes it back. It all works without a script. */
import {randomUUIDv7} from 'node:crypto';
import {finish} from '../admin/admin.ts';
import {actorName} from '../admin/words.ts';
import type {CallSheet} from '../admin/call-sheet.ts';
import {inputOf, saidIn} from '../admin/operations/operation.ts';
import {note} from '../admin/operations/outcomes.ts';
import {maySayStop, outcomeText, recordOutcome, type OutcomeInput} from '../admin/outcomes.ts';
import {html, type Html} from '../html/html.ts';
import type {LeadView} from '../leads/lead-view.ts';
import {longestNote, outcomes, outcomeWords, standing} from '../leads/outcomes.ts';
import {mayDo, waiting} from './changes.ts';
import {hidden, icon, isToday, moment, saying, state} from './layout.ts';
import type {Route, Visit} from './visit.ts';

/** Such as `● Talked 9:42 AM, you`. */
export const newestOutcome = ({outcome: newest}: LeadView, visit: Visit): Html | false =>
  newest !== null &&
  html`${state({kind: outcomeWords[newest.outcome][1], words: outcomeText(newest)})}
    <span class="q s"
      >${moment(visit, newest.at)},
      ${newest.actor === visit.admin.actor ? 'you' : actorName(newest.actor)}</span
    >`;

export function afterCall({view, outcomes: entries, changes}: CallSheet, visit: Visit): Html | false {
  if (!mayDo(note, visit.seen)) return false;
  const to = `/leads/${view.id}/note`;
  const mine = standing(entries).findLast(({actor}) => actor === visit.admin.actor);
  const newest = standing(entries).findLast(({outcome}) => outcome !== null);
  const again = {id: newest?.id.split(' ')[0] ?? '', outcome: newest?.outcome ?? ''};
  // A press that comes twice has the same id, and is recorded once.
  const fresh = hidden({id: randomUUIDv7()});
  const button = (outcome: (typeof outcomes)[number]) =>
    html`<button
      class="btn"
      name="outcome"
      value="${outcome}"
      aria-pressed="${outcome === newest?.outcome ? 'true' : 'false'}"
    >
      ${outcome === newest?.outcome && icon('tick')}${outcomeWords[outcome][0]}
    </button>`;
  return html`<section class="after" id="after">
    <h2>After the call</h2>
    <form id="said" method="post" action="${to}">
      ${fresh}
      <div class="outcomes" role="group" aria-label="What came of the call">${outcomes.map(button)}</div>
    </form>
    ${
      mine
        ? html`<p class="row">
            <span class="st ok">Saved ${isToday(visit, mine.at) ? 'at' : 'on'} ${moment(visit, mine.at)}</span
            ><button class="link" form="said" name="undo" value="1">Undo</button>
          </p>`
        : html`<p class="q s">One press saves it. You can undo it.</p>`
    }
    ${
      newest?.outcome === 'funded' &&
      newest.amount === null &&
      html`<form class="row" method="post" action="${to}">
        ${fresh}${hidden({outcome: 'funded'})}
        <label class="field"
          >Amount, if you know it <input name="amount" inputmode="numeric" autocomplete="off" required
        /></label>
        <button class="btn main">Save</button>
      </form>`
    }
    ${
      maySayStop(newest?.outcome) &&
      changes.includes('revoke') &&
      html`<form class="asked" method="post" action="${to}">
        ${hidden(again)}<strong>Stop calls to this number, too?</strong>
        <p class="q s">Everybody who has the lead is told.</p>
        <p class="row"><button class="btn main" name="stop" value="1">Stop calls</button></p>
      </form>`
    }
    <label class="field"
      >Note <textarea form="said" name="text" maxlength="${longestNote}" rows="3"></textarea>
    </label>
    <p class="row">
      <button class="btn main" form="said">Save note</button
      ><span class="q s" id="count">At most ${longestNote} characters. Only those who call read it.</span>
    </p>
  </section>`;
}

const names = ['outcome', 'amount', 'text', 'stop', 'undo', 'id'] as const;

export const noteRoute: Route = {
  method: 'POST',
  path: '/leads/:id/note',
  roles: note.roles ?? [],
  action: note.words,
  async run(visit) {
    const {admin, form, query} = visit;
    const given = Object.fromEntries(
      names.flatMap((name) => {
        const value = form.get(name)?.trim();
        return value ? [[name, name === 'stop' || name === 'undo' ? true : value]] : [];
      }),
    );
    // A note beside Undo or "Stop calls" is an entry of its own: after Undo, which takes back the newest entry, but before a
    // stop, which may go on for longer than a page waits.
    const {text, ...pressed} = given;
    const alone = text === undefined ? [] : [{text, id: given['id']}];
    const inputs = (given['undo'] ? [pressed, ...alone] : given['stop'] ? [...alone, pressed] : [given]).map(
      (each) => inputOf(note, {...each, lead: query['id']}, true) as OutcomeInput,
    );
    const said = await waiting(async (report) => {
      const fails: string[] = [];
      for (const input of inputs) {
        const result = await finish(recordOutcome(admin, input), report);
        fails.push(...saidIn(note.said(result, input, admin)).fails);
      }
      return {said: 'Calls are stopped', fails};
    });
    const path = `/leads/${encodeURIComponent(query['id'] ?? '')}`;
    return given['stop'] ? saying(visit, path, said) : {to: `${path}#after`};
  },
};
