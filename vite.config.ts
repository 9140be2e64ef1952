/** Builds the form into `dist/embed/<version>/`, as partners' pages load it. The npm package: build/npm-package.ts. */
import {defineConfig, type Plugin} from 'vite';
import {builtins} from './build/builtins.ts';
import {addClassicTwin} from './build/classic-twin.ts';
import {library, pinLaterFiles} from './build/later-files.ts';
import {giveLitItsGlobals} from './build/lit.ts';
import {compileAll, minifyFile, minifyTemplates} from './build/minify.ts';
import {finish, refuseReleased} from './build/output.ts';
import {moduleFile} from './contract/api.ts';

const plugins: readonly Plugin[] = [
  builtins,
  minifyTemplates,
  giveLitItsGlobals,
  pinLaterFiles(),
  minifyFile(compileAll),
];

export const embed = {
  ...library('widget/define.ts', moduleFile),
  plugins: [...plugins, addClassicTwin(plugins), finish],
};

export default defineConfig(() => {
  refuseReleased();
  return embed;
});
