/** The language's own `Map`, `Symbol` and others, also where a script of the page has something else under these names. */
import {isNative} from './builtins.ts';

type Names = Readonly<Record<string, unknown>>;

/** The names in a frame that was empty. Made only on a page that needs it. */
let untouched: Names | undefined;

/**
 * @param name of something that works without a page: a class of a frame that is gone crashes Chromium if it calls back, as
 *   `Promise` and observers do
 */
export function native(name: string): unknown {
  const found = (globalThis as unknown as Names)[name];
  if (isNative(found)) return found;
  if (!untouched) {
    const frame = document.createElement('iframe');
    document.head.append(frame);
    untouched = frame.contentWindow as unknown as Names;
    frame.remove();
  }
  return untouched[name];
}
