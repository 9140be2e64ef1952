/**
 * The form as HTML, which works without a script and is replaced by the element when that has arrived. It has the structure
 * of widget/form-view.ts, because both have the styles of form/styles/. What it says and asks comes from form/.
 */
import type {ConsentText} from '../../../contract/embed.ts';
import {consentParts, linksTo} from '../../../form/consent-text.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {fieldsOf, fieldTable, type FieldName, type Step} from '../../../form/pages.ts';
import {isField} from '../../../form/read-fields.ts';
import {fill} from '../../../form/words/fill.ts';
import {sayError, sayUse, sendLabel, stepTitle, type Words} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import {error, fieldMarkup, inputId, langAttribute, warning} from './field-markup.ts';
import {carried, type Form, type Shown} from './form-post.ts';

/** What stands around the fields, and comes from the partner. */
export type Around = {
  /** Where the form is sent: the query of the page. */
  action: string;
  consent: ConsentText | null;
  privacyHref: string | undefined;
  optsOut: boolean;
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
      ${isLast && around.optsOut && html`<p>${words.optOut}</p>`}
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

const lock = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H3v8h10V7h-1.5V4.5A3.5 3.5 0 0 0 8 1Zm2 6H6V4.5a2 2 0 1 1 4 0V7Z" />
</svg>`;
