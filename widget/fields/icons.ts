/** Drawn in the colour of the text around them; the words beside them say it all. */
import {html} from 'lit';

export const warning = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.9 3h1.8v5H7.1V4Zm0 6.2h1.8V12H7.1v-1.8Z" />
</svg>`;

export const lock = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H3v8h10V7h-1.5V4.5A3.5 3.5 0 0 0 8 1Zm2 6H6V4.5a2 2 0 1 1 4 0V7Z" />
</svg>`;
