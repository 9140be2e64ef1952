/** The fields that the first screen does not have, and what is shown beside fields once the form is touched. */
import {html, nothing, type TemplateResult} from 'lit';
import {formatMoney} from '../../form/format-money.ts';
import {fieldTable, type FieldName} from '../../form/pages.ts';
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import {warning} from './alert-view.ts';
import {describedBy, helpText, labelText, textField, type FieldState} from './text-field.ts';

type Option = {readonly value: string; readonly label: string; readonly aside?: string | undefined};
/** Texts by field and option. */
type Texts = {readonly [Name in FieldName]?: Readonly<Record<string, string>>};

/** Enter in it sends the form. */
const lastField = Object.keys(fieldTable).at(-1);

export type FieldActions = {
  /** The visitor types into an amount, or deletes from it. */
  readonly type: (name: FieldName, event: InputEvent) => void;
  /** The visitor chose "None" beside an amount. */
  readonly none: (name: FieldName) => void;
  /** The visitor says how many dollars are meant. */
  readonly mean: (name: FieldName, dollars: number) => void;
  /** The visitor wants the suggested e-mail address. */
  readonly accept: () => void;
};

/** What the form asks about a value. Without an answer, it uses the value as it is. */
type Questions = {
  /** The e-mail address that was probably meant. */
  readonly suggestion: string | undefined;
  /** The amount that may be meant as thousands, in whole US dollars. */
  readonly fewDollars: number | undefined;
};

export function fieldView(
  name: FieldName,
  words: Words,
  state: FieldState,
  {suggestion, fewDollars}: Questions,
  on: FieldActions,
): TemplateResult {
  switch (fieldTable[name].kind) {
    case 'choice':
      return choiceField(name, words, state, optionsOf(name, words));
    case 'flag':
      return choiceField(name, words, state, [
        {value: 'false', label: words.no},
        {value: 'true', label: words.yes},
      ]);
    case 'money':
      return moneyField(name, words, {...state, below: thousandsQuestion(name, words, fewDollars, on)}, on);
    case 'email':
      return textField(name, words, {...state, below: suggestionButton(words, suggestion, on)});
    case 'name':
    case 'phone':
    case 'text':
      return textField(name, words, state);
  }
}

function optionsOf(name: FieldName, words: Words): Option[] {
  const {options, asides}: {options: Texts; asides: Texts} = words;
  const {choices = []} = fieldTable[name];
  return choices.map((value) => ({
    value,
    label: options[name]?.[value] ?? value,
    aside: asides[name]?.[value],
  }));
}

/** The keyboard does not stop at the button "None", because typing 0 is shorter. The hint is part of the description. */
const moneyField = (
  name: FieldName,
  words: Words,
  {value = '', error, below}: FieldState,
  on: FieldActions,
) => html`
  <div class="field money" part="field" data-field=${name}>
    <label for=${name} part="label">${labelText(name, words)}</label>
    ${helpText(name, words)}
    <div class="row">
      <div class="money" dir="ltr">
        <span class="sign" aria-hidden="true">$</span
        ><input
          id=${name}
          name=${name}
          part="input"
          inputmode="numeric"
          dir="ltr"
          autocomplete="off"
          enterkeyhint=${name === lastField ? 'send' : 'next'}
          ?required=${fieldTable[name].required}
          aria-invalid=${error ? 'true' : 'false'}
          aria-describedby=${describedBy(name, words, error, `${name}-hint`)}
          .value=${value}
          @input=${(event: InputEvent) => on.type(name, event)}
        />
        <span class="hint" id="${name}-hint" aria-hidden="true">${words.typeZero}</span>
      </div>
      <button class="none" part="button" type="button" tabindex="-1" @click=${() => on.none(name)}>
        ${words.none}<span class="unseen"> ${fill(words.noneFor, {label: words.labels[name]})}</span>
      </button>
    </div>
    ${below} ${error}
  </div>
`;

/** @param dollars the amount as it was read. If it is undefined, nothing is asked. */
function thousandsQuestion(
  name: FieldName,
  words: Words,
  dollars: number | undefined,
  on: FieldActions,
): TemplateResult | undefined {
  if (dollars === undefined) return undefined;
  return html`
    <div class="question" part="question" role="group" aria-labelledby="${name}-question">
      <span id="${name}-question">${sayQuestion(name, words, dollars)}</span>
      <div class="row">
        ${[dollars, dollars * 1_000].map(
          (meant) => html`
            <button part="button" type="button" @click=${() => on.mean(name, meant)}>
              ${formatMoney(meant, words.locale)}
            </button>
          `,
        )}
      </div>
    </div>
  `;
}

export const sayQuestion = (name: FieldName, {labels, locale, thousands}: Words, dollars: number) =>
  fill(thousands, {
    label: labels[name],
    amount: formatMoney(dollars, locale),
    thousands: formatMoney(dollars * 1_000, locale),
  });

const suggestionButton = (words: Words, email: string | undefined, on: FieldActions) =>
  email === undefined
    ? undefined
    : html`<button class="quiet" part="button" type="button" @click=${on.accept}>
        ${fill(words.didYouMean, {email})}
      </button>`;

function choiceField(name: FieldName, words: Words, {value, error}: FieldState, options: readonly Option[]) {
  const {kind, required} = fieldTable[name];
  const shown = required ? options : [...options, {value: '', label: words.ratherNotSay}];
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
      <legend part="label">
        ${labelText(name, {...words, labels: {...words.labels, ...words.questions}})}
      </legend>
      ${helpText(name, words)}
      <div class="options" part="options">
        ${shown.map(
          (option: Option, index) => html`
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
      ${error}
    </fieldset>
  `;
}

/** @param id the id of the field, from which the id of the error is made */
export const errorText = (id: string, sentence: string) => html`
  <p class="error" id="${id}-error" part="error">${warning}<span>${sentence}</span></p>
`;
