/** The ends without amounts: thanks for a standard lead, not known yet, refused. */
import {actions} from './actions.ts';
import type {Answered, Kit} from './types.ts';

export function endView(kit: Kit, end: keyof typeof marks, answered: Answered) {
  const {html, fill, words} = kit;
  const {title, text} = words[end];
  return html`
    <section class="answer end ${end}" aria-labelledby="result-title">
      <svg class="badge" part="badge" viewBox="0 0 24 24" aria-hidden="true">
        <path d=${marks[end]}></path>
      </svg>
      <h2 id="result-title" part="heading" tabindex="-1">${fill(title, {name: answered.firstName})}</h2>
      <p>${text}</p>
      ${actions(kit, answered, end === 'refused')}
    </section>
  `;
}

/** A tick, a clock's hands, an exclamation mark. */
const marks = {thanks: 'm6.5 12.5 4 4 7.5-8.5', pending: 'M12 6.5V12l3.5 2.5', refused: 'M12 6.5v7M12 17v.5'};
