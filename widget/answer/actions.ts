/** What a visitor can do once there is an answer: the partner's next step first. */
import {en} from './strings-en.ts';
import type {Answered, Kit} from './types.ts';

export const actions = ({html, nothing}: Kit, {link, change, startOver}: Answered, mayChange = true) => html`
  <div class="actions">
    ${link ? html`<a class="main" part="button primary" href=${link.href}>${link.label}</a>` : nothing}
    ${
      mayChange
        ? html`<button class="plain" part="button" type="button" @click=${change}>${en.change}</button>`
        : nothing
    }
    <button class="quiet" part="button" type="button" @click=${startOver}>${en.startOver}</button>
  </div>
`;
