/** What a visitor can do once there is an answer: the partner's next step first. */
import type {Answered, Kit} from './types.ts';

export const actions = (
  {html, nothing, words}: Kit,
  {link, change, startOver}: Answered,
  mayChange = true,
) => html`
  <div class="actions" part="actions">
    ${link ? html`<a class="main" part="button primary" href=${link.href}>${link.label}</a>` : nothing}
    ${
      mayChange
        ? html`<button class="plain" part="button" type="button" @click=${change}>${words.change}</button>`
        : nothing
    }
    <button class="quiet" part="button" type="button" @click=${startOver}>${words.startOver}</button>
  </div>
`;
