/**
 * Angular's compiler `ngc` has compiled the app into `compiled/` before. Most apps have `ng build` for both steps; this
 * needs fewer packages.
 */
import linker from '@angular/compiler-cli/linker/babel';
import {transformAsync} from '@babel/core';
import {defineConfig, type Plugin} from 'vite';

/** Angular's packages are published half compiled, and this compiles the rest. Without it, they need a compiler in the page. */
const linkAngular: Plugin = {
  name: 'link-angular',
  async transform(code, id) {
    if (!id.includes('/node_modules/@angular/') || !code.includes('ɵɵngDeclare')) return undefined;
    const linked = await transformAsync(code, {
      filename: id,
      plugins: [linker],
      configFile: false,
      compact: false,
    });
    return linked?.code ? {code: linked.code, map: null} : undefined;
  },
};

export default defineConfig(({mode}) => ({
  plugins: [linkAngular],
  // As `ng build` does. What Angular has for its developers and for servers is then left out of the page.
  define: mode === 'production' ? {ngDevMode: 'false', ngJitMode: 'false', ngServerMode: 'false'} : {},
}));
