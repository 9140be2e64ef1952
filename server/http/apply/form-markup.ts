/**
 * The form as HTML, which works without a script and is replaced by the element when that has arrived. It has the structure
 * of widget/form-view.ts, because both have the styles of form/styles/. What it says and asks comes from form/.
 */
import type {ConsentText} from '../../../contract/embed.ts';
import {consentParts, linksTo} from '../../../form/consent-text.ts';
import {isFolded, type FieldName, type Page, type Step} from '../../../form/pages.ts';
import {partnerView} from '../../../form/views/partner.ts';
import {trap} from '../../../form/views/trap.ts';
import {fill} from '../../../form/words/fill.ts';
import {sayError, sayUse, sendLabel, stepTitle} from '../../../form/words/words.ts';
import {html, type Html} from '../../html/html.ts';
import {litMarkup} from '../../html/lit-markup.ts';
import {error, fieldMarkup, inputId, langAttribute, warning} from './field-markup.ts';
import {carried, type Form, type Shown} from './form-post.ts';

const none = html``;

export function formMarkup(form: Form, shown: Shown): Html {
  const {words, leadType, steps, about, action, consent, privacyHref, optsOut} = form;
  const awaits = shown.awaitsElement === true && steps.length > 1;
  const late = awaits && 'late';
  const privacy = privacyHref
    ? html`<a href="${privacyHref}" target="_blank" rel="noopener">${words.privacy}</a>`
    : none;
  const use = (pages: readonly Page[]) =>
    html`<p class="why">${lock}<span>${sayUse(words, leadType, 0, pages)} ${privacy}</span></p>`;
  const trust = about?.lines.find(({name}) => name === 'trust');
  const trustLine = trust && html`<b ${langAttribute(trust.lang)}>${trust.text}</b>`;
  const isLinked =
    privacyHref !== undefined && consent?.lang !== undefined && linksTo(consent.text, privacyHref);
  // The first button of a form is also that for Enter.
  const next = html`<div class="use awaited">${use(steps.map((step) => [step]))} ${trustLine}</div>
    <div class="actions awaited">
      <button class="main" type="submit" name="${carried.next}" value="1">${words.next}</button>
    </div>`;
  return html`<form
    method="post"
    action="${action}"
    target="_self"
    accept-charset="utf-8"
    novalidate
    autocapitalize="words"
    spellcheck="false"
    data-step="${steps.at(awaits ? 0 : -1)?.name}"
  >
    ${summary(form, shown)} ${hidden(carried.token, shown.token)}
    ${hidden(carried.again, Object.keys(shown.values).length > 0 ? '1' : undefined)}
    ${awaits && progress(steps.length)}
    ${steps.map(
      (step, index) =>
        html`${stepMarkup(step, form, shown, awaits && (index === 0 ? 'first' : late))}
        ${index === 0 && awaits && next}`,
    )}
    <div class="use ${late}">
      ${litMarkup(trap)}
      ${consent ? consentMarkup(consent, form, shown, isLinked ? none : privacy) : use([steps])} ${trustLine}
      ${optsOut && html`<p>${words.optOut}</p>`}
    </div>
    ${shown.consentError && error('consent', words.consentErrors[shown.consentError])}
    ${
      shown.notice &&
      alert(
        'notice',
        shown.notice.title,
        html`<p>${shown.notice.text}</p>
          ${shown.notice.more}`,
        shown.focus === 'problem',
      )
    }
    <div class="actions ${late}">
      <button class="main" type="submit">${sendLabel(words, leadType)}</button>
    </div>
  </form>`;
}

export const hidden = (name: string, value: string | undefined): Html =>
  value === undefined ? none : html`<input type="hidden" name="${name}" value="${value}" />`;

function stepMarkup(step: Step, form: Form, shown: Shown, place: 'first' | 'late' | false): Html {
  const {words, steps} = form;
  const classes = [!step.title && 'alone', place === 'late' && place].filter(Boolean).join(' ');
  const count =
    place === 'first' &&
    html`<span class="count awaited">${fill(words.step, {step: 1, of: steps.length})}</span>`;
  const asked = form.asked.filter(isFolded).map(({name}) => name);
  const [own, folded] = [false, true].map((is) => step.fields.filter((name) => asked.includes(name) === is));
  return html`<section ${classes && html`class="${classes}"`} data-step="${step.name}">
    <h2 tabindex="-1" ${shown.focus === step.name && html`autofocus`}>
      ${count} <span part="heading">${stepTitle(words, step)}</span>
    </h2>
    <div class="fields">
      ${own?.map((name) => fieldMarkup(name, form, shown))} ${step.name === 'contact' && partnerMarkup(form)}
      ${foldMarkup(folded ?? [], form, shown)}
    </div>
  </section>`;
}

/** As on a first page of the element, whose line that builds trust stands above the button. */
function partnerMarkup({about}: Form): Html {
  const lines = about?.lines.filter(({name}) => name !== 'trust') ?? [];
  return lines.length > 0 ? litMarkup(partnerView({...about, lines})) : none;
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

/** Of the element, which shows a step at a time. */
const progress = (steps: number) =>
  html`<div class="progress awaited" aria-hidden="true">
    <i part="bar-done"></i>${Array.from({length: steps - 1}, () => html`<i></i>`)}
  </div>`;

function summary({words, rows}: Form, {errors, consentError, focus}: Shown): Html {
  const names = (Object.keys(errors) as FieldName[]).filter((name) => errors[name]);
  const items = [
    ...names.map((name) => ({
      id: inputId(name),
      sentence: sayError(words, name, errors[name] ?? 'invalid', rows),
    })),
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

function consentMarkup(
  {text, version, required, lang}: ConsentText,
  form: Form,
  {errors, consentError, agreed, focus}: Shown,
  privacy: Html,
): Html {
  const language = langAttribute(lang);
  const described = consentError && html`aria-describedby="consent-error"`;
  // A text without a language has no links and no placeholder.
  const content = lang === undefined ? html`${text}` : consentContent(text, form);
  const focused = focus === 'problem' && consentError && Object.keys(errors).length === 0;
  const attributes = html`id="consent" ${described} ${focused && html`autofocus`}`;
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
