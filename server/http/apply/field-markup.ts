/**
 * The fields of the form as HTML. They have the structure of widget/fields/field-views.ts, because both have the styles of
 * form/styles/.
 */
import type {Field} from '../../../contract/fields.ts';
import {fieldTable, type FieldName} from '../../../form/pages.ts';
import {sayError, type Words} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import type {Form, Shown} from './form-post.ts';

type Texts = Partial<Record<FieldName, Readonly<Record<string, string>>>>;

/** What the keyboards of phones need to know, as in the fields of the form with a script. */
const keyboards: Partial<Record<Field['kind'], string>> = {email: 'email', phone: 'tel', money: 'numeric'};

export function fieldMarkup(name: FieldName, form: Form, shown: Shown): Html {
  const {words, about, rows} = form;
  const {kind} = rows[name];
  if (hasButtons(name)) return choiceField(name, form, shown);
  const isPromised = kind === 'phone' && about?.lines.some((line) => line.name === 'promise');
  return html`<div class="field ${kind}" data-field="${name}">
    <label for="${name}">${label(name, form)}</label>
    ${help(name, words)} ${input(name, form, shown, isPromised ? 'about-promise' : undefined)}
    ${errorOf(name, form, shown)}
  </div>`;
}

/** @param also the id of what else is said of the field */
function input(name: FieldName, {words, asked, rows}: Form, shown: Shown, also?: string): Html {
  const {kind, required, autocomplete = 'off'} = rows[name];
  const value = shown.values[name] ?? '';
  const attributes = html`id="${name}" name="${name}" ${required && html`required`}
  autocomplete="${autocomplete}" aria-invalid="${String(shown.errors[name] !== undefined)}"
  ${describedBy(name, words, shown, also)} ${isFocused(name, shown) && html`autofocus`}`;
  // A line before the text of a `<textarea>` is not part of it, and keeps an empty first line of the text.
  if (kind === 'text')
    return html`<textarea ${attributes} rows="3" autocapitalize="sentences">${`\n${value}`}</textarea>`;
  if (kind === 'choice') {
    // The first option stands for no answer, and is selected at first.
    const choices = {'': '', ...asked.find((each) => each.name === name)?.choices};
    const options = Object.entries(choices).map(
      ([choice, text]) =>
        html`<option value="${choice}" ${shown.values[name] === choice && html`selected`}>${text}</option>`,
    );
    return html`<div class="select">
      <select ${attributes}>
        ${options}
      </select>
    </div>`;
  }
  const keyboard = keyboards[kind];
  const line = html`<input
    ${attributes}
    value="${value}"
    type="${kind === 'phone' ? 'tel' : 'text'}"
    ${keyboard && html`inputmode="${keyboard}" autocapitalize="none" dir="ltr"`}
  />`;
  return kind === 'money'
    ? html`<div class="money" dir="ltr"><span class="sign" aria-hidden="true">$</span>${line}</div>`
    : line;
}

/** A choice that the form asks for by itself. Those that the partner adds have their choices in the configuration. */
const hasButtons = (name: FieldName) =>
  Object.hasOwn(fieldTable, name) &&
  (fieldTable[name].kind === 'flag' || fieldTable[name].choices !== undefined);

/** Where a link to the field leads. */
export const inputId = (name: FieldName) => (hasButtons(name) ? `${name}-0` : name);

/** A choice with its question. If it is optional, it has an option for no answer. */
function choiceField(name: FieldName, form: Form, shown: Shown): Html {
  const {words} = form;
  const {kind, required, choices = ['false', 'true']} = fieldTable[name];
  const {options, asides, yes, no, ratherNotSay} = words;
  const texts: Texts[FieldName] = {...(options as Texts)[name], false: no, true: yes, '': ratherNotSay};
  const buttons = [...choices, ...(required ? [] : [''])].map((value, index) => {
    const id = `${name}-${index}`;
    const aside = (asides as Texts)[name]?.[value];
    return html`<div class="option">
      <input
        type="radio"
        id="${id}"
        name="${name}"
        value="${value}"
        ${shown.values[name] === value && html`checked`}
        ${index === 0 && isFocused(name, shown) && html`autofocus`}
      />
      <label for="${id}">${texts[value]} ${aside && html`<span class="aside">${aside}</span>`}</label>
    </div>`;
  });
  return html`<fieldset
    class="field ${kind}"
    data-field="${name}"
    role="radiogroup"
    aria-required="${String(required)}"
    aria-invalid="${String(shown.errors[name] !== undefined)}"
    ${describedBy(name, words, shown)}
  >
    <legend>${label(name, form)}</legend>
    ${help(name, words)}
    <div class="options">${buttons}</div>
    ${errorOf(name, form, shown)}
  </fieldset>`;
}

export const langAttribute = (lang: string | undefined) => lang !== undefined && html`lang="${lang}"`;

/** Whether the browser should show this field first: the only one with an error. */
const isFocused = (name: FieldName, {focus, errors, consentError}: Shown) =>
  focus === 'problem' && Object.keys(errors).length === 1 && errors[name] !== undefined && !consentError;

function label(name: FieldName, {words: {labels, questions, optional}, rows}: Form) {
  const text = (questions as Partial<Record<FieldName, string>>)[name] ?? labels[name];
  return rows[name].required ? text : html`${text} <span class="aside">(${optional})</span>`;
}

const sentence = (text: string) => text.replace(/^./, (first) => first.toUpperCase());
/** Where scripts run, it stands beside the label, and a button below an amount writes the zero. */
const helpOf = (name: FieldName, {help: texts, typeZero}: Words) =>
  Object.hasOwn(fieldTable, name) && fieldTable[name].kind === 'money'
    ? `${sentence(texts[name] ?? '')}. ${typeZero}`
    : texts[name];

const help = (name: FieldName, words: Words) =>
  helpOf(name, words) !== undefined && html`<p class="help" id="${name}-help">${helpOf(name, words)}</p>`;

function describedBy(name: FieldName, words: Words, {errors}: Shown, also?: string) {
  const ids = [
    helpOf(name, words) !== undefined && `${name}-help`,
    also,
    errors[name] !== undefined && `${name}-error`,
  ].filter((id) => typeof id === 'string');
  return ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`;
}

const errorOf = (name: FieldName, {words, rows}: Form, {errors}: Shown) =>
  errors[name] !== undefined && error(name, sayError(words, name, errors[name], rows));

/** @param id the id of the field, from which the id of the error is made */
export const error = (id: string, sentence: string) =>
  html`<p class="error" id="${id}-error">${warning}<span>${sentence}</span></p>`;

export const warning = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.9 3h1.8v5H7.1V4Zm0 6.2h1.8V12H7.1v-1.8Z" />
</svg>`;
