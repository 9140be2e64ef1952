/** Loads the files that a visitor does not need before the first touch, each held to its hash. */
import type {AnswerModule} from './answer/types.ts';
import {laterFiles} from './pins.ts';

/** The server that this script came from. */
export const scriptOrigin = new URL(import.meta.url).origin;

export const loadAnswerModule = () => loadPinned(laterFiles.answer) as Promise<AnswerModule>;

let failures = 0;

/**
 * @param file its address, relative to this script, and its hash, empty where there is none to hold it to
 * @throws when the file does not arrive or has another hash
 */
export async function loadPinned({path, integrity}: {path: string; integrity: string}): Promise<unknown> {
  // Without this script's own query: WordPress appends `?ver=`.
  const url = new URL(path, import.meta.url);
  // Browsers remember that an import failed, hence a new address for a new attempt.
  if (failures) url.searchParams.set('retry', String(failures));
  try {
    if (integrity) await verify(url.href, integrity);
    return await import(/* @vite-ignore */ url.href);
  } catch (error) {
    failures++;
    throw error;
  }
}

/**
 * `import()` takes no hash. A preload does, and puts what it verified where the import finds it (the page's
 * module map), so that the verified bytes are the ones that run. WebKit takes no notice of a preload's hash,
 * though, and older browsers know no such preload: hence a fetch first, which verifies everywhere. There, a
 * server that answers one immutable address in two ways is not caught.
 */
async function verify(href: string, integrity: string) {
  await fetch(href, {integrity, credentials: 'omit'});
  const link = document.createElement('link');
  if (!link.relList.supports('modulepreload')) return;
  await new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = reject;
    Object.assign(link, {rel: 'modulepreload', crossOrigin: 'anonymous', integrity, href});
    document.head.append(link);
  }).finally(() => link.remove());
}
