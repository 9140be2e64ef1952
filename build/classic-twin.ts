/**
 * Adds the classic twin to a build: the same form as a plain script, which pins the same later files. Tag managers put
 * modules into a page without running them, and drop attributes that they do not know.
 */
import {readFileSync} from 'node:fs';
import type {Plugin} from 'vite';
import {classicFile} from '../contract/api.ts';
import {buildChunk, library, scriptAddressFile} from './later-files.ts';

/** A plain script asks the browser for its address in another way than a module does. */
const classicAddress: Plugin = {
  name: 'classic-address',
  load: (id) =>
    id === scriptAddressFile
      ? readFileSync(scriptAddressFile.replace('script-address', 'classic-script-address'), 'utf8')
      : null,
};

/** @param plugins those that build the module */
export const addClassicTwin = (plugins: readonly Plugin[]): Plugin => ({
  name: 'add-classic-twin',
  async generateBundle() {
    const settings = library('widget/define-classic.ts', classicFile);
    const {lib} = settings.build;
    const {code} = await buildChunk({
      ...settings,
      plugins: [classicAddress, ...plugins],
      build: {...settings.build, write: false, lib: {...lib, formats: ['iife'], name: 'unused'}},
    });
    this.emitFile({type: 'asset', fileName: classicFile, source: code});
  },
});
