/** The boxes that stand out in the form: the summary of errors, and the notice that something did not work. */
import {html, nothing, type TemplateResult} from 'lit';

/** An icon in the colour of the text around it. Screen readers skip it, because the text beside it says the same. */
export const warning = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.9 3h1.8v5H7.1V4Zm0 6.2h1.8V12H7.1v-1.8Z" />
</svg>`;

/** A failure in words that a visitor understands. */
export type Notice = {readonly title: string; readonly text: string};

/** @param link is shown after the text */
export const noticeView = ({title, text}: Notice, link: unknown = nothing) =>
  alertView('notice', title, html`<p>${text} ${link}</p>`);

/** A box that gets the focus when it appears, so that screen readers read it. Only one is shown at a time. */
export const alertView = (part: 'summary' | 'notice', title: string, content: TemplateResult) => html`
  <div class="alert" part=${part} role="group" aria-labelledby="alert-title" tabindex="-1">
    ${warning}
    <div>
      <p class="alert-title" id="alert-title">${title}</p>
      ${content}
    </div>
  </div>
`;
