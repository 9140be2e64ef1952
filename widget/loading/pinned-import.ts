/** Imports a later file, if it has the hash that the first file expects. */
import {safeDocument} from '../page/safe-document.ts';
import {trusted} from '../page/trusted-types.ts';
import {shared} from './shared-modules.ts';

/**
 * A later file's address, relative to this script, and its integrity, which is empty if the file is not built. The build
 * names the file after its key in the list, or by `name`, and puts only the export `only` into it, if that is given.
 */
export type Pin = {
  readonly path: string;
  readonly integrity: string;
  readonly name?: string;
  readonly only?: string;
};

/** The server that this script came from. */
export const scriptOrigin = new URL(import.meta.url).origin;

let failures = 0;

/**
 * @returns the file's module. A built file exports a function, which makes the module from what it shares with this one.
 * @throws when the file does not arrive or has another hash
 */
export async function importPinned({path, integrity}: Pin): Promise<unknown> {
  // Without this script's own query: WordPress appends `?ver=`.
  const url = new URL(path, import.meta.url);
  // Browsers remember that an import failed, hence a new address for a new attempt.
  if (failures) url.searchParams.set('retry', String(failures));
  try {
    if (integrity) await verify(url.href, integrity);
    const module: unknown = await import(/* @vite-ignore */ url.href);
    return integrity ? (module as {default: (available: object) => unknown}).default(shared()) : module;
  } catch (error) {
    failures++;
    throw error;
  }
}

/**
 * `import()` takes no hash. A script element does, in every engine, and puts what it verified where the import finds it
 * (the page's module map): the verified bytes are the ones that run.
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
