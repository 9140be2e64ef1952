/** The snippet that partners paste into their pages, as docs/embedding.md shows it. */
import {readFileSync} from 'node:fs';
import {elementName} from '../../contract/api.ts';
import {fallbackRules} from '../../server/snippets/fallback.ts';
import {reservedHeightRule, reservedHeights} from '../../form/reserved-heights.ts';

/**
 * @param script the tag of the built file
 * @param attribute replaces the one that names the partner
 */
export function documentedSnippet(script: string, attribute: string): string {
  const [, example = ''] =
    /### Your own HTML[^]*?```html\n([^]*?)```/.exec(readFileSync('docs/embedding.md', 'utf8')) ?? [];
  const snippet = example
    .replace(/<script[^]*?<\/script>/, script)
    .replace(/<style>[^]*?<\/style>/, `<style>${fallbackRules}</style>`)
    .replace(/partner="[^"]*"/, attribute);
  if (!snippet.includes(`<${elementName}`)) throw new Error('docs/embedding.md has no snippet');
  return snippet;
}

/** The same snippet for a form whose fields are all on one page, which needs more height. */
export const singleSnippet = (snippet: string) =>
  `<style>${reservedHeightRule('.single', reservedHeights.single)}</style>
   ${snippet.replace(/style="[^"]*"/, 'class="single" layout="single"')}`;
