/**
 * In the built form, also in Lit's files, these names are imports of what `native()` finds under them (widget/page/native.ts),
 * whatever the page has there, such as `var Map = {…}` or `class Proxy {}`. Each name costs some bytes of the first file, so
 * these are the ones that a page can have replaced without breaking its other scripts.
 */
import {resolve} from 'node:path';
import type {Plugin} from 'vite';

const names = ['Map', 'Set', 'WeakMap', 'Symbol', 'Proxy', 'Reflect', 'Object'];

const id = '\0builtins';

/** The setting of the bundler that makes a global name an import. */
export const inject = Object.fromEntries(names.map((name) => [name, [id, name] as [string, string]]));

const imported = `import {native} from ${JSON.stringify(resolve('widget/page/native.ts'))};`;

export const builtins: Plugin = {
  name: 'builtins',
  resolveId: (source) => (source === id ? {id, moduleSideEffects: false} : null),
  load: (loaded) =>
    loaded === id
      ? names.reduce(
          (code, name) => `${code}export const ${name} = /* @__PURE__ */ native('${name}');`,
          imported,
        )
      : null,
};
