/** Builds the form into `dist/embed/<version>/`, as partners' pages load it. The npm package: build/npm-package.ts. */
import {defineConfig} from 'vite';
import {library, pinLaterFiles} from './build/later-files.ts';
import {editLit} from './build/lit.ts';
import {minifyTemplates} from './build/minify.ts';
import {embedFile, finish, refuseReleased} from './build/output.ts';

export default defineConfig(() => {
  refuseReleased();
  return {
    ...library('widget/define.ts', embedFile),
    plugins: [minifyTemplates, editLit(), pinLaterFiles, finish],
  };
});
