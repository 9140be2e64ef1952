/** The fields in which people choose what their snippet is like. */
import type {Partner} from '../../config/partners.ts';
import {contentFor} from '../../../form/words/partner-text.ts';
import {html, type Html} from '../../html/html.ts';
import {
  attributeChoices,
  contextChoices,
  styleChoices,
  type Choice,
  type Choices,
  type Faults,
} from '../../snippets/choices.ts';
import {themeNames, themes} from '../../snippets/themes.ts';

/** What the query of the page's address chooses. */
export type Chosen = {
  query: Readonly<Record<string, string>>;
  /** Undefined if the query names none, or one that is not known. */
  partner: Partner | undefined;
  /** What can be chosen for this partner. */
  table: Readonly<Record<string, Choice>>;
  faults: Faults;
  choices: Choices;
};

/** Fields that most people want to see. The others are in groups that can be opened. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'More about its looks': ['theme', ...Object.keys(styleChoices).filter((name) => name !== 'accent')],
  'More about what it does': [
    ...Object.keys(attributeChoices).filter(
      (name) => !['lead-type', 'layout', 'lang', 'theme'].includes(name),
    ),
    'google-ads',
    'version',
  ],
};

/** The link of the partner, in the language of the form: English, if it is that of the page. */
export const linkOf = ({cta}: Partner, {attributes: {lang}}: Choices) =>
  contentFor(cta, lang?.toString() ?? 'en')?.content;

/** What applies if the field is left empty. */
function placeholderOf(name: string, placeholder: string, {choices, partner}: Chosen): string {
  const link = partner && linkOf(partner, choices);
  const ofPartner = {
    accent: partner?.colors?.accent,
    'privacy-href': partner?.privacyHref,
    'trust-line': contentFor(partner?.trustLine, choices.attributes['lang']?.toString() ?? 'en')?.content,
    'cta-href': link?.href,
    'cta-label': link?.label,
  };
  return (
    choices.theme?.properties[name] ??
    (Object.hasOwn(ofPartner, name) ? ofPartner[name as keyof typeof ofPartner] : undefined) ??
    placeholder
  );
}

/** A line below a field, which the field names as its description. */
const line = (id: string, kind: string, text: string | undefined) =>
  html`<p id="${id}" class="${kind}">${text}</p>`;

/** The line that says what is wrong with a value. It is empty if nothing is. */
function faultLine(name: string, {faults, table}: Chosen): Html {
  const fault = faults[name];
  return line(`fault-${name}`, 'fault', fault && `${table[name]?.label} ${fault}.`);
}

const invalid = (name: string, {faults}: Chosen) => faults[name] !== undefined && html`aria-invalid="true"`;

/** The default is an empty value, so that a form that is sent without a choice chooses nothing. */
function select(name: string, options: Readonly<Record<string, string>>, state: Chosen): Html {
  const [usual] = Object.keys(options);
  const taken = state.partner?.leadTypes;
  const offered = Object.entries(options).filter(
    ([value]) => name !== 'lead-type' || !taken || taken.some((type) => type === value),
  );
  return html`<select
    id="choice-${name}"
    name="${name}"
    ${invalid(name, state)}
    aria-describedby="fault-${name} ${state.table[name]?.help !== undefined && `help-${name}`}"
  >
    ${offered.map(
      ([value, label]) =>
        html`<option value="${value === usual ? '' : value}" ${state.query[name] === value && html`selected`}>
          ${label}
        </option>`,
    )}
  </select>`;
}

function field(name: string, state: Chosen): Html {
  const {label, control, help} = state.table[name] as Choice;
  const value = state.query[name];
  const id = `choice-${name}`;
  if (control.kind === 'checkbox')
    return html`<div class="field check">
      <label
        ><input
          type="checkbox"
          id="${id}"
          name="${name}"
          ${value === 'on' && html`checked`}
          ${invalid(name, state)}
          aria-describedby="fault-${name}"
        />${label}</label
      >
      ${faultLine(name, state)}
    </div>`;
  const input =
    control.kind === 'select'
      ? select(name, control.options, state)
      : html`<input
          id="${id}"
          name="${name}"
          type="text"
          value="${value ?? ''}"
          placeholder="${placeholderOf(name, control.placeholder, state)}"
          autocomplete="off"
          spellcheck="false"
          ${control.kind === 'url' && html`inputmode="url"`}
          ${Object.hasOwn(styleChoices, name) && html`data-style`}
          ${invalid(name, state)}
          aria-describedby="fault-${name} ${help !== undefined && `help-${name}`}"
        />`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${
      control.kind === 'color'
        ? html`<span class="color"
            >${input}<input type="color" data-for="${id}" aria-label="${label}: pick a colour" hidden
          /></span>`
        : input
    }
    ${help !== undefined && line(`help-${name}`, 'help', help)} ${faultLine(name, state)}
  </div>`;
}

/**
 * The page of a theme with its accent colour. Attributes of SVG need no inline style, which the policy forbids.
 * @param own the colour of the partner
 */
function sample(name: string, own: string | undefined): Html {
  const theme = themes[name as keyof typeof themes] as (typeof themes)[keyof typeof themes] | undefined;
  const accent = theme?.properties.accent ?? own;
  const radius = Number.parseInt(theme?.properties.radius ?? '8', 10) / 2;
  return html`<svg viewBox="0 0 64 40" aria-hidden="true">
    <rect width="64" height="40" rx="6" class="page" ${theme && html`fill="${theme.page}"`} />
    <rect
      x="12"
      y="14"
      width="40"
      height="12"
      rx="${Math.min(radius, 6)}"
      class="accent"
      ${accent !== undefined && html`fill="${accent}"`}
    />
  </svg>`;
}

function lookField(state: Chosen): Html {
  const {control} = state.table['look'] as Choice;
  const labels = control.kind === 'select' ? control.options : {};
  const chosen = state.query['look'] || 'none';
  return html`<fieldset class="looks" aria-describedby="fault-look">
    <legend>Look</legend>
    ${['none', ...themeNames].map(
      (name) =>
        html`<label
          ><input type="radio" name="look" value="${name}" ${chosen === name && html`checked`} />${sample(
            name,
            state.partner?.colors?.accent,
          )}<span>${labels[name]}</span></label
        >`,
    )}
    ${faultLine('look', state)}
  </fieldset>`;
}

function partnerField({query, partner, faults}: Chosen): Html {
  const fault = faults['partner'];
  return html`<div class="field partner">
    <label for="choice-partner">Your partner key</label>
    <input
      id="choice-partner"
      name="partner"
      type="text"
      value="${query['partner'] ?? ''}"
      placeholder="acme"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      ${fault !== undefined && html`aria-invalid="true"`}
      aria-describedby="fault-partner help-partner"
    />
    ${line('help-partner', 'help', partner ? `This is the form of ${partner.name}.` : 'We gave it to you. Without it you see a sample.')}
    ${line('fault-partner', 'fault', fault && `This key ${fault}.`)}
  </div>`;
}

const isSet = (name: string, {query, faults, table}: Chosen) => {
  const {control} = table[name] as Choice;
  const usual = control.kind === 'select' ? Object.keys(control.options)[0] : '';
  const value = query[name] ?? '';
  return (value !== '' && value !== usual) || faults[name] !== undefined;
};

const group = (title: string, content: Html, names: readonly string[], state: Chosen) =>
  html`<details ${names.some((name) => isSet(name, state)) && html`open`}>
    <summary>${title}</summary>
    ${content}
    <div class="grid">${names.map((name) => field(name, state))}</div>
  </details>`;

/** They stand in an element of their own, which is empty for most partners, because each partner has others. */
function contextGroup(state: Chosen): Html {
  const names = Object.keys(contextChoices(state.partner));
  const about = html`<p class="help">
    What your page tells us about itself, such as a brand or a store. It goes along with each lead. Anybody
    can read it, so never write anything about a person.
  </p>`;
  return html`<div id="context-fields">
    ${names.length > 0 && group('Hidden fields', about, names, state)}
  </div>`;
}

export const choiceFields = (state: Chosen): Html =>
  html`${partnerField(state)} ${lookField(state)}
    <div class="grid">${['accent', 'layout', 'lead-type', 'lang'].map((name) => field(name, state))}</div>
    ${Object.entries(groups).map(([title, names]) => group(title, html``, names, state))}
    ${contextGroup(state)}`;
