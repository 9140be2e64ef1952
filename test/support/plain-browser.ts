/** A browser without scripts and styles, as far as a form needs one: reads the form of a page, and sends it. */
import {parse, type DefaultTreeAdapterTypes} from 'parse5';
import {requestRaw} from './http.ts';

type Element = DefaultTreeAdapterTypes.Element;

export type PlainPage = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  html: string;
  /** The text of the page without its head, with single spaces. */
  text: string;
  /** The names and values that the form would send, without those of its buttons. */
  fields: URLSearchParams;
  /** All elements with this name. */
  all(name: string): Element[];
};

export const attributeOf = (element: Element | undefined, name: string) =>
  element?.attrs.find((attribute) => attribute.name === name)?.value;

function* elementsIn(node: DefaultTreeAdapterTypes.Node): Generator<Element> {
  if ('tagName' in node) yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* elementsIn(child);
}

export const textOf = (node: DefaultTreeAdapterTypes.Node): string => {
  if ('value' in node) return node.value;
  if (!('childNodes' in node) || node.nodeName === 'head') return '';
  return node.childNodes.map(textOf).join(' ');
};

function pageOf(status: number, headers: PlainPage['headers'], html: string): PlainPage {
  const document = parse(html);
  const elements = [...elementsIn(document)];
  const all = (name: string) => elements.filter(({tagName}) => tagName === name);
  const fields = new URLSearchParams();
  for (const input of all('input')) {
    const [name, type] = [attributeOf(input, 'name') ?? '', attributeOf(input, 'type') ?? 'text'];
    const isOff = ['radio', 'checkbox'].includes(type) && attributeOf(input, 'checked') === undefined;
    if (!isOff) fields.append(name, attributeOf(input, 'value') ?? '');
  }
  for (const select of all('select')) {
    const options = [...elementsIn(select)].filter(({tagName}) => tagName === 'option');
    const chosen = options.find((option) => attributeOf(option, 'selected') !== undefined) ?? options[0];
    fields.append(attributeOf(select, 'name') ?? '', attributeOf(chosen, 'value') ?? '');
  }
  for (const area of all('textarea')) fields.append(attributeOf(area, 'name') ?? '', textOf(area));
  return {status, headers, html, text: textOf(document).replace(/\s+/g, ' '), fields, all};
}

/** @param headers of all requests */
export function plainBrowser(url: string, headers: Record<string, string> = {}) {
  const request = async (path: string, body?: string) => {
    const isPost = body !== undefined;
    const type = isPost && {'content-type': 'application/x-www-form-urlencoded'};
    const bytes = Buffer.from(body ?? '');
    const length = isPost && {'content-length': String(bytes.length)};
    const options = {path, method: isPost ? 'POST' : 'GET', headers: {...headers, ...type, ...length}};
    const reply = await requestRaw(url, options, isPost ? bytes : undefined);
    return pageOf(reply.status, reply.headers, reply.body.toString());
  };
  return {
    open: (path: string) => request(path),
    /** Sends a form that any website may have made. */
    post: (path: string, fields: URLSearchParams) => request(path, fields.toString()),
    /** Fills in the form of the page, and presses a button: the main one, or one with a name and a value. */
    send(page: PlainPage, answers: Readonly<Record<string, string>> = {}, button?: [string, string]) {
      const fields = new URLSearchParams(page.fields);
      for (const [name, value] of Object.entries(answers)) fields.set(name, value);
      if (button) fields.append(...button);
      return request(attributeOf(page.all('form')[0], 'action') ?? '', fields.toString());
    },
  };
}
