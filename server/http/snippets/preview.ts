/** The page in the preview: an empty page of a partner, which holds the very snippet. */
import {html, Html, htmlPage, policyHash} from '../../html/html.ts';
import {blocksOf, leadToApplyPage, type Block, type PlatformName} from '../../snippets/platforms.ts';
import type {Theme} from '../../snippets/themes.ts';
import type {SnippetParts} from '../../snippets/markup.ts';

/**
 * The kinds whose snippets are not HTML for a page, or lead to another page. For these, the preview shows the snippet
 * for a page in HTML.
 */
const notInHtml: ReadonlySet<PlatformName> = new Set(['react', 'vue', ...leadToApplyPage]);

export const isShownAsHtml = (platform: PlatformName): boolean => notInHtml.has(platform);

/** The blocks of a snippet that the preview holds. */
const blocksInPreview = (platform: PlatformName, parts: SnippetParts): readonly Block[] =>
  blocksOf(isShownAsHtml(platform) ? 'html' : platform, parts);

const codeOf = (blocks: readonly Block[], language: Block['language']) =>
  blocks.filter((block) => block.language === language).map(({code}) => code);

/** The scripts that stand in the snippet itself, as a Content-Security-Policy allows them. */
const hashesOf = (code: string) =>
  [...code.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => policyHash(script));

type Preview = {page: Html; policy: string};

export function preview(platform: PlatformName, parts: SnippetParts, theme: Theme | undefined): Preview {
  const blocks = blocksInPreview(platform, parts);
  const body = codeOf(blocks, 'html').join('\n');
  const styles = [
    // The page of the partner around the form.
    `:root { color-scheme: ${theme?.colorScheme ?? 'light dark'}; }`,
    `body { margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif; background: ${theme?.page ?? 'Canvas'}; }`,
    ...codeOf(blocks, 'css'),
  ];
  // The snippets are made by server/snippets, which escapes all values. Links leave the frame, because a page that takes
  // real leads must not appear in it below the words that nothing is sent.
  const page = htmlPage(
    html`lang="en"`,
    html`<meta name="robots" content="noindex" />
      <title>Preview</title>
      <base target="_blank" />
      <link rel="icon" href="data:," />
      ${new Html(`<style>\n${styles.join('\n')}\n</style>`)}`,
    new Html(body),
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", parts.server, ...hashesOf(body)].join(' '),
    "style-src 'unsafe-inline'",
    // A link to this page could name any endpoint. No visitor shall send data to a stranger from our own page.
    `connect-src ${new URL('../embed/', parts.applyPage.applyUrl).href}`,
    ['img-src data:', ...(parts.logo === undefined ? [] : [new URL(parts.logo).origin])].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return {page, policy};
}
