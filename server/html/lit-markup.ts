/** HTML of the templates that the apply page has in common with the form (form/views/). No DOM is needed for that. */
import {nothing, type TemplateResult} from 'lit/html.js';
import {html, Html} from './html.ts';

/** Parts are for style sheets outside of the form's shadow root, and a language without a value is none. */
const leftOut = / (part="[^"]*"|lang="")/g;

export const litMarkup = ({strings, values}: TemplateResult): Html =>
  new Html(html(strings, ...values.map(markupOf)).text.replace(leftOut, ''));

function markupOf(value: unknown): Html {
  if (value instanceof Html) return value;
  if (Array.isArray(value)) return html`${value.map(markupOf)}`;
  if (typeof value === 'object' && value !== null) return litMarkup(value as TemplateResult);
  return html`${value === nothing ? undefined : (value as string | undefined)}`;
}
