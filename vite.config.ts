/** Builds the form into `dist/embed/<version>/`, as partners' pages load it. The npm package: build/npm-package.ts. */
import {defineConfig} from 'vite';
import {library, pinLaterFiles} from './build/later-files.ts';
import {giveLitItsGlobals} from './build/lit.ts';
import {compileAll, minifyFile, minifyTemplates} from './build/minify.ts';
import {finish, refuseReleased} from './build/output.ts';
import {embedFile} from './build/sizes.ts';

export const embed = {
  ...library('widget/define.ts', embedFile),
  plugins: [minifyTemplates, giveLitItsGlobals, pinLaterFiles(), minifyFile(compileAll), finish],
};

export default defineConfig(() => {
  refuseReleased();
  return embed;
});
