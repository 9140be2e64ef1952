/**
 * Adds the classic twin to a build: the same form as a plain script, which pins the same later files. Tag managers put
 * modules into a page without running them, and drop attributes that they do not know.
 */
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {build, type Plugin, type Rolldown} from 'vite';
import {classicFile} from '../contract/api.ts';
import {entry, library} from './later-files.ts';
import {loading} from './pins.ts';

/** A plain script asks the browser for its address in another way than a module does. */
const classicAddress: Plugin = {
  name: 'classic-address',
  load: (id) =>
    id === `${loading}/script-address.ts`
      ? readFileSync(`${loading}/classic-script-address.ts`, 'utf8')
      : null,
};

/** @param plugins those that build the module */
export const addClassicTwin = (plugins: readonly Plugin[]): Plugin => ({
  name: 'add-classic-twin',
  // The later files are built by now, because the module needed their hashes.
  async generateBundle() {
    const settings = library(classicFile, classicFile);
    const {lib} = settings.build;
    const results = await build({
      ...settings,
      // Without exports, the script leaves no global variable on the page.
      plugins: [entry(`import '${resolve('widget/define.ts')}';`), classicAddress, ...plugins],
      build: {...settings.build, write: false, lib: {...lib, formats: ['iife'], name: 'unused'}},
    });
    const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
    const [{code, map}] = output;
    this.emitFile({type: 'asset', fileName: classicFile, source: code});
    this.emitFile({type: 'asset', fileName: `${classicFile}.map`, source: JSON.stringify(map)});
  },
});
