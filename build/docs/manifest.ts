/**
 * Reads the reference of the element from its class: from the doc block above the class, and the comments and types of
 * its public members. The documentation, and the custom-elements manifest of the npm package are made from it.
 */
import {readFileSync} from 'node:fs';
import {create, ts} from '@custom-elements-manifest/analyzer';
import {litPlugin} from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js';
import type {
  ClassMethod,
  CustomElementDeclaration,
  CustomElementField,
  Package,
} from 'custom-elements-manifest';
import {elementName, moduleFile} from '../../contract/api.ts';

type Described = {name: string; description?: string};
/** With all lists: the analyzer makes them even where they are empty. */
type ElementReference = Omit<Required<CustomElementDeclaration>, 'members'> & {
  members: (CustomElementField | ClassMethod)[];
};

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

const source = 'widget/lead-prequal-form.ts';

/** Only defaults that are literals are listed. The description of a property should mention any other default. */
const isLiteral = (value: string) => /^('.+'|[\d.]+|true|false)$/.test(value);

/** @throws Error when a public part of the element has no description, or an event no type */
export function readElement(): ElementReference {
  const file = ts.createSourceFile(source, readFileSync(source, 'utf8'), ts.ScriptTarget.ES2022, true);
  const manifest = create({modules: [file], plugins: litPlugin(), context: {dev: false}}) as Package;
  const found = manifest.modules[0]?.declarations?.find((declaration) => declaration.kind === 'class');
  if (!found) throw new Error(`${source} holds no element`);
  const element = found as ElementReference;
  element.members = element.members.filter(({privacy = 'public'}) => privacy === 'public');

  const {attributes, members, events, slots, cssParts, cssProperties, cssStates} = element;
  const described: readonly Described[] = [
    ...attributes,
    ...members,
    ...events,
    ...slots,
    ...cssParts,
    ...cssProperties,
    ...cssStates,
  ];
  for (const item of described) {
    if (!item.description) throw new Error(`${source} does not say what "${item.name}" is for`);
    item.description = oneLine(item.description);
  }
  for (const {name, type} of events) if (!type) throw new Error(`${source} gives "${name}" no type`);
  for (const item of [...attributes, ...members])
    if ('default' in item && !isLiteral(item.default ?? '')) delete item.default;
  element.summary = oneLine(element.summary);
  return element;
}

/**
 * Adds to each description what has the same name among the others. Tools such as Storybook list slots and parts by their
 * names alone, and show only one of two with the same name.
 */
const toldFrom = (kind: string, others: readonly Described[]) => (item: Described) => {
  const other = others.find(({name}) => name === item.name);
  return other
    ? {
        ...item,
        description: `${item.description} (The ${kind} "${item.name}" is something else: ${other.description})`,
      }
    : item;
};

/**
 * The custom-elements manifest of the npm package. It names the files of the package instead of our sources, and what an
 * app can import from them.
 */
export function packageManifest() {
  const element = readElement();
  const {name, summary, slots, cssParts} = element;
  const declaration = {name, module: moduleFile};
  return {
    schemaVersion: '2.1.0',
    readme: 'README.md',
    modules: [
      {
        kind: 'javascript-module',
        path: moduleFile,
        declarations: [
          {
            ...element,
            // Storybook shows the description alone.
            description: summary,
            slots: slots.map(toldFrom('part', cssParts)),
            cssParts: cssParts.map(toldFrom('slot', slots)),
            // The class between the two is no part of the package.
            superclass: {name: 'LitElement', package: 'lit'},
          },
        ],
        exports: [
          {kind: 'js', name, declaration},
          {kind: 'custom-element-definition', name: elementName, declaration},
        ],
      },
    ],
  };
}
