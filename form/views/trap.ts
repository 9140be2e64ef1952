/** A field that people do not see: a value in it comes from a bot, or from a browser that fills in fields (see answer.ts). */
import {html} from 'lit/html.js';

/** Password managers leave it alone. */
export const trap = html`<div class="unseen" aria-hidden="true">
  <input
    name="website"
    type="text"
    tabindex="-1"
    autocomplete="off"
    data-1p-ignore
    data-bwignore
    data-lpignore="true"
    data-form-type="other"
  />
</div>`;
