/**
 * The fields of the form as HTML, with what is asked about their values. They have the structure of
 * widget/fields/field-views.ts, because both have the styles of form/styles/.
 */
import type {AskedField} from '../../../contract/embed.ts';
import type {Field} from '../../../contract/fields.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {parseMoney} from '../../../form/money.ts';
import {fieldTable, type FieldName} from '../../../form/pages.ts';
import {fill} from '../../../form/words/fill.ts';
import {sayError, type Words} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import {carried, meanings, type Form, type Shown} from './form-post.ts';

const none = html``;

export function fieldMarkup(name: FieldName, {words, asked, promise}: Form, shown: Shown): Html {
  const row = fieldTable[name];
  switch (row.kind) {
    case 'choice':
    case 'flag':
      return hasButtons(name)
        ? choiceField(name, row, words, shown)
        : selectField(name, words, shown, asked.find((each) => each.name === name)?.choices);
    case 'money':
      return moneyField(name, words, shown);
    case 'text':
      return notesField(name, words, shown);
    case 'name':
    case 'email':
    case 'phone':
      return textField(name, words, shown, row.kind === 'phone' ? promise : undefined);
  }
}

/** A choice that the form asks for by itself. Those that the partner adds have their choices in the configuration. */
const hasButtons = (name: FieldName) =>
  fieldTable[name].kind === 'flag' || fieldTable[name].choices !== undefined;

/** Where a link to the field leads. */
export const inputId = (name: FieldName) => (hasButtons(name) ? `${name}-0` : name);

/** The options of a choice. One that is optional has an option for no answer. */
function optionsOf(name: FieldName, {kind, required, choices = []}: Field, words: Words) {
  type Texts = Partial<Record<FieldName, Readonly<Record<string, string>>>>;
  const [labels, asides] = [(words.options as Texts)[name], (words.asides as Texts)[name]];
  const options =
    kind === 'flag'
      ? [
          {value: 'false', label: words.no, aside: undefined},
          {value: 'true', label: words.yes, aside: undefined},
        ]
      : choices.map((value) => ({value, label: labels?.[value] ?? value, aside: asides?.[value]}));
  return required ? options : [...options, {value: '', label: words.ratherNotSay, aside: undefined}];
}

function choiceField(name: FieldName, row: Field, words: Words, shown: Shown): Html {
  const options = optionsOf(name, row, words).map(({value, label, aside}, index) => {
    const id = `${name}-${index}`;
    const isFirst = index === 0 && isFocused(name, shown);
    return html`<div class="option">
      <input
        type="radio"
        id="${id}"
        name="${name}"
        value="${value}"
        ${shown.values[name] === value && html`checked`}
        ${isFirst && html`autofocus`}
      />
      <label for="${id}">${label} ${aside && html`<span class="aside">${aside}</span>`}</label>
    </div>`;
  });
  return html`<fieldset
    class="field ${row.kind}"
    data-field="${name}"
    role="radiogroup"
    aria-required="${String(row.required)}"
    aria-invalid="${String(shown.errors[name] !== undefined)}"
    ${describedBy(name, words, shown)}
  >
    <legend>${label(name, words)}</legend>
    ${help(name, words)}
    <div class="options">${options}</div>
    ${errorOf(name, words, shown)}
  </fieldset>`;
}

/** What the keyboards of phones need to know, as in the fields of the form with a script. */
const keyboards: Partial<Record<Field['kind'], string>> = {email: 'email', phone: 'tel'};

function textField(name: FieldName, words: Words, shown: Shown, promise?: Form['promise']): Html {
  const {kind, autocomplete} = fieldTable[name];
  const keyboard = keyboards[kind];
  return html`<div class="field ${kind}" data-field="${name}">
    <label for="${name}">${label(name, words)}</label>
    ${help(name, words)}
    <input
      ${inputAttributes(name, words, shown, promise && 'promise')}
      value="${shown.values[name] ?? ''}"
      type="${keyboard === 'tel' ? keyboard : 'text'}"
      ${keyboard && html`inputmode="${keyboard}" autocapitalize="none" dir="ltr"`}
      autocomplete="${autocomplete ?? 'off'}"
    />
    ${promise && html`<p class="promise" id="promise" ${langAttribute(promise.lang)}>${promise.content}</p>`}
    ${question(name, words, shown)} ${errorOf(name, words, shown)}
  </div>`;
}

function moneyField(name: FieldName, words: Words, shown: Shown): Html {
  const forName = fill(words.noneFor, {label: words.labels[name]});
  return html`<div class="field money" data-field="${name}">
    <label for="${name}">${label(name, words)}</label>
    ${help(name, words)}
    <div class="row">
      <div class="money" dir="ltr">
        <span class="sign" aria-hidden="true">$</span
        ><input
          ${inputAttributes(name, words, shown)}
          value="${shown.values[name] ?? ''}"
          type="text"
          inputmode="numeric"
          dir="ltr"
          autocomplete="off"
        />
      </div>
      <button class="none" type="submit" name="${carried.none}" value="${name}">
        ${words.none}<span class="unseen"> ${forName}</span>
      </button>
    </div>
    ${question(name, words, shown)} ${errorOf(name, words, shown)}
  </div>`;
}

/** A choice that the partner asks for. The first option stands for no answer, and is selected at first. */
function selectField(name: FieldName, words: Words, shown: Shown, choices: AskedField['choices'] = {}): Html {
  const options = Object.entries({'': '', ...choices}).map(
    ([choice, text]) =>
      html`<option value="${choice}" ${shown.values[name] === choice && html`selected`}>${text}</option>`,
  );
  return html`<div class="field" data-field="${name}">
    <label for="${name}">${label(name, words)}</label>
    <div class="select">
      <select ${inputAttributes(name, words, shown)} autocomplete="${fieldTable[name].autocomplete ?? 'off'}">
        ${options}
      </select>
    </div>
    ${errorOf(name, words, shown)}
  </div>`;
}

// A line before the text of a `<textarea>` is not part of it, and keeps an empty first line of the text.
const notesField = (name: FieldName, words: Words, shown: Shown) =>
  html`<div class="field" data-field="${name}">
    <label for="${name}">${label(name, words)}</label>
    <textarea ${inputAttributes(name, words, shown)} rows="3" autocapitalize="sentences" autocomplete="off">
${shown.values[name]}</textarea>
    ${errorOf(name, words, shown)}
  </div>`;

export const langAttribute = (lang: string | undefined) => lang !== undefined && html`lang="${lang}"`;

const inputAttributes = (name: FieldName, words: Words, shown: Shown, also?: string) =>
  html`id="${name}" name="${name}" ${fieldTable[name].required && html`required`}
  aria-invalid="${String(shown.errors[name] !== undefined)}" ${describedBy(name, words, shown, also)}
  ${isFocused(name, shown) && html`autofocus`}`;

/** Whether the browser should show this field first: the only one with an error, or one with an answer of a moment ago. */
function isFocused(name: FieldName, {focus, errors, consentError}: Shown) {
  if (focus !== 'problem') return focus === name;
  return Object.keys(errors).length === 1 && errors[name] !== undefined && !consentError;
}

function label(name: FieldName, {labels, questions, optional}: Words) {
  const text = (questions as Partial<Record<FieldName, string>>)[name] ?? labels[name];
  return fieldTable[name].required ? text : html`${text} <span class="aside">(${optional})</span>`;
}

const helpOf = (name: FieldName, {help: texts}: Words) => texts[name];

const help = (name: FieldName, words: Words) =>
  helpOf(name, words) === undefined
    ? none
    : html`<p class="help" id="${name}-help">${helpOf(name, words)}</p>`;

/** @param also the id of what else is said of the field */
function describedBy(name: FieldName, words: Words, {errors}: Shown, also?: string) {
  const ids = [
    helpOf(name, words) !== undefined && `${name}-help`,
    also,
    errors[name] !== undefined && `${name}-error`,
  ].filter((id) => typeof id === 'string');
  return ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`;
}

const errorOf = (name: FieldName, words: Words, {errors}: Shown) =>
  errors[name] !== undefined && error(name, sayError(words, name, errors[name]));

/** @param id the id of the field, from which the id of the error is made */
export const error = (id: string, sentence: string) =>
  html`<p class="error" id="${id}-error">${warning}<span>${sentence}</span></p>`;

/** What the form asks about a value: each meaning is a button. */
function question(name: FieldName, words: Words, {questions, values}: Shown): Html {
  if (!questions.includes(name)) return none;
  const value = values[name] ?? '';
  const meant = meanings(name, value, words.locale);
  const button = (meaning: string, text: string, quiet = false) =>
    html`<button
      type="submit"
      name="${carried.mean}"
      value="${name}=${meaning}"
      ${quiet && html`class="quiet"`}
    >
      ${text}
    </button>`;
  if (fieldTable[name].kind === 'email')
    return html`${meant.map((email) => button(email, fill(words.didYouMean, {email}), true))}`;
  const money = (dollars: number) => formatMoney(dollars, words.locale);
  const [dollars = 0, thousands = 0] = meant.map((text) => Number(parseMoney(text)));
  const sentence = fill(words.thousands, {
    label: words.labels[name],
    amount: money(dollars),
    thousands: money(thousands),
  });
  return html`<div class="question" role="group" aria-labelledby="${name}-question">
    <span id="${name}-question">${sentence}</span>
    <div class="row">${meant.map((text) => button(text, money(Number(parseMoney(text)))))}</div>
  </div>`;
}

export const warning = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.9 3h1.8v5H7.1V4Zm0 6.2h1.8V12H7.1v-1.8Z" />
</svg>`;
