/** One field of each kind: label above, help below it, error under the input, all tied together for machines. */
import {html, nothing, type TemplateResult} from 'lit';
import type {CreditScore, FieldKind} from '../../contract/fields.ts';
import {warning} from './icons.ts';
import type {InputError} from '../../form/read-fields.ts';
import {fieldTable, type FieldName} from '../../form/pages.ts';
import {fill, sayError, type Words} from '../../form/words/words.ts';

export type FieldHandlers = {
  /** Someone chose "None" beside an amount. */
  readonly none: (name: FieldName) => void;
  /** The suggestion is what was meant. */
  readonly accept: () => void;
};

export type FieldState = {
  readonly words: Words;
  readonly value: string | undefined;
  readonly error: InputError | undefined;
  /** An e-mail address that was probably meant. */
  readonly suggestion: string | undefined;
  readonly on: FieldHandlers;
};

/** The field that a part of it belongs to. */
export const fieldAround = (target: EventTarget | null) =>
  target instanceof Element
    ? (target.closest<HTMLElement>('[data-field]')?.dataset['field'] as FieldName | undefined)
    : undefined;

type Option = {readonly value: string; readonly label: string; readonly aside?: string};

/**
 * The keyboard that a phone shows, which is also the input's type, except for amounts. What is no prose has one, and
 * is written from left to right in every language.
 */
const keyboards: {readonly [Kind in FieldKind]?: string} = {email: 'email', phone: 'tel', money: 'numeric'};

export function fieldView(name: FieldName, state: FieldState): TemplateResult {
  const {words} = state;
  switch (fieldTable[name].kind) {
    case 'choice':
      return radios(
        name,
        state,
        (fieldTable[name].choices ?? []).map((value) => ({
          value,
          label: words.scores[value as CreditScore],
          aside: words.ratings[value as CreditScore],
        })),
      );
    case 'flag':
      return radios(name, state, [
        {value: 'false', label: words.no},
        {value: 'true', label: words.yes},
        {value: '', label: words.ratherNotSay},
      ]);
    case 'money':
      return textField(
        name,
        state,
        (input) => html`
          <div class="row">
            <div class="money" dir="ltr"><span class="sign" aria-hidden="true">$</span>${input}</div>
            <button class="none" part="button" type="button" @click=${() => state.on.none(name)}>
              ${words.none}<span class="unseen"> ${fill(words.noneFor, {label: words.labels[name]})}</span>
            </button>
          </div>
        `,
      );
    case 'email':
      return textField(
        name,
        state,
        (input) =>
          html`${input}${
            state.suggestion
              ? html`<button class="quiet" part="button" type="button" @click=${state.on.accept}>
                  ${fill(words.didYouMean, {email: state.suggestion})}
                </button>`
              : nothing
          }`,
      );
    case 'name':
    case 'phone':
    case 'text':
      return textField(name, state, (input) => input);
  }
}

function textField(
  name: FieldName,
  {words, value = '', error}: FieldState,
  around: (input: TemplateResult) => TemplateResult,
) {
  const {kind, autocomplete, required} = fieldTable[name];
  const keyboard = keyboards[kind];
  const input = html`<input
    id=${name}
    name=${name}
    part="input"
    type=${kind === 'money' ? 'text' : (keyboard ?? 'text')}
    inputmode=${keyboard ?? nothing}
    dir=${keyboard ? 'ltr' : nothing}
    autocomplete=${autocomplete ?? 'off'}
    ?required=${required}
    aria-invalid=${error ? 'true' : 'false'}
    aria-describedby=${describedBy(name, words, error)}
    .value=${value}
  />`;
  return html`
    <div class="field ${kind}" part="field" data-field=${name}>
      <label for=${name} part="label">${labelText(name, words)}</label>
      ${helpText(name, words)} ${around(input)} ${errorText(name, words, error)}
    </div>
  `;
}

function radios(name: FieldName, {words, value, error}: FieldState, options: readonly Option[]) {
  const {kind, required} = fieldTable[name];
  return html`
    <fieldset
      class="field ${kind}"
      part="field"
      data-field=${name}
      role="radiogroup"
      aria-required=${required ? 'true' : 'false'}
      aria-invalid=${error ? 'true' : 'false'}
      aria-describedby=${describedBy(name, words, error)}
    >
      <legend part="label">${labelText(name, words)}</legend>
      ${helpText(name, words)}
      <div class="options" part="options">
        ${options.map(
          (option, index) => html`
            <div class="option">
              <input
                type="radio"
                id="${name}-${index}"
                name=${name}
                value=${option.value}
                .checked=${option.value === value}
              />
              <label for="${name}-${index}" part="option">
                ${option.label} ${option.aside ? html`<span class="aside">${option.aside}</span>` : nothing}
              </label>
            </div>
          `,
        )}
      </div>
      ${errorText(name, words, error)}
    </fieldset>
  `;
}

const labelText = (name: FieldName, {labels, optional}: Words) =>
  html`${labels[name]} ${fieldTable[name].required ? nothing : html`<span class="aside">(${optional})</span>`}`;

const describedBy = (name: FieldName, {help}: Words, error: InputError | undefined) =>
  [help[name] && `${name}-help`, error && `${name}-error`].filter(Boolean).join(' ') || nothing;

const helpText = (name: FieldName, {help}: Words) =>
  help[name] ? html`<p class="help" id="${name}-help" part="help">${help[name]}</p>` : nothing;

export const errorText = (name: FieldName, words: Words, code: InputError | undefined) =>
  code
    ? html`<p class="error" id="${name}-error" part="error">
        ${warning}<span>${sayError(words, name, code)}</span>
      </p>`
    : nothing;
