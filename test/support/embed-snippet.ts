/** The snippet that partners paste into their pages, as docs/embedding.md shows it. */
import {readFileSync} from 'node:fs';
import {elementName} from '../../contract/api.ts';
import {reservedHeightRule, reservedHeights} from '../../form/reserved-heights.ts';

/**
 * @param script the tag of the built file
 * @param attribute replaces the one that names the partner
 */
export function documentedSnippet(script: string, attribute: string): string {
  const [, example = ''] =
    /### Your own HTML[^]*?```html\n([^]*?)```/.exec(readFileSync('docs/embedding.md', 'utf8')) ?? [];
  const snippet = example.replace(/<script[^]*?<\/script>/, script).replace(/partner="[^"]*"/, attribute);
  if (!snippet.includes(`<${elementName}`)) throw new Error('docs/embedding.md has no snippet');
  return snippet;
}

/** The attribute of a form whose first screen is not the default one, by the name of the height that it needs. */
const attributes = {
  contactFirst: 'order="contact-first"',
  standard: 'lead-type="standard"',
  single: 'layout="single"',
} as const satisfies Partial<Record<keyof typeof reservedHeights, string>>;

/** The same snippet for such a form. */
export const arranged = (snippet: string, name: keyof typeof attributes) =>
  `<style>${reservedHeightRule(`.${name}`, reservedHeights[name])}</style>
   ${snippet.replace(/style="[^"]*"/, `class="${name}" ${attributes[name]}`)}`;
