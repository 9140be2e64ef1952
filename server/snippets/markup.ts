/** What all snippets are made of: tags with escaped attributes, the form, and its script. */
import {escapeHtml} from '../html/html.ts';

/** Where a first file of the form is, and the hash that pins it. Without a hash, the file may move on by itself. */
export type ScriptFile = {src: string; integrity: string | undefined};

/** The values of attributes by name. A boolean attribute is `true`: in JSX it must not be written as an empty text. */
export type Attributes = Readonly<Record<string, string | true>>;

/** The parts of which a snippet is made. */
export type SnippetParts = {
  partner: string;
  /** Further attributes of the form, in the order in which they are written. */
  attributes: Attributes;
  /** CSS values by custom property, such as `--prequal-accent`. */
  properties: Readonly<Record<string, string>>;
  /** The height to reserve, as a CSS length (form/reserved-heights.ts). Undefined for a form in a dialog. */
  height: string | undefined;
  module: ScriptFile;
  classic: ScriptFile;
  /**
   * The file that the script asks for at once, if the first screen needs it. The page asks for it beside the script,
   * which saves a slow phone a third of a second. Undefined where the file may move on by itself, because its address has
   * its hash.
   */
  preload: ScriptFile | undefined;
  /** The origin of the server. */
  server: string;
  /** The known domains of the server and of the partner, such as `example.com`. */
  ownSites: ReadonlySet<string>;
  /** The link that opens a form in a dialog. */
  opener: {href: string; text: string};
  /** Undefined for a form in a dialog, whose opener leads to the apply page. */
  fallback: Fallback | undefined;
  applyPage: ApplyPage;
  /** The address of the partner's logo, which the form loads. Undefined without one. */
  logo: string | undefined;
  /** Which conversion of Google Ads a lead is. */
  googleAds: string | undefined;
};

/** What visitors read where the form does not load: sentences in HTML. */
export type Fallback = {
  /** In its place. */
  instead: string;
  /** Below it, also if it has loaded. */
  below: string;
};

/** The partner's apply page. It asks for what the partner takes, whatever is chosen for the snippet. */
export type ApplyPage = {
  /** Such as `https://leads.example.com/apply/acme`, with the hidden fields in its query. */
  applyUrl: string;
  title: string;
  /** What its form begins with, which decides about the height that a frame keeps for it. */
  firstScreen: 'steps' | 'standard';
};

export const attributes = (values: Attributes): string =>
  Object.entries(values)
    .map(([name, value]) => (value === '' || value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`))
    .join('');

/** The declarations that reserve the height of the form and style it. */
export const declarations = ({height, properties}: SnippetParts): Readonly<Record<string, string>> => ({
  ...(height !== undefined && {display: 'block', 'min-height': height}),
  ...properties,
});

export const inlineStyle = (parts: SnippetParts): string =>
  Object.entries(declarations(parts))
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

const pinned = ({src, integrity}: ScriptFile) => ({
  src,
  ...(integrity !== undefined && {integrity}),
  // With this attribute, the browser also tells the server for which page it loads the script.
  crossorigin: '',
});

/** On a line of its own. Not a `modulepreload`, with which an engine that ignores its hash would run any file. */
function preloadTag({preload}: Pick<SnippetParts, 'preload'>): string {
  if (!preload) return '';
  const {src, ...hash} = pinned(preload);
  return `<link${attributes({rel: 'preload', as: 'script', href: src, ...hash})}>\n`;
}

type Scripts = Pick<SnippetParts, 'module' | 'classic' | 'preload'>;

export const moduleTag = ({module, preload}: Omit<Scripts, 'classic'>): string =>
  `${preloadTag({preload})}<script${attributes({type: 'module', ...pinned(module)})}></script>`;

export const classicTag = ({classic, preload}: Omit<Scripts, 'module'>): string =>
  `${preloadTag({preload})}<script${attributes({async: '', ...pinned(classic)})}></script>`;

/** The id of a form in a dialog, to which the link leads that opens it. */
export const dialogId = 'prequal-form';

/** The language of a text beside the form, if it may be another one than that of the page. */
export const langOf = ({attributes: {lang}}: SnippetParts): Attributes => (lang === undefined ? {} : {lang});

/** The link that opens a form in a dialog, on a line of its own. Empty for a form that stands in the page. */
export const opener = (parts: SnippetParts): string => {
  const {href, text} = parts.opener;
  const isDialog = parts.attributes['presentation'] === 'dialog';
  return isDialog ? `<a${attributes({href, ...langOf(parts)})}>${escapeHtml(text)}</a>\n` : '';
};

/** The attribute `style` of the form, if there is anything to style. */
export function styleAttribute(parts: SnippetParts): Attributes {
  const style = inlineStyle(parts);
  return style === '' ? {} : {style};
}

/**
 * @param looks how the page styles the form: a `style` or a `class` attribute
 * @param child what the form holds until it shows itself
 */
export const formTag = (parts: SnippetParts, looks: Attributes, child = ''): string =>
  `${opener(parts)}<lead-prequal-form${attributes({partner: parts.partner, ...parts.attributes, ...looks})}>${
    child && `\n  ${child}\n`
  }</lead-prequal-form>`;

/** A text as JavaScript, safe within a `<script>` element, and without signs that a tag manager or a site replaces. */
export const scriptText = (text: string): string =>
  `'${text
    .replace(/['\\]/g, '\\$&')
    .replace(/\s/g, ' ')
    .replace(/[<{}[\]]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)}'`;
