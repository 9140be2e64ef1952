/** Writes a message as plain text, and as HTML that says the same in the same order. */
import {html, type Html} from '../../html/html.ts';

/** A piece of a line. Only what the server itself wrote, or has checked, may be an `href`. */
export type Span = string | {bold: string} | {link: string; href: string};
export type Line = string | readonly Span[];
/** Whether the reader may go on, should look first, or must not. */
export type Tone = 'good' | 'warn' | 'bad';
/** What a finger can press. `text` stands for it in plain text. */
export type Button = {label: string; href: string; text: string; isMain?: boolean};
export type Fact = readonly [name: string, value: string | undefined];
/**
 * Lines that belong together, and:
 * - `person`: whom the message is about, with a line below the name
 * - `notice`: what the reader must know first, in a box
 * - `facts`: names and values in two columns
 * - `quoted`: the words of a stranger
 *
 * Lines and values that are undefined, and blocks without lines, are left out.
 */
export type Block =
  | readonly (Line | undefined)[]
  | {person: string; below: string | undefined}
  | {notice: readonly Line[]; tone: Tone}
  | {buttons: readonly Button[]}
  | {facts: readonly Fact[]}
  | {quoted: readonly string[]};

const spansOf = (line: Line): readonly Span[] => (typeof line === 'string' ? [line] : line);
const shownFacts = (facts: readonly Fact[]) => facts.filter(([, value]) => value !== undefined);
const linesOf = (block: Block): readonly Line[] => {
  if ('person' in block) return [block.person, ...(block.below ? [block.below] : [])];
  if ('notice' in block) return block.notice;
  if ('buttons' in block) return block.buttons.map(({text}) => text);
  if ('facts' in block) return shownFacts(block.facts).map(([name, value]) => `${name}: ${value}`);
  return 'quoted' in block ? block.quoted : block.filter((line) => line !== undefined);
};

const plain = (line: Line): string =>
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

/** Each can be read on a light and on a dark page, because not every mail program says which it has. */
const toneColors: Readonly<Record<Tone, string>> = {good: '#1b8a5a', warn: '#b97a00', bad: '#d0433a'};
const mainColor = '#1f6fc4';

const buttonHtml = ({label, href, isMain}: Button, index: number): Html =>
  html`${index > 0 && html`<td style="width:8px"></td> `}
    <td
      style="border:1px solid ${isMain ? `${mainColor};background:${mainColor}` : '#888'};border-radius:8px;text-align:center"
    >
      <a
        href="${href}"
        style="display:block;padding:12px;font-weight:600;text-decoration:none;color:${isMain ? '#fff' : 'inherit'}"
        >${label}</a
      >
    </td>`;

const factHtml = ([name, value]: Fact): Html =>
  html`<tr>
    <th
      scope="row"
      style="width:42%;padding:6px 12px 6px 0;border-bottom:1px solid #8884;font-weight:400;text-align:left"
    >
      ${name}
    </th>
    <td style="padding:6px 0;border-bottom:1px solid #8884;font-weight:600">${value}</td>
  </tr>`;

function blockHtml(block: Block, lines: readonly Html[]): Html {
  if ('person' in block)
    return html`<h1 style="margin:0;font-size:24px;line-height:1.25">${block.person}</h1>
      <p style="margin:0 0 16px">${block.below ?? ''}</p> `;
  if ('notice' in block)
    return html`<p
      style="margin:0 0 16px;padding:12px 14px;border:1px solid #8884;border-left:4px solid ${toneColors[block.tone]};border-radius:6px"
    >
      ${lines}
    </p> `;
  if ('buttons' in block)
    return html`<table role="presentation" style="margin:0 0 16px;border-spacing:0;border-collapse:separate">
      <tr>
        ${block.buttons.map(buttonHtml)}
      </tr>
    </table> `;
  if ('facts' in block)
    return html`<table style="width:100%;margin:0 0 16px;border-collapse:collapse">
      ${shownFacts(block.facts).map(factHtml)}
    </table> `;
  return 'quoted' in block
    ? html`<blockquote style="margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #8886">
        ${lines}
      </blockquote> `
    : html`<p style="margin:0 0 16px">${lines}</p> `;
}

export const toHtml = (blocks: readonly Block[]): readonly Html[] =>
  blocks.flatMap((block) => {
    const lines = linesOf(block).map(lineHtml);
    return lines.length === 0 ? [] : blockHtml(block, lines);
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
