/**
 * Builds the later files, and writes their names and hashes into the file that loads them. So that file pins them: it
 * loads no file with another hash.
 *
 * Sources import what they need. In the built form, a later file gets the modules that it shares with the first file
 * (widget/loading/shared-modules.ts) as an argument, so that there is one copy of them on the page:
 *
 *     import {html} from 'lit';              export default (shared) => {
 *                                     →        const html = shared[0];
 *     export const view = () => …;             const view = () => …; return {view};
 *                                            };
 */
import {createHash} from 'node:crypto';
import {resolve} from 'node:path';
import {build, type InlineConfig, type Plugin, type Rolldown} from 'vite';
import type {Pin} from '../widget/loading/pinned-import.ts';
import {sharedModules} from '../widget/loading/shared-modules.ts';
import {minifyFile, minifyTemplates} from './minify.ts';
import {integrityOf, outDir} from './output.ts';
import {isPins, loading, rewritePins} from './pins.ts';

/** The settings for each file of the form, which is one self-contained ES module. */
export const library = (entry: string, fileName: string) =>
  ({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      target: 'es2022',

      // The server names the source map in a header, because a comment would cost each visitor 54 bytes.
      sourcemap: 'hidden',
      reportCompressedSize: false,
      lib: {entry, formats: ['es'], fileName: () => fileName},
      rolldownOptions: {output: {minify: false}, checks: {pluginTimings: false}},
    },
  }) satisfies InlineConfig;

const sharedModulesFile = `${loading}/shared-modules.ts`;

/** What later files use of shared modules, in the order of their first use. */
type Uses = {readonly module: string; readonly name: string}[];

/** The place of what is used in the list that later files get. Names would make all files larger. */
function indexOf(uses: Uses, module: string, name: string): number {
  const known = uses.findIndex((use) => use.module === module && use.name === name);
  return known < 0 ? uses.push({module, name}) - 1 : known;
}

/** Leaves the shared modules out of a later file, which imports them from `shared:<name>` instead. */
const leaveOutShared: Plugin = {
  name: 'leave-out-shared-modules',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!importer) return null;
    const found = await this.resolve(source, importer, {skipSelf: true});
    for (const name of found ? sharedModules : []) {
      const module = await this.resolve(name, sharedModulesFile, {skipSelf: true});
      if (module?.id === found?.id) return {id: `shared:${name}`, external: true, moduleSideEffects: false};
    }
    return found;
  },
};

/** Turns the module into a function. All code stays on its line, so that the source map stays right. */
const makeFunction = (uses: Uses): Plugin => ({
  name: 'make-function',
  renderChunk(code) {
    const body = code
      .replace(/^import \{(.+)\} from "shared:(.+)";$/gm, (_, names: string, module: string) => {
        const constants = names.split(',').map((name) => {
          const [used = '', local = used] = name.trim().split(' as ');
          return `${local} = shared[${indexOf(uses, module, used)}]`;
        });
        return `const ${constants.join(', ')};`;
      })
      .replace(
        /^export \{(.+)\};$/m,
        (_, names: string) => `return {${names.replace(/(\w+) as (\w+)/g, '$2: $1')}};`,
      );
    return {code: `export default (shared) => {${body}};`, map: null};
  },
});

const entryId = '\0entry';

/** Builds this code instead of a file. */
export const entry = (code: string): Plugin => ({
  name: 'entry',
  enforce: 'pre',
  resolveId: (_, importer) => (importer ? null : entryId),
  load: (id) => (id === entryId ? code : null),
});

/** @param exports the statement that exports what the file contains */
async function buildLaterFile(name: string, exports: string, uses: Uses) {
  const settings = library(name, `${name}.js`);
  const results = await build({
    ...settings,
    plugins: [
      entry(exports),
      minifyTemplates,
      leaveOutShared,
      pinLaterFilesFor(uses),
      makeFunction(uses),
      minifyFile(),
    ],
    build: {...settings.build, write: false},
  });
  const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  const [{code, map}, ...others] = output;
  const companions: Rolldown.OutputAsset[] = [];
  for (const other of others) {
    if (other.type === 'chunk') throw new Error(`${name} must be one file, but needs ${other.fileName}, too`);
    if (other.fileName !== `${name}.js.map`) companions.push(other);
  }
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 10);
  return {file: `${name}-${hash}.js`, code, map: JSON.stringify(map), companions};
}

/**
 * Builds the later files that a module lists, and replaces this module by their names and hashes. The hashes are
 * SHA-256, the shortest that browsers accept, because hashes cannot be compressed. A later file can list further ones.
 * The classic twin is built with the same plugin after the module, and takes the names and hashes that are known.
 */
const pinLaterFilesFor = (uses: Uses, rewritten = new Map<string, string>()): Plugin => ({
  name: 'pin-later-files',
  async load(id) {
    if (!isPins(id)) return null;
    const known = rewritten.get(id);
    if (known !== undefined) return known;
    const code = await rewritePins(id, async (name, {path, only}) => {
      const exports = `export ${only ? `{${only}}` : '*'} from '${resolve(loading, path)}';`;
      const {file, code, map, companions} = await buildLaterFile(name, exports, uses);
      this.emitFile({type: 'asset', fileName: file, source: code});
      this.emitFile({type: 'asset', fileName: `${file}.map`, source: map});
      for (const {fileName, source} of companions) this.emitFile({type: 'asset', fileName, source});
      return JSON.stringify({path: `./${file}`, integrity: integrityOf(code, 'sha256')} satisfies Pin);
    });
    rewritten.set(id, code);
    return code;
  },
});

/** Writes the function `shared` of the first file: it returns the list of what the later files use of the shared modules. */
const fillShared = (uses: Uses): Plugin => ({
  name: 'fill-shared-modules',
  async load(id) {
    if (id !== sharedModulesFile) return null;
    // Builds the later files first, because only then it is known what they use.
    await this.load({id: `${loading}/pins.ts`});
    const imports = uses.map(
      ({module, name}, index) => `import {${name} as shared${index}} from '${module}';\n`,
    );
    const list = uses.map((_, index) => `shared${index}`);
    return `${imports.join('')}export const shared = () => [${list.join()}];`;
  },
});

/** The plugins for the first file, which loads the others. */
export function pinLaterFiles(): Plugin[] {
  const uses: Uses = [];
  return [pinLaterFilesFor(uses), fillShared(uses)];
}
