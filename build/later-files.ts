/** Builds the later files, and writes their names and hashes into the first file, which so pins them. */
import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {build, type InlineConfig, type Plugin, type Rolldown} from 'vite';
import {laterFiles} from '../widget/loading/pins.ts';
import {minifyAgain, minifyTemplates} from './minify.ts';
import {integrityOf, outDir} from './output.ts';

/** The settings for each file of the form, which is one self-contained ES module. */
export const library = (entry: string, fileName: string): InlineConfig => ({
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir,
    target: 'es2022',
    sourcemap: true,
    reportCompressedSize: false,
    lib: {entry, formats: ['es'], fileName: () => fileName},
    rolldownOptions: {output: {minify: true}, checks: {pluginTimings: false}},
  },
});

/** @returns the code and source map of a file, and its name, which contains a hash of the code */
async function buildLaterFile(name: string, entry: string) {
  const {build: options, ...others} = library(entry, `${name}.js`);
  const results = await build({
    ...others,
    plugins: [minifyTemplates],
    build: {...options, write: false, sourcemap: 'hidden'},
  });
  const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  const [chunk, ...companions] = output;
  const unexpected = companions.filter(({fileName}) => !fileName.endsWith('.map'));
  if (unexpected.length > 0) throw new Error(`${name} is not alone: ${unexpected[0]?.fileName}`);
  return minifyAgain(chunk.code, JSON.stringify(chunk.map), (content) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
    return `${name}-${hash}.js`;
  });
}

/**
 * Builds the later files, and replaces the module that lists them by their names and hashes. The hashes are SHA-256, the
 * shortest that browsers accept, because hashes cannot be compressed.
 */
export const pinLaterFiles: Plugin = {
  name: 'pin-later-files',
  async load(id) {
    if (!id.endsWith('/widget/loading/pins.ts')) return null;
    const pins: Record<string, {path: string; integrity: string}> = {};
    for (const [name, {path}] of Object.entries(laterFiles)) {
      const {file, code, map} = await buildLaterFile(name, join('widget/loading', path));
      this.emitFile({type: 'asset', fileName: file, source: code});
      this.emitFile({type: 'asset', fileName: `${file}.map`, source: map});
      pins[name] = {path: `./${file}`, integrity: integrityOf(code, 'sha256')};
    }
    return `export const laterFiles = ${JSON.stringify(pins)};`;
  },
};
