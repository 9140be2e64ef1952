/** Imports a later file, if it has the hash that the first file expects. Only the form that pages embed uses it: in the npm package and in tests, later files are plain imports. */
import {Promise, URL} from '../page/builtins.ts';
import {inTime} from '../page/in-time.ts';
import {safeDocument} from '../page/safe-document.ts';
import {trusted} from '../page/trusted-types.ts';
import {scriptAddress} from './script-address.ts';
import {shared} from './shared.ts';

/** A later file as the build makes it: a function that takes what it shares with the first file, and returns its exports. */
type LaterFile = {default: (available: typeof shared) => unknown};

const imports = new Map<string, Promise<unknown>>();
/** The requests by path. Each resolves to the file that arrives first: an earlier request may be answered after a later one was made. */
const requests = new Map<string, Promise<unknown>>();
let failures = 0;

/**
 * Imports a file once. If that fails, the next call tries again.
 *
 * @param path the address, relative to this script
 * @param integrity the hash, as in the `integrity` of a script element
 * @throws when the file does not arrive in time or has another hash
 */
export function importPinned(path: string, integrity: string): Promise<unknown> {
  const known = imports.get(path);
  if (known) return known;
  const earlier = requests.get(path);
  const file = new Promise((resolve, reject) => {
    earlier?.then(resolve, () => {});
    importFile(path, integrity).then(resolve, reject);
  });
  requests.set(path, file);
  const attempt = inTime(file);
  imports.set(path, attempt);
  attempt.catch(() => {
    failures++;
    imports.delete(path);
    // Keeps a file that arrives after its attempt has failed, so that the next attempt has it at once.
    file.then(
      () => imports.set(path, file),
      () => {},
    );
  });
  return attempt;
}

async function importFile(path: string, integrity: string): Promise<unknown> {
  // Resolved without the query of this script's URL, such as the `?ver=` that WordPress appends.
  const url = new URL(path, scriptAddress);
  // A browser does not request a module again whose import has failed, so each new attempt has a new address.
  if (failures) url.searchParams.set('retry', String(failures));
  await verify(url.href, integrity);
  return ((await import(/* @vite-ignore */ url.href)) as LaterFile).default(shared);
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
      script.type = 'module';
      script.crossOrigin = 'anonymous';
      script.referrerPolicy = 'no-referrer';
      script.integrity = integrity;
      script.src = src;
      safeDocument.head.append(script);
    });
  } finally {
    script.remove();
  }
}
