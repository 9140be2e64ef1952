/** Imports a later file, if it has the hash that the first file expects. */
import {safeDocument} from '../page/safe-document.ts';
import {trusted} from '../page/trusted-types.ts';
import {scriptAddress} from './script-address.ts';
import {shared} from './shared-modules.ts';

/** Where a later file is, and which content it must have. */
export type Pin = {
  /** The address, relative to this script. */
  readonly path: string;
  /** The hash, as in the `integrity` of a script element. Empty for a file that is not built. */
  readonly integrity: string;
  /** The name that the build gives to the file. By default the key of the pin in its list. */
  readonly name?: string;
  /** The one export that the build puts into the file. By default all. */
  readonly only?: string;
};

/** The server that this script came from. */
export const scriptOrigin = new URL(scriptAddress).origin;

let failures = 0;

/**
 * @returns the file's module. A built file exports a function, which makes the module from what it shares with this
 *   one.
 * @throws when the file does not arrive or has another hash
 */
export async function importPinned({path, integrity}: Pin): Promise<unknown> {
  // The URL does not have the query of this script's URL, such as the `?ver=` that WordPress appends.
  const url = new URL(path, scriptAddress);
  // A browser does not request a module again whose import has failed, so each new attempt has a new address.
  if (failures) url.searchParams.set('retry', String(failures));
  try {
    if (integrity) await verify(url.href, integrity);
    const module: unknown = await import(/* @vite-ignore */ url.href);
    return integrity
      ? (module as {default: (available: readonly unknown[]) => unknown}).default(shared())
      : module;
  } catch (error) {
    failures++;
    throw error;
  }
}

/**
 * Checks the hash with a script element, because `import()` takes no hash. In every engine, the element puts the
 * verified module into the page's module map, where the import then finds it. So the bytes that run are the verified
 * ones.
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
