/**
 * Builds the later files, and makes the first file pin them: each import in widget/loading/later-files.ts and
 * form/words/languages.ts becomes one that checks the hash of the built file. The bundler's own code splitting cannot be
 * used, because its files import the first file back, by an address that a page may change (`?ver=6.4`) and that a
 * classic script does not have.
 *
 * So a later file is a function of what it shares with the first file (widget/loading/shared.ts):
 *
 *     export default (shared) => { …; return exports; }
 */
import {createHash} from 'node:crypto';
import {basename, dirname, resolve} from 'node:path';
import {build, type InlineConfig, type Plugin, type Rolldown} from 'vite';
import {shared} from '../widget/loading/shared.ts';
import {builtins, inject} from './builtins.ts';
import {compileAll, minifyFile, minifyTemplates} from './minify.ts';
import {integrityOf, outDir, version} from './output.ts';

const loading = resolve('widget/loading');
export const scriptAddressFile = `${loading}/script-address.ts`;

/** The settings for each file of the form. A built file is complete: it has no import of another. */
export const library = (entry: string, fileName: string) =>
  ({
    configFile: false,
    logLevel: 'warn',
    define: {formVersion: JSON.stringify(version)},
    build: {
      outDir,
      target: 'es2022',
      reportCompressedSize: false,
      lib: {entry, formats: ['es'], fileName: () => fileName},
      rolldownOptions: {output: {minify: false}, checks: {pluginTimings: false}, transform: {inject}},
    },
  }) satisfies InlineConfig;

const sharedFile = `${loading}/shared.ts`;
const sharedId = '\0shared';

/** Makes a later file read the shared modules from its argument. A name that is not shared fails the build. */
const readShared: Plugin = {
  name: 'read-shared-modules',
  enforce: 'pre',
  async resolveId(source, importer) {
    const found = importer ? await this.resolve(source, importer, {skipSelf: true}) : null;
    if (!found || importer === sharedFile) return found;
    const {importedIds} = await this.load({id: sharedFile, resolveDependencies: true});
    return importedIds.includes(found.id) ? {id: sharedId, moduleSideEffects: false} : found;
  },
  load: (id) =>
    id === sharedId
      ? Object.keys(shared)
          .map((name) => `export const ${name} = shared.${name};`)
          .join('')
      : null,
};

/** The one chunk that a build makes. */
export async function buildChunk(settings: InlineConfig): Promise<Rolldown.OutputChunk> {
  const results = (await build(settings)) as Rolldown.RolldownOutput[];
  const [chunk, ...others] = results.flatMap(({output}) => output);
  if (chunk?.type !== 'chunk' || others.some(({type}) => type === 'chunk'))
    throw new Error(`${chunk?.fileName} must be one file`);
  return chunk;
}

async function buildLaterFile(entry: string) {
  const name = basename(entry, '.ts');
  const settings = library(entry, `${name}.js`);
  const {lib, rolldownOptions} = settings.build;
  const chunk = await buildChunk({
    ...settings,
    plugins: [minifyTemplates, builtins, readShared, minifyFile(compileAll)],
    build: {
      ...settings.build,
      write: false,
      lib: {...lib, formats: ['iife'], name: 'exports'},
      rolldownOptions: {
        ...rolldownOptions,
        treeshake: {propertyReadSideEffects: false, unknownGlobalSideEffects: false},
        output: {
          ...rolldownOptions.output,
          generatedCode: {symbols: false},
          banner: 'export default (shared) => {',
          footer: 'return exports;}',
        },
      },
    },
  });
  const hash = createHash('sha256').update(chunk.code).digest('hex').slice(0, 10);
  return {file: `${name}-${hash}.js`, code: chunk.code};
}

/** The modules that import later files. */
const registries = [`${loading}/later-files.ts`, resolve('form/words/languages.ts')];
const laterImport = /import\(['"](.+?)['"]\)/g;

/**
 * Builds each later file, and replaces its import by a call of `importPinned` with the hash of the file. The hashes are
 * SHA-256, the shortest that browsers accept, because hashes cannot be compressed. The classic twin is built with the
 * same plugin after the module, and pins the same files.
 */
export function pinLaterFiles(): Plugin {
  const built = new Map<string, ReturnType<typeof buildLaterFile>>();
  return {
    name: 'pin-later-files',
    async transform(code, id) {
      if (!registries.includes(id)) return null;
      let pinned = `import {importPinned} from '${loading}/pinned-import.ts';${code}`;
      for (const [statement, path = ''] of code.matchAll(laterImport)) {
        const entry = resolve(dirname(id), path);
        const building = built.get(entry) ?? buildLaterFile(entry);
        built.set(entry, building);
        const {file, code} = await building;
        this.emitFile({type: 'asset', fileName: file, source: code});
        pinned = pinned.replace(statement, `importPinned('./${file}', '${integrityOf(file, code)}')`);
      }
      return {code: pinned, map: null};
    },
  };
}
