/** HTML that the server makes. Values are escaped, so no text of a partner or an address can become markup. */
import {hash} from 'node:crypto';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
  '{': '&#123;',
  '}': '&#125;',
  '[': '&#91;',
  ']': '&#93;',
};

/**
 * A text as HTML has it, between tags and in attributes with double quotes. Braces and brackets are entities, because
 * the sites on which snippets are pasted may replace `{{ … }}` and `[…]` before a browser sees them.
 */
export const escapeHtml = (text: string): string =>
  text.replace(/[&"<>{}[\]]/g, (sign) => entities[sign] ?? sign);

/** Markup that was made by `html`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** `undefined` and `false` write nothing. */
export type HtmlValue = string | number | undefined | false | Html | readonly Html[];

function write(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({text}) => text).join('');
  return escapeHtml(String(value));
}

/**
 * Tags a template of HTML. Values may stand between tags, and in attributes that have double quotes. They may not stand in
 * `<script>` or `<style>`, where escaping has no effect.
 */
export const html = (literals: TemplateStringsArray, ...values: HtmlValue[]): Html =>
  new Html(literals.reduce((text, literal, index) => text + write(values[index - 1]) + literal));

/** A whole page. @param root its language, and further attributes of its root */
export const htmlPage = (root: Html, head: Html, body: Html): Html =>
  html`<!doctype html>
    <html ${root}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html>`;

/** How a Content-Security-Policy names styles or a script that stand in the page itself. */
export const policyHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Styles in one line, without comments and most of the white space. */
export const minified = (styles: string): string =>
  styles
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1');
