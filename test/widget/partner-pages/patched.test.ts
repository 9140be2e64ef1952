import {expect} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {button, fillAll, link, send, shows, text} from '../../support/browser/visitor.ts';
import {element, formOn, openPage, pageScript, reachResult, service} from './partner-page.ts';

describe('a page whose own scripts', () => {
  const harmless: Record<string, string> = {
    'froze the prototypes': `
      for (const {prototype} of [Object, Array, Function, String, Promise, Map, EventTarget, Node, HTMLElement])
        Object.freeze(prototype);`,
    'put enumerable things into the prototypes': `
      Object.prototype.foo = 1;
      Object.prototype.each = Array.prototype.each = Function.prototype.each = () => {};`,
    'gave all objects a toJSON': `
      Object.prototype.toJSON = Array.prototype.toJSON = () => 'object';`,
    'wrapped fetch': `
      const {fetch} = window;
      window.fetch = (...all) => fetch(...all).then((reply) => reply.clone());`,
    'wrapped addEventListener and removeEventListener': `
      const {addEventListener, removeEventListener} = EventTarget.prototype;
      const wrapped = new WeakMap();
      const wrap = (listener) => {
        if (!wrapped.has(listener)) wrapped.set(listener, function (event) {
          return listener.handleEvent ? listener.handleEvent(event) : listener.call(this, event);
        });
        return wrapped.get(listener);
      };
      EventTarget.prototype.addEventListener = function (type, listener, options) {
        return addEventListener.call(this, type, listener && wrap(listener), options);
      };
      EventTarget.prototype.removeEventListener = function (type, listener, options) {
        return removeEventListener.call(this, type, listener && wrap(listener), options);
      };`,
    'opened all shadow roots': `
      const {attachShadow} = Element.prototype;
      Element.prototype.attachShadow = function (options) {
        return attachShadow.call(this, {...options, mode: 'open'});
      };`,
    'wrapped customElements.define': `
      const {define} = customElements;
      customElements.define = function (...all) { return define.apply(this, all); };`,
    'replaced Promise': `
      const Native = Promise;
      window.Promise = class Replaced {
        static resolve = (value) => new Replaced((resolve) => resolve(value));
        static reject = (reason) => new Replaced((_, reject) => reject(reason));
        static all = (list) => Replaced.resolve(Native.all(list));
        static race = (list) => Replaced.resolve(Native.race(list));
        constructor(run) { this.native = new Native(run); }
        then(...all) { return Replaced.resolve(this.native.then(...all)); }
        catch(handle) { return this.then(undefined, handle); }
      };`,
    'may not store anything': `
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {get() { throw new DOMException('', 'SecurityError'); }});`,
    'wrapped the timers': `
      for (const name of ['setTimeout', 'requestAnimationFrame', 'queueMicrotask']) {
        const original = window[name];
        window[name] = (task, ...all) => original(() => task(), ...all);
      }`,
  };
  for (const [what, code] of Object.entries(harmless)) {
    it(`the form reaches the result on a page whose scripts ${what}`, async () => {
      const page = await openPage(pageScript(code) + service.script + element);
      await reachResult(await formOn(page));
      expect(page.trouble).to.deep.equal([]);
    });
  }

  /** What pages have under the names of built-ins: old libraries, and variables and classes of their own. */
  const replacing: Record<string, string> = {
    'have an Array.from that ignores its second argument, as MooTools before 1.6 has': pageScript(`
      Array.from = (list) => (list == null ? [] : typeof list === 'string' ? [list] : [].slice.call(list));`),
    'have classes with the names of built-ins': `<script>
      class Document {} class Element {} class Node {} class Event {} class Promise {} class Request {}
    </script>`,
    'have variables with the names of built-ins': `<script>
      var URL = 'https://acme.example/', JSON = {encode() {}, decode() {}}, Element, Document;
      Object.assign = undefined;
    </script>`,
    'have variables with the names of what Lit uses': `<script>
      var Map = {center: 'Boston'}, Set = {}, WeakMap = {}, Symbol = {}, Proxy = {}, Reflect = {}, Object = {};
      var performance = {score: 9}, DataView = {}, HTMLInputElement = {};
    </script>`,
    'have classes and constants with the names of what Lit uses': `<script>
      class Map {} class Set {} class WeakMap {} class Proxy {} const Symbol = 'ACME', Reflect = {}, performance = {};
    </script>`,
    'gave all texts methods of their own': pageScript(`
      String.prototype.toJSON = function () { return '"' + this + '"'; };
      String.prototype.padStart = String.prototype.replaceAll = String.prototype.at = () => 'text';`),
    ...Object.fromEntries(
      Object.entries(service.libraries).map(([name, address]) => [
        `load ${name}`,
        `<script src="${address}"></script>`,
      ]),
    ),
  };
  for (const [what, code] of Object.entries(replacing)) {
    const orders = {before: code + service.script, after: service.classicScript.replace(' async', '') + code};
    for (const [order, scripts] of Object.entries(orders)) {
      it(`the form reaches the result on a page whose scripts ${what}, ${order} its own`, async () => {
        const page = await openPage(scripts + element);
        await reachResult(await formOn(page));
        expect(page.trouble).to.deep.equal([]);
      });
    }
  }

  const broken: [what: string, code: string, failure: string][] = [
    ['throws', `window.fetch = () => { throw new TypeError('broken'); };`, 'network'],
    ['rejects', `window.fetch = () => Promise.reject(new TypeError('broken'));`, 'network'],
    [
      'forgets to return',
      `const {fetch} = window; window.fetch = (...all) => void fetch(...all);`,
      'network',
    ],
    [
      'drops the options',
      `const {fetch} = window; window.fetch = (url) => fetch(url);`,
      'method-not-allowed',
    ],
  ];
  for (const [what, code, failure] of broken) {
    it(`the form reports a failure and keeps what was typed on a page whose fetch ${what}`, async () => {
      const page = await openPage(pageScript(code) + service.script + element);
      const form = await formOn(page);
      await fillAll(form);
      expect((await send(form)).detail).to.include({code: failure});
      expect(text(form)).to.match(/We could not send your answers|Something went wrong/);
      if (failure === 'network') {
        await until(() => page.trouble.some((words) => words.startsWith('<lead-prequal-form>')));
      }
      expect(page.trouble.filter((words) => !words.startsWith('<lead-prequal-form>'))).to.deep.equal([]);
    });
  }
});

describe('a page that replaces what sending needs', () => {
  for (const name of ['fetch', 'AbortController', 'CustomEvent', 'Uint8Array']) {
    it(`the form leads to the apply page, and the console names ${name}`, async () => {
      const page = await openPage(service.script + element);
      const form = await formOn(page);
      await fillAll(form);
      Object.assign(page, {[name]: {mine: true}});
      button(form, 'See my estimate').click();
      await shows(form, 'This page cannot send your answers');
      expect(link(form, 'Continue on our own page')?.href).to.contain('/apply/acme');
      const said = `<lead-prequal-form>: The form does not work on this page, which replaces ${name} with`;
      await until(() => page.trouble.some((words) => words.startsWith(said)), said);
    });
  }
});

it('the answer is shown, and drawn without a movement, where the page has replaced matchMedia', async () => {
  const page = await openPage(pageScript('window.matchMedia = {};') + service.script + element);
  await reachResult(await formOn(page));
});

/** Each of these images replaces the property of `document` that has its name. */
const clobbering = [
  ...['referrer', 'cookie', 'hidden', 'visibilityState', 'title', 'URL', 'documentURI', 'defaultView'],
  ...['body', 'head', 'documentElement', 'activeElement', 'currentScript', 'adoptedStyleSheets'],
  ...['styleSheets', 'createElement', 'createComment', 'createTextNode', 'createTreeWalker', 'importNode'],
  ...['adoptNode', 'addEventListener', 'removeEventListener', 'dispatchEvent', 'append', 'appendChild'],
  ...['contains', 'parentNode', 'parentElement', 'host', 'nodeType', 'ownerDocument', 'isConnected'],
  'getRootNode',
].map((name) => `<img name=${name}>`);

const withoutLang = [
  '<img name=getAttribute><img name=lang>',
  pageScript(`document.documentElement.removeAttribute('lang');`),
];

/** Each of these fields replaces the property of the form around it that has its name. */
const formAround = [
  ...['parentNode', 'parentElement', 'host', 'nodeType', 'getAttribute', 'lang', 'children', 'closest'],
  ...['matches', 'addEventListener', 'contains', 'isConnected', 'getRootNode', 'submit', 'elements'],
].map((name) => `<input name=${name}>`);

describe('a page whose own elements', () => {
  const names =
    'fetch trustedTypes ShadyCSS crypto JSON litNonce reactiveElementPolyfillSupport customElements';
  for (const [what, content] of [
    [
      'have the names of global variables that scripts use',
      names.split(' ').map((name) => `<div id=${name}></div>`),
    ],
    ['replace parts of the document', ['<form name=head></form><img name=body><img name=forms>']],
    ['replace the properties of the document that the form reads', clobbering],
    ['replace the methods by which the form finds the language', withoutLang],
    ["have the ids of the form's fields", ['<input id=first_name name=first_name><form id=form></form>']],
    ['change what addresses are relative to', ['<base href="https://elsewhere.example/">']],
    ['are a form around the element, whose fields have the names of properties', ['<form>', ...formAround]],
  ] as const) {
    it(`the form reaches the result on a page whose elements ${what}`, async () => {
      const page = await openPage(content.join('') + service.script + element);
      await reachResult(await formOn(page));
      expect(page.trouble).to.deep.equal([]);
    });
  }
});
