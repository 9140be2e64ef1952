/** A text input with its label, help and error, which are connected for assistive technology. */
import {html, nothing, type TemplateResult} from 'lit';
import type {FieldKind} from '../../contract/fields.ts';
import {fieldTable, type FieldName} from '../../form/pages.ts';
import type {WordsSoFar} from '../../form/words/words.ts';

/** What is known of a field once the visitor has touched the form. */
export type FieldState = {
  /** As the visitor typed it, or as `tidy` rewrote it. */
  readonly value?: string | undefined;
  /** The error of the field, as `errorText` renders it. */
  readonly error?: TemplateResult | undefined;
  /** What stands below the input, such as a suggestion. */
  readonly below?: TemplateResult | undefined;
};

/**
 * The keyboard that a phone shows, which is also the input's type. These fields hold no prose, so they are written from
 * left to right in every language.
 */
const keyboards: {readonly [Kind in FieldKind]?: string} = {email: 'email', phone: 'tel'};

/** One template for the whole field, because each further template costs a phone 2 ms when it is first rendered. */
export function textField(name: FieldName, words: WordsSoFar, {value = '', error, below}: FieldState = {}) {
  const {kind, autocomplete, required} = fieldTable[name];
  const keyboard = keyboards[kind];
  return html`
    <div class="field ${kind}" part="field" data-field=${name}>
      <label for=${name} part="label">${labelText(name, words)}</label>
      ${helpText(name, words)}
      <input
        id=${name}
        name=${name}
        part="input"
        type=${keyboard ?? 'text'}
        inputmode=${keyboard ?? nothing}
        dir=${keyboard ? 'ltr' : nothing}
        autocomplete=${autocomplete ?? 'off'}
        enterkeyhint=${kind === 'phone' ? 'go' : 'next'}
        ?required=${required}
        aria-invalid=${error ? 'true' : 'false'}
        aria-describedby=${describedBy(name, words, error)}
        .value=${value}
      />${below} ${error}
    </div>
  `;
}

export const labelText = (name: FieldName, {labels, optional}: Pick<WordsSoFar, 'labels' | 'optional'>) =>
  fieldTable[name].required ? labels[name] : html`${labels[name]} <span class="aside">(${optional})</span>`;

type Help = {readonly [Name in FieldName]?: string};

export const helpText = (name: FieldName, {help}: {help: Help}) =>
  help[name] ? html`<p class="help" id="${name}-help" part="help">${help[name]}</p>` : nothing;

/**
 * The ids of the field's help and error.
 *
 * @param hint the id of what else is said of the field
 */
export const describedBy = (
  name: FieldName,
  {help}: {help: Help},
  error: TemplateResult | undefined,
  hint?: string,
) => [help[name] && `${name}-help`, hint, error && `${name}-error`].filter(Boolean).join(' ') || nothing;
