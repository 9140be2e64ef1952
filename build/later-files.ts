/** Builds the later files, and writes their names and hashes into the first file, which so pins them. */
import {createHash} from 'node:crypto';
import {join, resolve} from 'node:path';
import {build, type InlineConfig, type Plugin, type Rolldown} from 'vite';
import {languageTags, laterFiles} from '../widget/loading/pins.ts';
import {wordFiles} from '../widget/loading/word-pins.ts';
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

const entryOfWords = '\0words';

/** Of a file of words, keeps only those for after the first touch. The others are in other files of the form. */
const keepAfterTouch: Plugin = {
  name: 'keep-after-touch',
  enforce: 'pre',
  resolveId: (id, importer) => (importer || !id.includes('form/words/') ? null : `${entryOfWords}${id}`),
  load: (id) =>
    id.startsWith(entryOfWords)
      ? `export {afterTouch} from ${JSON.stringify(resolve(id.slice(entryOfWords.length)))};`
      : null,
};

/** @returns the code and source map of a file, and its name, which contains a hash of the code */
async function buildLaterFile(name: string, entry: string, plugins: readonly Plugin[] = []) {
  const {build: options, ...others} = library(entry, `${name}.js`);
  const results = await build({
    ...others,
    plugins: [minifyTemplates, keepAfterTouch, ...plugins],
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

type Pin = {path: string; integrity: string};

/** The file of languages pins the files of their words. */
const pinWords = (wordPins: Readonly<Record<string, Pin>>): Plugin => ({
  name: 'pin-words',
  load: (id) =>
    id.endsWith('/widget/loading/word-pins.ts')
      ? `export const wordFiles = ${JSON.stringify(wordPins)};`
      : null,
});

/**
 * Builds the later files, and replaces the module that lists them by their names and hashes. The hashes are SHA-256, the
 * shortest that browsers accept, because hashes cannot be compressed.
 */
export const pinLaterFiles: Plugin = {
  name: 'pin-later-files',
  async load(id) {
    if (!id.endsWith('/widget/loading/pins.ts')) return null;
    const build = async (name: string, {path}: {path: string}, plugins?: readonly Plugin[]) => {
      const {file, code, map} = await buildLaterFile(name, join('widget/loading', path), plugins);
      this.emitFile({type: 'asset', fileName: file, source: code});
      this.emitFile({type: 'asset', fileName: `${file}.map`, source: map});
      return {path: `./${file}`, integrity: integrityOf(code, 'sha256')};
    };
    const wordPins: Record<string, Pin> = {};
    for (const [tag, file] of Object.entries(wordFiles)) wordPins[tag] = await build(`words-${tag}`, file);
    const pins: Record<string, Pin> = {};
    for (const [name, file] of Object.entries(laterFiles)) {
      pins[name] = await build(name, file, [pinWords(wordPins)]);
    }
    return `export const laterFiles = ${JSON.stringify(pins)}, languageTags = ${JSON.stringify(languageTags)};`;
  },
};
