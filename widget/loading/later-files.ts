/** Loads the files that a visitor does not need before the first touch, each held to its hash. */
import type {AnswerModule, TakeawayModule} from '../submission/types.ts';
import {laterFiles} from './pins.ts';
import {safeDocument} from '../page/safe-document.ts';
import {trusted} from '../page/trusted-types.ts';

/** The server that this script came from. */
export const scriptOrigin = new URL(import.meta.url).origin;

export const loadAnswerModule = () => loadPinned(laterFiles.answer) as Promise<AnswerModule>;
export const loadTakeawayModule = () => loadPinned(laterFiles.takeaway) as Promise<TakeawayModule>;

const loads = new Map<string, Promise<unknown>>();
let failures = 0;

/**
 * Once for a file; a failure is forgotten, so that the next call tries again.
 *
 * @param file its address, relative to this script, and its hash, empty where there is none to hold it to
 * @throws when the file does not arrive or has another hash
 */
export function loadPinned({path, integrity}: {path: string; integrity: string}): Promise<unknown> {
  const load = loads.get(path) ?? loadNow(path, integrity);
  loads.set(path, load);
  load.catch(() => loads.delete(path));
  return load;
}

async function loadNow(path: string, integrity: string): Promise<unknown> {
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
 * `import()` takes no hash. A script element does, in every engine, and puts what it verified where the import
 * finds it (the page's module map): the verified bytes are the ones that run.
 */
async function verify(href: string, integrity: string) {
  const script = safeDocument.createElement('script');
  const src = trusted.createScriptURL(href);
  try {
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = reject;
      const referrerPolicy = 'no-referrer';
      Object.assign(script, {type: 'module', crossOrigin: 'anonymous', referrerPolicy, integrity, src});
      safeDocument.head.append(script);
    });
  } finally {
    script.remove();
  }
}
