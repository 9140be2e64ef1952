/**
 * The page's document, protected from DOM clobbering. Some elements replace a property of `document` that has the
 * same name: after `<img name="referrer">`, `document.referrer` is that image and no longer a text. The properties
 * and methods of this object are read from the prototype of `document`, which elements cannot change.
 *
 * Use it in place of `document` everywhere. Only where a browser function asks for a node (`createTreeWalker`,
 * `observe`), `document` itself must be passed.
 */
export const safeDocument = new Proxy({} as Document, {
  get(_, name) {
    // Not from `Document.prototype`, because old libraries have a `Document` of their own.
    const value: unknown = Reflect.get(Object.getPrototypeOf(document) as object, name, document);
    return typeof value === 'function' ? (value.bind(document) as unknown) : value;
  },
});
