/** Finds the form and its script in the HTML of a partner's page. The HTML may be anything, also hostile. */
import {ErrorCodes, parse, type DefaultTreeAdapterTypes} from 'parse5';
import {classicFile, elementName, moduleFile} from '../../contract/api.ts';

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

export type PartnerPage = {
  scripts: FoundScript[];
  forms: FoundForm[];
  /** The addresses of frames. */
  frames: string[];
  /** The rules of its `<style>` elements. */
  rules: {selector: string; body: string}[];
  hasStyleSheets: boolean;
  /** The policies in the `<meta>` elements of its head. Browsers ignore those that stand elsewhere. */
  policies: string[];
  /** A form whose tag ends with `/>`. HTML ignores the slash, so the rest of the page becomes the form's content. */
  hasUnclosedForm: boolean;
};

export function parsePage(html: string): PartnerPage {
  const page: PartnerPage = {
    scripts: [],
    forms: [],
    frames: [],
    rules: [],
    hasStyleSheets: false,
    policies: [],
    hasUnclosedForm: false,
  };
  const document = parse(html, {
    sourceCodeLocationInfo: true,
    // The parser says so about every tag that ends with `/>` and must not.
    onParseError: ({code, endOffset}) => {
      if (code !== ErrorCodes.nonVoidHtmlElementStartTagWithTrailingSolidus) return;
      const start = html.lastIndexOf('<', endOffset - 1);
      if (html.startsWith(`<${elementName}`, start)) page.hasUnclosedForm = true;
    },
  });
  // A list of what is still to be visited, because a page may be nested too deeply for calls.
  const waiting: {node: Node; inert: string | undefined}[] = [{node: document, inert: undefined}];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const {node, inert} = next;
    note(node, page, inert);
    if (node.nodeName === 'script' || node.nodeName === 'style') continue;
    const within = inertParents[node.nodeName] ?? inert;
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
  if (tagName === elementName) page.forms.push({attributes, isAdded: false});
  if (tagName === 'iframe' && attributes['src']) page.frames.push(attributes['src']);
  if (tagName === 'style') page.rules.push(...rulesIn(textOf(element)));
  if (tagName === 'link' && /\bstylesheet\b/i.test(attributes['rel'] ?? '')) page.hasStyleSheets = true;
  const isInHead = element.parentNode?.nodeName === 'head';
  if (tagName === 'meta' && isInHead && /^content-security-policy$/i.test(attributes['http-equiv'] ?? '')) {
    page.policies.push(attributes['content'] ?? '');
  }
  if (tagName === 'script') noteScript(textOf(element), attributes, page, inert);
}

/** Good enough for selectors of the form: of nested rules, the inner one counts. */
const rulesIn = (css: string) =>
  css.split('}').map((text) => {
    const [body = '', selector = ''] = text.split('{').toReversed();
    return {selector, body};
  });

/** https://mimesniff.spec.whatwg.org/#javascript-mime-type, as far as pages use it */
const scriptTypes = /^$|^module$|^(text|application)\/(x-)?(java|ecma)script$|^text\/(jscript|livescript)$/i;
/** Attributes in which optimisers keep the address of a script that they run later. */
const delayedAddresses = ['data-rocket-src', 'data-litespeed-src', 'data-src', 'data-cmp-src', 'data-gtmsrc'];

function noteScript(code: string, attributes: Attributes, page: PartnerPage, inert: string | undefined) {
  const delayed = delayedAddresses.find((name) => namesFile(attributes[name] ?? ''));
  const {src = delayed ? attributes[delayed] : undefined, type = ''} = attributes;
  if (src !== undefined) {
    if (namesFile(src))
      page.scripts.push({attributes, src, inert: inert ?? whyInert(type, delayed), inline: undefined});
    return;
  }
  const added = quotedTexts(code).find(namesFile);
  if (added === undefined) return;
  const [, integrity = ''] = /integrity["']?\s{0,9}[,=:]\s{0,9}["']([^"']{1,999})["']/i.exec(code) ?? [];
  const {nonce} = attributes;
  page.scripts.push({
    attributes: {crossorigin: '', ...(integrity && {integrity}), ...(nonce && {nonce})},
    src: added,
    inert: inert ?? whyInert(type, undefined),
    inline: code,
  });
  if (quotedTexts(code).includes(elementName)) page.forms.push(addedForm(code));
}

/** The texts between quotes, as far as a snippet has them: without escapes and line breaks. */
const quotedTexts = (code: string) => code.split(/["'\n]/);

function whyInert(type: string, delayed: string | undefined): string | undefined {
  if (!scriptTypes.test(type.trim())) {
    return `its type is "${type}", which a tag manager, an optimiser or a consent tool has given to it`;
  }
  return delayed === undefined ? undefined : `a tool has moved its address to ${delayed}, to run it later`;
}

/** What a script sets on the form that it makes. */
function addedForm(code: string): FoundForm {
  const set = [...code.matchAll(/setAttribute\(["']([\w-]{1,99})["'], ?["']([^"'\n]{0,999})["']\)/g)];
  const [, style = ''] = /cssText = ["']([^"'\n]{0,9999})["']/.exec(code) ?? [];
  const attributes = Object.fromEntries(set.map(([, name = '', value = '']) => [name, value]));
  return {attributes: {...attributes, style}, isAdded: true};
}
