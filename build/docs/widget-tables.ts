/** The tables of docs/widget.md: everything about the element that a page can use. */
import {readFileSync} from 'node:fs';
import {extname} from 'node:path';
import {elementName} from '../../contract/api.ts';
import {languages} from '../../form/words/languages.ts';
import {reservedHeightRule, reservedHeights} from '../../form/reserved-heights.ts';
import {readElement, type Member} from './manifest.ts';
import {code, fenced, table, type Tables} from './markdown.ts';

const element = readElement();

const withoutQuotes = (text: string | undefined) => text?.replace(/^'(.*)'$/, '$1');

/** The values of a union of literals as `a`, `b`. For any other type, the type itself. */
function choices(type = ''): string {
  const words = type.split(' | ').filter((part) => part !== 'undefined');
  return words.every((word) => word.startsWith("'"))
    ? words.map((word) => code(withoutQuotes(word))).join(', ')
    : words.join(' or ');
}

function reservedHeightsText(): string {
  const {steps, ...others} = reservedHeights;
  const attributes = {
    'contact-first': 'order="contact-first"',
    standard: 'lead-type="standard"',
    single: 'layout="single"',
  } satisfies Record<keyof typeof others, string>;
  const rows = (['contact-first', 'standard', 'single'] as const).map((name) => [
    code(attributes[name]),
    code(others[name]),
  ]);
  return `${fenced('css', reservedHeightRule(elementName, steps))}

${table(['Other forms', 'Height'], rows)}`;
}

function languagesTable(): string {
  const nameIn = new Intl.DisplayNames('en', {type: 'language'});
  const tags = ['en', ...Object.keys(languages)];
  return table(
    ['`lang`', 'Language'],
    tags.map((tag) => [code(tag), nameIn.of(tag) ?? tag]),
  );
}

/** The code of an app that `npm run test:frameworks` runs. */
const exampleCode = (path: string) => () =>
  fenced(extname(path).slice(1), readFileSync(`test/frameworks/${path}`, 'utf8').trimEnd());

/** Stands in the table where an attribute has no property, or a property no attribute. */
const none = '–';

function attributesTable(): string {
  const fields = element.members.filter((member) => member.kind === 'field' && !member.static);
  const lines = fields.map(({name, attribute, type, default: value, description = ''}) => [
    code(attribute) || none,
    name === attribute ? '' : code(name),
    choices(type?.text),
    code(withoutQuotes(value)),
    description,
  ]);
  const alone = element.attributes.filter(({fieldName}) => !fieldName);
  for (const {name, type, default: value, description = ''} of alone) {
    lines.push([code(name), none, choices(type?.text), code(withoutQuotes(value)), description]);
  }
  return table(['Attribute', 'Property', 'Value', 'Default', 'Meaning'], lines);
}

const methods = element.members.filter(({kind}) => kind === 'method');

const signature = ({name, parameters = []}: Member) =>
  `${name}(${parameters.map((parameter) => parameter.name).join(', ')})`;

const described = (list: readonly {name: string; description?: string}[], nameless = '') =>
  list.map(({name, description}) => [code(name) || nameless, description ?? '']);

export const widgetTables: Tables = {
  attributes: attributesTable,
  methods: () =>
    table(
      ['Method', 'Meaning'],
      methods.map((method) => [code(signature(method)), method.description ?? '']),
    ),
  events: () => table(['Event', 'When'], described(element.events)),
  slots: () => table(['Slot', 'Content'], described(element.slots, '(no name)')),
  parts: () => table(['Part', 'What it is'], described(element.cssParts)),
  states: () =>
    table(
      ['State', 'When'],
      element.cssStates.map(({name, description = ''}) => [code(`:state(${name})`), description]),
    ),
  languages: languagesTable,
  reservedHeights: reservedHeightsText,
  react: exampleCode('react/funding.tsx'),
  vue: exampleCode('vue/Funding.vue'),
  vueConfig: exampleCode('vue/vite.config.ts'),
  svelte: exampleCode('svelte/Funding.svelte'),
  angular: exampleCode('angular/funding.ts'),
  astro: exampleCode('astro/src/components/Funding.astro'),
  colors: () =>
    table(
      ['Custom property', 'Default', 'Meaning'],
      element.cssProperties.map((property) => [
        code(property.name),
        code(property.default),
        property.description ?? '',
      ]),
    ),
};
