/**
 * The form as HTML, which works without a script and is replaced by the element when that has arrived. It has the structure
 * of widget/form-view.ts and of the fields there, because both have the styles of form/styles/. What it says and asks comes
 * from form/.
 */
import type {AskedField, ConsentText} from '../../../contract/embed.ts';
import type {Field} from '../../../contract/fields.ts';
import {consentParts, linksTo} from '../../../form/consent-text.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {parseMoney} from '../../../form/money.ts';
import {fieldsOf, fieldTable, type FieldName, type Step} from '../../../form/pages.ts';
import {isField} from '../../../form/read-fields.ts';
import {fill} from '../../../form/words/fill.ts';
import {sayError, sayUse, sendLabel, stepTitle, type Words} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import {carried, meanings, type Form, type Shown} from './form-post.ts';

/** What stands around the fields, and comes from the partner. */
export type Around = {
  /** Where the form is sent: the query of the page. */
  action: string;
  consent: ConsentText | null;
  privacyHref: string | undefined;
  /** The least that the total will be, where the partner shows it. */
  soFar: number | undefined;
};

const none = html``;

export function formMarkup(form: Form, shown: Shown, around: Around): Html {
  const {words, pages} = form;
  const {page} = shown;
  const steps = pages[page] ?? [];
  const isLast = page === pages.length - 1;
  const {privacyHref} = around;
  const privacy = privacyHref
    ? html`<a href="${privacyHref}" target="_blank" rel="noopener">${words.privacy}</a>`
    : none;
  const consent = isLast ? (around.consent ?? undefined) : undefined;
  const isLinked =
    privacyHref !== undefined && consent?.lang !== undefined && linksTo(consent.text, privacyHref);
  return html`<form
    method="post"
    action="${around.action}"
    target="_self"
    accept-charset="utf-8"
    novalidate
    autocapitalize="words"
    spellcheck="false"
    data-step="${steps[0]?.name}"
  >
    ${usesButtons(form, shown) && html`<button class="unseen" type="submit" tabindex="-1">${words.next}</button>`}
    ${summary(words, shown)} ${progress(pages.length, page)} ${page > 0 && soFarLine(words, around.soFar)}
    ${hiddenFields(form, shown)} ${steps.map((step) => stepMarkup(step, form, shown))}
    <div class="use">
      ${isLast && trap} ${consent && consentMarkup(consent, form, shown, isLinked ? none : privacy)}
      ${
        consent === undefined &&
        html`<p class="why">
          ${lock}<span>${sayUse(words, form.leadType, page, fieldsOf(steps))} ${privacy}</span>
        </p>`
      }
    </div>
    ${isLast && shown.consentError && error('consent', words.consentErrors[shown.consentError])}
    ${
      shown.notice &&
      alert(
        'notice',
        shown.notice.title,
        html`<p>${shown.notice.text}</p>`,
        shown.focus === 'problem' && !Object.keys(shown.errors).length,
      )
    }
    <div class="actions">
      <button class="main" type="submit">${isLast ? sendLabel(words, form.leadType) : words.next}</button>
      ${page > 0 && html`<button type="submit" name="${carried.back}" value="1">${words.back}</button>`}
    </div>
  </form>`;
}

/** The values of the other pages, and what the form carries besides. */
export function hiddenFields({pages}: Form, shown: Shown): Html[] {
  const visible = fieldsOf(pages[shown.page]);
  const others = fieldsOf(pages.flat()).filter((name) => !visible.includes(name));
  return [
    ...others.flatMap((name) => hidden(name, shown.values[name])),
    ...hidden(carried.page, String(shown.page)),
    ...hidden(carried.token, shown.token),
    ...shown.asked.flatMap((question) => hidden(carried.asked, question)),
  ];
}

const hidden = (name: string, value: string | undefined): Html[] =>
  value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`];

/**
 * Enter in a field presses the first button of the form. Where other buttons stand beside the fields, an additional one that
 * nobody sees comes before them.
 */
const usesButtons = ({pages}: Form, {page, questions}: Shown) =>
  questions.length > 0 || fieldsOf(pages[page]).some((name) => fieldTable[name].kind === 'money');

function stepMarkup(step: Step, form: Form, shown: Shown): Html {
  const {words, pages} = form;
  const {page, focus} = shown;
  const count = pages.length > 1 && fill(words.step, {step: page + 1, of: pages.length});
  const focused = focus === 'heading' && step === pages[page]?.[0];
  const asked: readonly string[] = form.asked.map(({name}) => name);
  const [own, folded] = [false, true].map((is) => step.fields.filter((name) => asked.includes(name) === is));
  return html`<section ${step.fields.length === 1 && html`class="alone"`} data-step="${step.name}">
    <h2 tabindex="-1" ${focused && html`autofocus`}>
      ${count && html`<span class="count">${count}${page === 0 && ` · ${words.duration}`}</span>`}
      ${stepTitle(words, step)}
    </h2>
    <div class="fields">
      ${own?.map((name) => fieldMarkup(name, form, shown))} ${foldMarkup(folded ?? [], form, shown)}
    </div>
  </section>`;
}

/** What the partner asks for besides. It is folded unless something of it is filled in, or wrong. */
function foldMarkup(names: readonly FieldName[], form: Form, shown: Shown): Html {
  if (names.length === 0) return none;
  const {words} = form;
  const isUnfolded = names.some((name) => shown.values[name] || shown.errors[name]);
  return html`<details class="field" ${isUnfolded && html`open`}>
    <summary>${words.more} <span class="aside">(${words.optional})</span></summary>
    <div class="fields">${names.map((name) => fieldMarkup(name, form, shown))}</div>
  </details>`;
}

function progress(pages: number, page: number): Html {
  if (pages === 1) return none;
  const bars = Array.from(
    {length: pages},
    (_, index) => html`<i ${index <= page && html`class="done"`}></i>`,
  );
  return html`<div class="progress" aria-hidden="true">${bars}</div>`;
}

const soFarLine = (words: Words, total: number | undefined) =>
  total === undefined
    ? none
    : html`<p class="so-far">
        ${total > 0 ? fill(words.soFar, {amount: formatMoney(total, words.locale)}) : words.soFarNothing}
      </p>`;

function fieldMarkup(name: FieldName, {words, asked, promise}: Form, shown: Shown): Html {
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

const langAttribute = (lang: string | undefined) => lang !== undefined && html`lang="${lang}"`;

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

const error = (id: string, sentence: string) =>
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

function summary(words: Words, {errors, consentError, focus}: Shown): Html {
  const names = Object.keys(errors)
    .filter(isField)
    .filter((name) => errors[name]);
  const items = [
    ...names.map((name) => ({id: inputId(name), sentence: sayError(words, name, errors[name] ?? 'invalid')})),
    ...(consentError ? [{id: 'consent', sentence: words.consentErrors[consentError]}] : []),
  ];
  if (items.length < 2) return none;
  const list = items.map(({id, sentence}) => html`<li><a href="#${id}" target="_self">${sentence}</a></li>`);
  return alert(
    'summary',
    words.summary,
    html`<ul>
      ${list}
    </ul>`,
    focus === 'problem',
  );
}

const inputId = (name: FieldName) => (hasButtons(name) ? `${name}-0` : name);

const alert = (id: string, title: string, content: Html, focused: boolean) =>
  html`<div
    class="alert"
    role="group"
    aria-labelledby="${id}-title"
    tabindex="-1"
    ${focused && html`autofocus`}
  >
    ${warning}
    <div>
      <p class="alert-title" id="${id}-title">${title}</p>
      ${content}
    </div>
  </div>`;

/** People do not see this field: a value in it comes from a bot, or from a browser that fills in fields. */
const trap = html`<div class="unseen" aria-hidden="true">
  <input name="website" type="text" tabindex="-1" autocomplete="off" />
</div>`;

function consentMarkup(
  {text, version, required, lang}: ConsentText,
  form: Form,
  {consentError, agreed}: Shown,
  privacy: Html,
): Html {
  const language = langAttribute(lang);
  const described = consentError && html`aria-describedby="consent-error"`;
  // A text without a language has no links and no placeholder.
  const content = lang === undefined ? html`${text}` : consentContent(text, form);
  const attributes = html`id="consent" ${described}`;
  const box = html`type="checkbox" name="consent" value="${version}" required
  aria-invalid="${String(consentError !== undefined)}" ${agreed === version && html`checked`}`;
  const shown = required
    ? html`<input ${attributes} ${box} /><label for="consent" ${language}>${content}</label>`
    : html`<div ${attributes} tabindex="-1" role="group"><p ${language}>${content}</p></div>`;
  // The text has lines of its own, so a line of the markup would be one of them.
  const inside = html`${hidden(carried.seen, version)}${shown}${privacy}`;
  return html`<div class="consent" data-field="consent" dir="auto">${inside}</div>`;
}

const consentContent = (text: string, {words, leadType}: Form): Html =>
  html`${consentParts(text).map((part) => {
    if ('button' in part) return html`<b>${sendLabel(words, leadType)}</b>`;
    return 'href' in part
      ? html`<a href="${part.href}" target="_blank" rel="noopener">${part.text}</a>`
      : html`${part.text}`;
  })}`;

const warning = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.9 3h1.8v5H7.1V4Zm0 6.2h1.8V12H7.1v-1.8Z" />
</svg>`;

const lock = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H3v8h10V7h-1.5V4.5A3.5 3.5 0 0 0 8 1Zm2 6H6V4.5a2 2 0 1 1 4 0V7Z" />
</svg>`;
