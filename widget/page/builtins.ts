/**
 * Built-ins whose names pages use for things of their own, such as `var URL = '…'` or the `Promise` of an old library, taken
 * from where no script of the page puts anything. Import them instead of using the names. The build does so for further
 * names (build/builtins.ts).
 */

/** Async functions return promises of the browser's own class, whatever `Promise` is. */
const NativePromise = (async () => {})().constructor as PromiseConstructor;

/** The other name that all browsers have for `URL`. */
const {webkitURL: NativeURL} = globalThis as unknown as {webkitURL: typeof URL};

export {NativePromise as Promise, NativeURL as URL};

/** Functions and objects of the browser say so as a text: `[native code]`, `[object Reflect]`. */
export const isNative = (value: unknown): boolean => /native code|\[object [^O]/.test(value as string);
