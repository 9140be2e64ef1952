/**
 * What can be chosen about a snippet: attributes of the form, its looks, and the version of its script. The page of
 * snippets makes its fields from these tables, and `lead-prequal partners snippet` its options. Each value is checked
 * here, and nowhere else.
 */
import {z} from 'zod';
import {formLanguages} from '../../form/words/languages.ts';
import {contextPrefix} from '../../contract/embed.ts';
import type {Partner} from '../config/partners.ts';
import {inWords} from '../config/values.ts';
import {themeNames, themes, type Theme, type ThemeName} from './themes.ts';
import type {Attributes} from './markup.ts';
import {
  color,
  contextText,
  conversionLabel,
  fontFamilies,
  globalName,
  length,
  link,
  serverUrl,
  words,
} from './values.ts';

/** How people choose the value on a page. */
export type Control =
  /** The labels of the values. The first one is the default. */
  | {kind: 'select'; options: Readonly<Record<string, string>>}
  | {kind: 'checkbox'}
  | {kind: 'text' | 'url' | 'color'; placeholder: string};

export type Choice = {
  label: string;
  control: Control;
  /** Gives the value that the snippet has, or undefined for a default of the form, which the snippet leaves out. */
  schema: z.ZodType<string | true | undefined>;
  /** What the snippet has if nothing is chosen. Undefined for a default of the form. */
  usual?: true;
  /** A sentence for those who hesitate. */
  help?: string;
};

/** @param written what the snippet has for a value, if that is not the value itself */
function select(
  label: string,
  options: Readonly<Record<string, string>>,
  written: Readonly<Record<string, string | undefined>> = {},
): Choice {
  const [usual, ...others] = Object.keys(options) as [string, ...string[]];
  const schema = z
    .enum([usual, ...others])
    .transform((value) =>
      Object.hasOwn(written, value) ? written[value] : value === usual ? undefined : value,
    );
  return {label, control: {kind: 'select', options}, schema};
}

const checkbox = (label: string): Choice => ({
  label,
  control: {kind: 'checkbox'},
  schema: z.literal('on', 'must be on').transform(() => true as const),
});

const field = (
  kind: 'text' | 'url' | 'color',
  label: string,
  placeholder: string,
  schema: z.ZodType<string>,
  help?: string,
): Choice => ({label, control: {kind, placeholder}, schema, ...(help && {help})});

/** `English`, `español`: the name of a language in that language. */
const nameOf = (tag: string) => new Intl.DisplayNames(tag, {type: 'language'}).of(tag) ?? tag;

const partnerLink =
  'Without it, the form shows the link of your configuration, if we have set one up for you.';

/** The attributes of the form besides `partner`, in the order in which snippets have them. */
export const attributeChoices = {
  endpoint: field(
    'url',
    'Server that gets the leads',
    'https://leads.example.com',
    serverUrl,
    'Only for pages that load the form from one server and send its leads to another.',
  ),
  'lead-type': select('What the form asks for', {prequalification: 'Everything', standard: 'Contact data'}),
  layout: select('Layout', {steps: 'Three steps', single: 'All on one page'}),
  order: select('What comes first', {'funds-first': 'Credit and funds', 'contact-first': 'Contact data'}),
  advance: select('After the question about a bankruptcy', {
    tap: 'A tap on the answer goes on',
    button: 'The button goes on',
  }),
  presentation: select('Where the form appears', {
    inline: 'In the page',
    dialog: 'In a dialog that a link opens',
  }),
  theme: select(
    'Light or dark',
    {default: 'As the look', auto: 'As the page', light: 'Light', dark: 'Dark'},
    {auto: 'auto'},
  ),
  lang: select('Language', {
    page: 'As the page',
    ...Object.fromEntries(formLanguages.map((tag) => [tag, nameOf(tag)])),
  }),
  'privacy-href': field('url', 'Your privacy page', 'https://www.example.com/privacy', link),
  'trust-line': field(
    'text',
    'A line that builds trust, on the first step',
    'Rated 4.9 by 312 owners',
    words,
    'Only what is true and can be shown.',
  ),
  'cta-href': field('url', 'Link below the result', 'https://www.example.com/book', link, partnerLink),
  'cta-label': field('text', 'Text of that link', 'Book a call', words, 'The link needs both.'),
  draft: {
    label: 'If visitors are interrupted',
    control: {kind: 'select', options: {on: 'Keep answers', off: 'Keep nothing'}},
    schema: z.enum(['on', 'off']).transform((value) => (value === 'on' ? true : undefined)),
    usual: true,
    help: 'What they typed is kept in the session storage of their tab, for half an hour or until the lead is answered. No consent is kept.',
  },
  history: checkbox('Let Back and Forward go from step to step'),
  'prefill-from-url': checkbox('Fill in contact data from the address of the page'),
  'thanks-href': field(
    'url',
    'Page after the form',
    '/thanks',
    link,
    'On your own site. After contact data alone it opens at once, and else by a button below the amounts. A parameter "reference" in the address gets the reference.',
  ),
  'data-layer': field(
    'text',
    'Array for analytics events',
    'dataLayer',
    globalName,
    'Events of the form are also pushed to this array of the page.',
  ),
  sandbox: select(
    'What happens to leads on your page',
    {
      live: 'They are sent',
      succeeds: 'Sample: success',
      none: 'Sample: no amounts',
      pending: 'Sample: pending',
      refused: 'Sample: refused',
      failed: 'Sample: failure',
    },
    // The element takes an empty value for a lead that succeeds.
    {succeeds: ''},
  ),
} as const satisfies Readonly<Record<string, Choice>>;

const absolute = ['px', 'em', 'rem'];

/** Custom properties of the form, without `--prequal-`. */
export const styleChoices = {
  accent: field('color', 'Accent', 'Automatic', color),
  background: field('color', 'Background', 'Automatic', color),
  text: field('color', 'Text', 'Automatic', color),
  field: field('color', 'Fields', 'Automatic', color),
  line: field('color', 'Lines of fields', 'Automatic', color),
  progress: field('color', 'Progress', 'Automatic', color),
  error: field('color', 'Errors', 'Automatic', color),
  font: field('text', 'Font', 'That of the page', fontFamilies),
  'heading-font': field('text', 'Font of titles', 'That of the page', fontFamilies),
  radius: field('text', 'Corner radius', '12px', length(absolute, '12px')),
  space: field('text', 'Spacing', '4px', length(absolute, '4px'), '3px is compact, 5px is spacious.'),
  'sticky-top': field('text', 'Height of a header that stays at the top', '0px', length(absolute, '72px')),
  'max-width': field('text', 'Maximum width', '640px', length([...absolute, '%'], '640px')),
} as const satisfies Readonly<Record<string, Choice>>;

/** The choices that are neither an attribute nor a property of the form. */
const generalChoices = {
  look: select('Look', {
    none: 'Its own',
    ...Object.fromEntries(themeNames.map((name) => [name, themes[name].label])),
  }),
  version: select('Version', {pinned: 'Exactly this one, with its hash', newest: 'Always the newest one'}),
  'google-ads': field(
    'text',
    'Conversion in Google Ads',
    'AW-123456789/AbC-D_efG',
    conversionLabel,
    'Its "send_to". Your page needs the Google tag (gtag.js). Not for Wix, frames and e-mails.',
  ),
} as const satisfies Readonly<Record<string, Choice>>;

type Choosable = Pick<Partner, 'leadTypes' | 'contextFields'>;

/** The hidden fields of a partner. They are attributes of the form, too. */
export const contextChoices = (partner: Choosable | undefined): Readonly<Record<string, Choice>> =>
  Object.fromEntries(
    (partner?.contextFields ?? []).map(({name}) => [
      `${contextPrefix}${name}`,
      field('text', name, 'Nothing', contextText),
    ]),
  );

/** @param partner without one, there are no hidden fields */
export const choicesFor = (partner?: Choosable): Readonly<Record<string, Choice>> => ({
  ...generalChoices,
  ...attributeChoices,
  ...contextChoices(partner),
  ...styleChoices,
});

export type Choices = {
  attributes: Attributes;
  /** CSS values by custom property. */
  properties: Readonly<Record<string, string>>;
  theme: Theme | undefined;
  /** `newest` lets the form move on to each new version by itself, and so has no hash. */
  version: 'pinned' | 'newest';
  /** The `send_to` of a conversion. */
  googleAds: string | undefined;
};

export const noChoices: Choices = {
  attributes: {draft: true},
  properties: {},
  theme: undefined,
  version: 'pinned',
  googleAds: undefined,
};

/** The faults of wrong values, by the name of the choice. They never repeat the value. */
export type Faults = Readonly<Record<string, string>>;

type Read = {choices: Choices; faults: Faults};

/**
 * Reads what was chosen. A wrong value is reported, and left out of the choices.
 * @param given by the name of a choice; other names are ignored, and an empty text chooses the default
 * @param partner whose lead types and hidden fields can be chosen, if it is known
 */
export function readChoices(given: Readonly<Record<string, unknown>>, partner?: Choosable): Read {
  const faults: Record<string, string> = {};
  const read = (table: Readonly<Record<string, Choice>>) => {
    const found: Record<string, string | true> = {};
    for (const [name, {schema, usual}] of Object.entries(table)) {
      const value = given[name];
      const isChosen = value !== undefined && value !== '';
      const {data, error} = isChosen ? schema.safeParse(value, {error: inWords}) : {data: usual};
      const written = error ? usual : data;
      if (written !== undefined) found[name] = written;
      if (error) faults[name] = error.issues[0]?.message ?? 'is wrong';
    }
    return found;
  };

  const {look: themeName, version = 'pinned', 'google-ads': googleAds} = read(generalChoices);
  const theme = themeName === undefined ? undefined : themes[themeName as ThemeName];
  const attributes = read({...attributeChoices, ...contextChoices(partner)});
  const taken = partner?.leadTypes;
  const asked = given['lead-type'];
  if (taken && asked && !faults['lead-type'] && !taken.some((type) => type === asked)) {
    faults['lead-type'] = `must be ${taken.join(' or ')}: this partner takes no other leads`;
    delete attributes['lead-type'];
  }
  const properties: Record<string, string | true> = {...theme?.properties, ...read(styleChoices)};

  attributes['theme'] ??= theme?.colorScheme ?? 'auto';
  // The default of the form.
  if (attributes['theme'] === 'auto') delete attributes['theme'];

  const choices = {
    attributes: inOrder(attributes),
    properties: Object.fromEntries(
      Object.keys(styleChoices)
        .filter((name) => Object.hasOwn(properties, name))
        .map((name) => [`--prequal-${name}`, String(properties[name])]),
    ),
    theme,
    version: version as Choices['version'],
    googleAds: googleAds as Choices['googleAds'],
  };
  return {choices, faults};
}

/** The same attributes in the order of the table, so that the same choices always give the same text. */
export const inOrder = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    [...Object.keys(attributeChoices), ...Object.keys(contextOf(attributes))]
      .filter((name) => attributes[name] !== undefined)
      .map((name) => [name, attributes[name] ?? '']),
  );

/** The hidden fields among the attributes. The query of the apply page has them by the same names. */
export const contextOf = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name.startsWith(contextPrefix))
      .map(([name, value]) => [name, String(value)]),
  );
