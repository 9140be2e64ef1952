/** All fields, and what is shown beside them. The credit score, which the first file has, looks the same in both. */
import {html, nothing, type TemplateResult} from 'lit';
import type {Field, FieldKind} from '../../contract/fields.ts';
import {formatMoney} from '../../form/format-money.ts';
import {alsoMeant} from '../../form/money.ts';
import type {FieldName} from '../../form/pages.ts';
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';
import {warning} from './alert-view.ts';
import {changingText} from './changing-text.ts';
import {choiceField, describedBy, helpText, type FieldState} from './choice-field.ts';

/** What a phone writes on the key that ends the input of a field. */
export type EnterKey = 'next' | 'go' | 'send';

export type FieldActions = {
  /** The visitor types into an amount, or deletes from it. */
  readonly type: (name: FieldName, event: InputEvent) => void;
  /** The visitor chose an amount from those below a field. */
  readonly choose: (name: FieldName, dollars: number) => void;
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

/** What stands below an amount, for thumbs: whole US dollars. */
export const amountsByThumb = [0, 25_000, 50_000, 100_000, 250_000];

/** Of these, the one that is in the field. */
type OnButton = {readonly onButton: number | undefined};

/** A tap on an answer goes to the next page. */
type OneTap = {readonly tapGoesOn: boolean};

/** What the partner says of a field. */
type PartnerSays = {
  /** The choices that the partner asks for, in words. */
  readonly choices: Readonly<Record<string, string>> | undefined;
  /** The line `promise` says what the partner promises about its call. */
  readonly isPromised: boolean | undefined;
};

export function fieldView(
  name: FieldName,
  row: Field,
  words: Words,
  state: FieldState & Questions & OnButton & OneTap & PartnerSays,
  enterKey: EnterKey,
  on: FieldActions,
): TemplateResult {
  const {kind, choices} = row;
  switch (kind) {
    case 'choice':
      return choices ? choice(name, row, words, state, choices) : selectField(name, row, words, state);
    case 'flag': {
      const help = state.tapGoesOn ? {...words.help, [name]: words.tapGoesOn} : words.help;
      return choice(name, row, {...words, help}, state, ['false', 'true']);
    }
    case 'money': {
      const below = thousandsQuestion(name, words, state.fewDollars, on);
      return moneyField(name, row, words, {...state, below}, enterKey, on);
    }
    case 'email':
      return textField(
        name,
        row,
        words,
        {...state, below: suggestionButton(words, state.suggestion, on)},
        enterKey,
      );
    case 'text':
      return notesField(name, row, words, state);
    case 'name':
    case 'phone':
      return textField(name, row, words, state, enterKey, name === 'phone' && state.isPromised);
  }
}

/** A choice with its question. If it is optional, it has an option for no answer. */
function choice(name: FieldName, row: Field, words: Words, state: FieldState, choices: readonly string[]) {
  const {options, yes, no, ratherNotSay} = words;
  const texts = {...options[name as keyof typeof options], true: yes, false: no, '': ratherNotSay};
  return choiceField(
    name,
    {...row, choices: row.required ? choices : [...choices, '']},
    {...words, options: {[name]: texts}},
    state,
    questionText(name, row, words),
  );
}

/**
 * The keyboard that a phone shows. These fields hold no prose, so they are written from left to right in every language,
 * and without capitals. The type of the input is never `email`, because Chromium would rewrite letters such as á there.
 */
const keyboards: {readonly [Kind in FieldKind]?: string} = {email: 'email', phone: 'tel'};

/** A wrong input has a second part, because a page cannot ask `::part(input)` for its `aria-invalid`. */
const inputPart = (error: TemplateResult | undefined) => `input ${error ? 'invalid' : ''}`;

/** One template for the whole field, because each further template costs a phone 2 ms when it is first rendered. */
function textField(
  name: FieldName,
  row: Field,
  words: Words,
  {value = '', error, below}: FieldState,
  enterKey: EnterKey,
  isPromised?: boolean,
) {
  const {kind, autocomplete, required} = row;
  const keyboard = keyboards[kind];
  return html`
    <div class="field ${kind}" part="field" data-field=${name}>
      <label for=${name} part="label">${labelText(name, row, words)}</label>
      ${helpText(name, words)}
      <input
        id=${name}
        name=${name}
        part=${inputPart(error)}
        type=${keyboard === 'tel' ? keyboard : 'text'}
        inputmode=${keyboard ?? nothing}
        autocapitalize=${keyboard ? 'none' : nothing}
        dir=${keyboard ? 'ltr' : nothing}
        autocomplete=${autocomplete ?? 'off'}
        enterkeyhint=${enterKey}
        ?required=${required}
        aria-invalid=${error !== undefined}
        aria-describedby=${describedBy(name, words, error, isPromised ? 'about-promise' : undefined)}
        .value=${value}
      />
      ${below} ${error}
    </div>
  `;
}

/** Fields behind a line which the visitor presses to see them. */
export const foldView = (words: Words, isUnfolded: boolean, fields: readonly TemplateResult[]) => html`
  <details class="field" ?open=${isUnfolded}>
    <summary part="button">${words.more} <span class="aside">(${words.optional})</span></summary>
    <div class="fields">${fields}</div>
  </details>
`;

/** A choice that the partner asks for. The first option, which is chosen at first, is no answer. */
const selectField = (
  name: FieldName,
  row: Field,
  words: Words,
  {value = '', error, choices}: FieldState & PartnerSays,
) => html`
  <div class="field" part="field" data-field=${name}>
    <label for=${name} part="label">${questionText(name, row, words)}</label>
    <div class="select">
      <select
        id=${name}
        name=${name}
        part=${inputPart(error)}
        ?required=${row.required}
        autocomplete=${row.autocomplete ?? 'off'}
        aria-invalid=${error !== undefined}
        aria-describedby=${describedBy(name, words, error)}
      >
        ${Object.entries({'': '', ...choices}).map(
          ([choice, label]) => html`<option value=${choice} .selected=${choice === value}>${label}</option>`,
        )}
      </select>
    </div>
    ${error}
  </div>
`;

const notesField = (name: FieldName, row: Field, words: Words, {value = '', error}: FieldState) => html`
  <div class="field" part="field" data-field=${name}>
    <label for=${name} part="label">${questionText(name, row, words)}</label>
    <textarea
      id=${name}
      name=${name}
      part=${inputPart(error)}
      rows="3"
      autocapitalize="sentences"
      autocomplete="off"
      aria-invalid=${error !== undefined}
      aria-describedby=${describedBy(name, words, error)}
      .value=${value}
    ></textarea>
    ${error}
  </div>
`;

const questionText = (name: FieldName, row: Field, words: Words) =>
  labelText(name, row, {...words, labels: {...words.labels, ...words.questions}});

const labelText = (
  name: FieldName,
  {required}: Field,
  {labels, optional}: Pick<Words, 'labels' | 'optional'>,
) => (required ? labels[name] : html`${labels[name]} <span class="aside">(${optional})</span>`);

/** The keyboard does not stop at the amounts to choose, because typing is shorter. The hint is part of the description. */
const moneyField = (
  name: FieldName,
  row: Field,
  words: Words,
  {value = '', error, below, onButton}: FieldState & OnButton,
  enterKey: EnterKey,
  on: FieldActions,
) => html`
  <div class="field money" part="field" data-field=${name}>
    <label for=${name} part="label">${labelText(name, row, words)}</label>
    ${helpText(name, words)}
    <div class="amount">
      <div class="money" dir="ltr">
        <span class="sign" aria-hidden="true">$</span
        ><input
          id=${name}
          name=${name}
          part=${inputPart(error)}
          inputmode="numeric"
          dir="ltr"
          autocomplete="off"
          enterkeyhint=${enterKey}
          ?required=${row.required}
          aria-invalid=${error !== undefined}
          aria-describedby=${describedBy(name, words, error, `${name}-hint`)}
          .value=${value}
          @input=${(event: InputEvent) => on.type(name, event)}
        />
        <span class="hint" id="${name}-hint" aria-hidden="true">${words.typeZero}</span>
      </div>
      <div class="chips" role="group" aria-label=${words.chooseAmount}>
        ${amountsByThumb.map(
          (dollars) => html`
            <button
              part="button chip${dollars === onButton ? ' chosen' : ''}"
              type="button"
              tabindex="-1"
              aria-pressed=${dollars === onButton}
              @click=${() => on.choose(name, dollars)}
            >
              ${dollars ? `$${dollars / 1_000}k` : words.none}
              <span class="unseen">${fill(words.amountFor, {label: words.labels[name]})}</span>
            </button>
          `,
        )}
      </div>
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
        ${[dollars, alsoMeant(dollars)].map(
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
    thousands: formatMoney(alsoMeant(dollars), locale),
  });

const suggestionButton = (words: Words, email: string | undefined, on: FieldActions) =>
  email === undefined
    ? undefined
    : html`<button class="quiet" part="button quiet" type="button" @click=${on.accept}>
        ${changingText(fill(words.didYouMean, {email}))}
      </button>`;

/** @param id the id of the field, from which the id of the error is made */
export const errorText = (id: string, sentence: string) => html`
  <p class="error" id="${id}-error" part="error">${warning}${changingText(sentence)}</p>
`;
