/** Who asks for the contact data: a box that the form and the apply page have in common, as a template of Lit (see answer.ts). */
import {html, nothing, type TemplateResult} from 'lit/html.js';
import type {AboutPartner} from '../../contract/embed.ts';

export const partnerView = ({logo, lines}: AboutPartner): TemplateResult =>
  html`<div class="partner" part="partner">
    <slot name="logo">${logo ? html`<img src="${logo}" alt="" />` : nothing}</slot>
    ${lines.map(
      ({name, text, lang, link}) =>
        html`<p id="about-${name}" part="${name}" lang="${lang ?? nothing}">
          ${text} ${link ? html`<a href="${link.href}">${link.text}</a>` : nothing}
        </p>`,
    )}
  </div>`;
