import {html} from 'lit';

/**
 * A text that changes while the visitor sees it. It has an element of its own, which gets all of the new text: a translator
 * puts elements in the place of each text, and Lit by itself would go on writing to the text that is gone.
 */
export const changingText = (text: string) => html`<span .textContent=${text}></span>`;
