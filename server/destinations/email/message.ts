/** Writes a message as plain text, and as HTML that says the same in the same order. */
import {html, type Html} from '../../html/html.ts';

/** A piece of a line. Only what the server itself wrote, or has checked, may be an `href`. */
export type Span = string | {bold: string} | {link: string; href: string};
export type Line = string | readonly Span[];
/**
 * Lines that belong together, the title of the blocks that follow, or the words of a stranger. Lines that are undefined, and
 * blocks without lines, are left out.
 */
export type Block = readonly (Line | undefined)[] | {title: string} | {quoted: readonly string[]};

const spansOf = (line: Line): readonly Span[] => (typeof line === 'string' ? [line] : line);
const linesOf = (block: Block): readonly Line[] => {
  if ('title' in block) return [block.title];
  return 'quoted' in block ? block.quoted : block.filter((line) => line !== undefined);
};

export const plain = (line: Line): string =>
  spansOf(line)
    .map((span) => (typeof span === 'string' ? span : 'bold' in span ? span.bold : span.link))
    .join('');

/** Puts an empty line between the blocks. */
export const toText = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => linesOf(block).map((line) => ('quoted' in block ? '> ' : '') + plain(line)))
    .filter(({length}) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .concat('\n');

function spanHtml(span: Span): Html {
  if (typeof span === 'string') return html`${span}`;
  if ('bold' in span) return html`<b>${span.bold}</b>`;
  const {link, href} = span;
  // A phone number stays in one line.
  return href.startsWith('tel:')
    ? html`<a href="${href}" style="white-space:nowrap">${link}</a>`
    : html`<a href="${href}">${link}</a>`;
}

const lineHtml = (line: Line, index: number): Html =>
  html`${index > 0 && html`<br />`}${spansOf(line).map(spanHtml)}`;

export const heading = (text: string): Html =>
  html`<h2 style="margin:24px 0 4px;font-size:18px;line-height:1.3">${text}</h2> `;

export const toHtml = (blocks: readonly Block[]): readonly Html[] =>
  blocks.flatMap((block) => {
    const lines = linesOf(block).map(lineHtml);
    if (lines.length === 0) return [];
    if ('title' in block) return heading(block.title);
    return 'quoted' in block
      ? html`<blockquote style="margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #8886">
          ${lines}
        </blockquote> `
      : html`<p style="margin:0 0 16px">${lines}</p> `;
  });

/**
 * The whole of an e-mail. It loads nothing, and has no colours of its own, except for those that a mail program cannot
 * choose in dark mode.
 */
export const mailPage = (lang: string, title: string, content: readonly Html[]): string =>
  html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          :root {
            color-scheme: light dark;
          }
        </style>
      </head>
      <body
        style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"
      >
        <div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">${content}</div>
      </body>
    </html> `.text;
