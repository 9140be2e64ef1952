/** Finds the form and its script in the HTML of a partner's page. The HTML may be anything, also hostile. */
import {Script} from 'node:vm';
import {parse, type DefaultTreeAdapterTypes} from 'parse5';
import {classicFile, elementName, moduleFile, paths} from '../../contract/api.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
export type Attributes = Readonly<Record<string, string>>;

export type FoundScript = {
  attributes: Attributes;
  src: string;
  /** Why the browser does not run the script. */
  inert: string | undefined;
  /** The text of the script within the page that adds this script, such as the snippet for tag managers. */
  inline: string | undefined;
};

/** `isAdded` says that a script of the page makes the form. */
export type FoundForm = {attributes: Attributes; isAdded: boolean};

export type FoundFrame = {src: string; sandbox: string | undefined};

export type PartnerPage = {
  scripts: FoundScript[];
  forms: FoundForm[];
  /** Why a form on the page is not shown. */
  inertForm: string | undefined;
  frames: FoundFrame[];
  /** The address in its `<base>` element. */
  base: string | undefined;
  /** The rules of its `<style>` elements. */
  rules: {selector: string; body: string}[];
  hasStyleSheets: boolean;
  /** The policies in the `<meta>` elements of its head. Browsers ignore those that stand elsewhere. */
  policies: string[];
  /**
   * A form without an end tag, so the rest of the page becomes its content. HTML ignores the slash of a tag that ends
   * with `/>`.
   */
  hasUnclosedForm: boolean;
};

export function parsePage(html: string): PartnerPage {
  const page: PartnerPage = {
    scripts: [],
    forms: [],
    inertForm: undefined,
    frames: [],
    base: undefined,
    rules: [],
    hasStyleSheets: false,
    policies: [],
    hasUnclosedForm: false,
  };
  const document = parse(html, {sourceCodeLocationInfo: true});
  // A list of what is still to be visited, because a page may be nested too deeply for calls.
  const waiting: {node: Node; inert: string | undefined}[] = [{node: document, inert: undefined}];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const {node, inert} = next;
    note(node, page, inert);
    if (node.nodeName === 'script' || node.nodeName === 'style') continue;
    const within = isShadowRoot(node) ? inert : (inertParents[node.nodeName] ?? inert);
    if ('content' in node) waiting.push({node: node.content, inert: within});
    if ('childNodes' in node)
      for (const child of node.childNodes.toReversed()) waiting.push({node: child, inert: within});
  }
  return page;
}

/** Elements whose scripts do not run. */
const inertParents: Readonly<Record<string, string>> = {
  template: 'it stands in a <template>',
  noscript: 'it stands in <noscript>',
  textarea: 'it stands in a <textarea>',
};

/** The browser makes the shadow root of the element around it from this template. */
const isShadowRoot = (node: Node) =>
  node.nodeName === 'template' &&
  'attrs' in node &&
  node.attrs.some(({name, value}) => name === 'shadowrootmode' && /^(open|closed)$/i.test(value));

const namesFile = (text: string) => text.includes(moduleFile) || text.includes(classicFile);

/** @param inert why scripts in this part of the page do not run */
function note(node: Node, page: PartnerPage, inert: string | undefined) {
  const noTag = {attributes: {}, src: '', inline: undefined};
  if (node.nodeName === '#comment' && 'data' in node && namesFile(node.data)) {
    page.scripts.push({...noTag, inert: 'it stands in a comment'});
  }
  if (
    node.nodeName === '#text' &&
    'value' in node &&
    node.value.includes('<script') &&
    namesFile(node.value)
  ) {
    page.scripts.push({...noTag, inert: inert ?? 'it was pasted as text, so the page shows it instead'});
  }
  if ('tagName' in node) noteElement(node, page, inert);
}

const attributesOf = ({attrs}: Element): Attributes =>
  Object.fromEntries(attrs.map(({name, value}) => [name, value]));

const textOf = ({childNodes}: Element) =>
  childNodes.map((node) => ('value' in node ? node.value : '')).join('');

function noteElement(element: Element, page: PartnerPage, inert: string | undefined) {
  const attributes = attributesOf(element);
  const {tagName} = element;
  if (tagName === elementName) {
    if (inert !== undefined) page.inertForm = inert;
    else page.forms.push({attributes, isAdded: false});
    if (!element.sourceCodeLocation?.endTag) page.hasUnclosedForm = true;
  }
  if (tagName === 'base') page.base ??= attributes['href'];
  if (tagName === 'iframe') page.frames.push(...framesIn(attributes, page));
  if (tagName === 'style') page.rules.push(...rulesIn(textOf(element)));
  if (tagName === 'link' && /\bstylesheet\b/i.test(attributes['rel'] ?? '')) page.hasStyleSheets = true;
  const isInHead = element.parentNode?.nodeName === 'head';
  if (tagName === 'meta' && isInHead && /^content-security-policy$/i.test(attributes['http-equiv'] ?? '')) {
    page.policies.push(attributes['content'] ?? '');
  }
  if (tagName === 'script') noteScript(textOf(element), attributes, page, inert);
}

const resolved = (address: string, {base}: PartnerPage) =>
  (base !== undefined && URL.parse(address, base)?.href) || address;

/** Tools that load frames late keep the address in an attribute of their own. */
function framesIn(attributes: Attributes, page: PartnerPage): FoundFrame[] {
  const {src, sandbox} = attributes;
  const kept = Object.entries(attributes).filter(
    ([name, value]) => name.startsWith('data-') && value.includes(paths.apply),
  );
  return [src, ...kept.map(([, value]) => value)].flatMap((each) =>
    each ? [{src: resolved(each, page), sandbox}] : [],
  );
}

/** Good enough for selectors of the form: of nested rules, the inner one counts. */
const rulesIn = (css: string) =>
  css.split('}').map((text) => {
    const [body = '', selector = ''] = text.split('{').toReversed();
    return {selector, body};
  });

/** https://mimesniff.spec.whatwg.org/#javascript-mime-type, as far as pages use it */
const scriptTypes =
  /^$|^(text|application)\/(x-)?(java|ecma)script$|^text\/(javascript1\.[0-5]|jscript|livescript)$/i;
/** What loads a script whose address stands in the code. Data of a framework or a list of exceptions does not. */
const loadsScripts = /createElement|\bimport\b|\.write\b|innerHTML|insertAdjacentHTML|\.src\b|getScript/;

/** Optimisers keep the address of a script that they run later in an attribute of their own, such as `data-rocket-src`. */
const delayedAddress = (attributes: Attributes) =>
  Object.keys(attributes).find((name) => name.startsWith('data-') && namesFile(attributes[name] ?? ''));

function noteScript(code: string, attributes: Attributes, page: PartnerPage, inert: string | undefined) {
  const given = attributes['src'];
  // Some leave an empty script in `src`.
  const delayed = namesFile(given ?? '') ? undefined : delayedAddress(attributes);
  const src = delayed === undefined ? given : attributes[delayed];
  if (src !== undefined) {
    if (namesFile(src))
      page.scripts.push({
        attributes,
        src: resolved(src, page),
        inert: inert ?? whyInert(attributes, delayed),
        inline: undefined,
      });
    return;
  }
  const added = loadsScripts.test(code) ? quotedTexts(code).find(isFileAddress) : undefined;
  if (added === undefined) return;
  const [, integrity = ''] = /integrity["']?\s{0,9}[,=:]\s{0,9}["']([^"']{1,999})["']/i.exec(code) ?? [];
  const {nonce} = attributes;
  page.scripts.push({
    attributes: {crossorigin: '', ...(integrity && {integrity}), ...(nonce && {nonce})},
    src: added,
    inert: inert ?? whyInert({type: attributes['type'] ?? ''}, undefined) ?? whyBroken(attributes, code),
    inline: code,
  });
  if (quotedTexts(code).includes(elementName)) page.forms.push(addedForm(code));
}

/** The texts between quotes, as far as a snippet has them: without escapes and line breaks. */
const quotedTexts = (code: string) => code.split(/["'`\n]/);

/** A text that goes on after the name of the file, or ends with a backslash, is part of a longer text. */
const isFileAddress = (text: string) =>
  text.length < 2_000 && /\/[\w.-]+\.js([?#][^\\]*)?$/.test(text) && namesFile(text);

export const isModule = ({type = ''}: Attributes): boolean => /^module$/i.test(type);

function whyInert(attributes: Attributes, delayed: string | undefined): string | undefined {
  const {type = ''} = attributes;
  if (!isModule(attributes) && !scriptTypes.test(type.trim())) {
    return `its type is "${type}", which a tag manager, an optimiser or a consent tool has given to it`;
  }
  if (attributes['nomodule'] !== undefined && !isModule(attributes)) {
    return 'the attribute nomodule forbids it in every browser of today';
  }
  return delayed === undefined ? undefined : `a tool has moved its address to ${delayed}, to run it later`;
}

/** Editors put tags into the text of a script, such as `<br />` at the end of each line. The script is read, never run. */
function whyBroken(attributes: Attributes, code: string): string | undefined {
  if (isModule(attributes)) return undefined;
  try {
    new Script(code);
    return undefined;
  } catch (error) {
    return `it is not valid JavaScript (${(error as Error).message}): a tool or an editor has changed it`;
  }
}

/** What a script sets on the form that it makes. */
function addedForm(code: string): FoundForm {
  const set = [...code.matchAll(/setAttribute\(["']([\w-]{1,99})["'], ?["']([^"'\n]{0,999})["']\)/g)];
  const [, style = ''] = /cssText ?= ?["']([^"'\n]{0,9999})["']/.exec(code) ?? [];
  const attributes = Object.fromEntries(set.map(([, name = '', value = '']) => [name, value]));
  return {attributes: {...attributes, style}, isAdded: true};
}
