/**
 * What Lit finds under the names of the globals that it uses. In the built form, build/lit.ts makes Lit's files import
 * these bindings, so that Lit works on any page and leaves no trace on it, although its code is not changed.
 */
import {Promise} from './builtins.ts';
import {safeDocument} from './safe-document.ts';
import {trusted} from './trusted-types.ts';

/**
 * Lit's `document`: its methods are the protected ones, because an `<img name="createElement">` on the page would
 * replace the method of `document`. It is a node, because Lit also passes its `document` where the browser asks for a
 * node.
 */
const litDocument = safeDocument.createDocumentFragment();
const methods = ['createComment', 'createElement', 'createTextNode', 'createTreeWalker', 'importNode'];
for (const name of methods) Reflect.set(litDocument, name, Reflect.get(safeDocument, name));

/**
 * Lit's decorators keep what they know about classes here. This form does not use them, but without this map Lit would
 * create a global of that name.
 */
const litPropertyMetadata = new WeakMap<object, unknown>();

/**
 * Lit's `globalThis`: it gets Lit's lists of versions, which would be globals of the page, and it has no hooks for
 * polyfills. Lit uses our Trusted Types policy: with its own, `lit-html`, it would throw if another Lit on the page has
 * created that policy already.
 */
const litGlobals = {
  ShadowRoot,
  litPropertyMetadata,
  trustedTypes: {createPolicy: () => trusted, emptyScript: ''},
};

/** Lit's `Document`, in which Lit looks for `adoptedStyleSheets`. Old libraries have another under this name. */
const LitDocument = {prototype: litDocument.ownerDocument};

/** Lit's `Symbol`, to which Lit adds `metadata` in a browser that has none. */
const LitSymbol = Object.setPrototypeOf((name: string) => Symbol(name), Symbol) as SymbolConstructor;

export {
  litDocument as document,
  LitDocument as Document,
  litGlobals as globalThis,
  litPropertyMetadata,
  LitSymbol as Symbol,
  Promise,
};
