/**
 * Creates the custom-elements manifest of the element from its class: from the doc block above the class, and the
 * comments and types of its public members. The documentation, the data for editors and the npm package are made from
 * it.
 */
import {readFileSync} from 'node:fs';
import {create, ts} from '@custom-elements-manifest/analyzer';
import {litPlugin} from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js';

type Described = {name: string; description?: string};
export type Typed = Described & {type?: {text: string}; default?: string};

/** `fieldName` is the property that belongs to the attribute, if there is one. */
export type Attribute = Typed & {fieldName?: string};
export type Member = Typed & {
  kind: 'field' | 'method';
  privacy?: 'public' | 'protected' | 'private';
  attribute?: string;
  static?: boolean;
  parameters?: readonly Typed[];
  return?: {type: {text: string}};
};

export type ElementReference = {
  kind: 'class';
  tagName: string;
  summary: string;
  attributes: readonly Attribute[];
  /** The public members. */
  members: readonly Member[];
  events: readonly Typed[];
  slots: readonly Described[];
  cssParts: readonly Described[];
  cssProperties: readonly Typed[];
};

export type Manifest = {modules: {path: string; declarations: ElementReference[]}[]};

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

const source = 'widget/lead-prequal-form.ts';

/** Only defaults that are literals are listed. The description of a property should mention any other default. */
const isLiteral = (value: string) => /^('.+'|[\d.]+|true|false)$/.test(value);

/** @throws Error when a public part of the element has no description */
export function readManifest(): {manifest: Manifest; element: ElementReference} {
  const file = ts.createSourceFile(source, readFileSync(source, 'utf8'), ts.ScriptTarget.ES2022, true);
  const manifest = create({modules: [file], plugins: litPlugin(), context: {dev: false}}) as Manifest;
  const element = manifest.modules[0]?.declarations.find((declaration) => declaration.kind === 'class');
  if (!element) throw new Error(`${source} holds no element`);
  element.members = element.members.filter(({privacy = 'public'}) => privacy === 'public');

  const {attributes, members, events, slots, cssParts, cssProperties} = element;
  const described: readonly Described[] = [
    ...attributes,
    ...members,
    ...events,
    ...slots,
    ...cssParts,
    ...cssProperties,
  ];
  for (const item of described) {
    if (!item.description) throw new Error(`${source} does not say what "${item.name}" is for`);
    item.description = oneLine(item.description);
  }
  for (const item of [...attributes, ...members]) if (!isLiteral(item.default ?? '')) delete item.default;
  element.summary = oneLine(element.summary);
  return {manifest, element};
}
