/** The tables of docs/widget.md: everything about the element that a page can use. */
import {readFileSync} from 'node:fs';
import {extname} from 'node:path';
import type {ClassMethod} from 'custom-elements-manifest';
import {elementName} from '../../contract/api.ts';
import {reservedHeightRule, reservedHeights} from '../../form/reserved-heights.ts';
import {readElement} from './manifest.ts';
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

/**
 * The code of an app that `npm run test:frameworks` runs. A style sheet at its end is left out: it has the rules that the
 * guide shows by themselves.
 */
const exampleCode = (path: string) => () => {
  const text = readFileSync(`test/frameworks/${path}`, 'utf8').replace(/<style[^]*/, '');
  return fenced(extname(path).slice(1), text.trimEnd());
};

/** One line for each, which reads better than a table on a phone and in a terminal. */
const list = (items: readonly {name: string; note?: string; description?: string}[]) =>
  items
    .map(({name, note, description = ''}) => `- ${name}${note ? ` (${note})` : ''}: ${description}`)
    .join('\n');

const named = (items: readonly {name: string; description?: string}[]) =>
  list(items.map((item) => ({...item, name: code(item.name) || 'without a name'})));

const fields = element.members.filter((member) => member.kind === 'field').filter((field) => !field.static);

const attributesList = () =>
  list(
    [
      ...fields.flatMap(({attribute, ...field}) => (attribute ? [{...field, name: attribute}] : [])),
      ...element.attributes.filter(({fieldName}) => !fieldName),
    ].map(({name, type, description = ''}) => {
      const values = choices(type?.text);
      return {name: code(name), note: values.startsWith('`') ? values : '', description};
    }),
  );

const methods = element.members.filter((member) => member.kind === 'method');

const signature = ({name, parameters = []}: ClassMethod) =>
  `${name}(${parameters.map((parameter) => parameter.name).join(', ')})`;

export const widgetTables: Tables = {
  attributes: attributesList,
  properties: () => named(fields.filter(({attribute}) => !attribute)),
  methods: () => named(methods.map((method) => ({...method, name: signature(method)}))),
  events: () => named(element.events),
  slots: () => named(element.slots),
  parts: () => named(element.cssParts),
  states: () => named(element.cssStates.map((state) => ({...state, name: `:state(${state.name})`}))),
  reservedHeights: reservedHeightsText,
  react: exampleCode('react/funding.tsx'),
  vue: exampleCode('vue/Funding.vue'),
  vueConfig: exampleCode('vue/vite.config.ts'),
  svelte: exampleCode('svelte/Funding.svelte'),
  angular: exampleCode('angular/funding.ts'),
  astro: exampleCode('astro/src/components/Funding.astro'),
  colors: () =>
    list(
      element.cssProperties.map(({name, default: value, description = ''}) => ({
        name: code(name),
        note: code(value),
        description,
      })),
    ),
};
