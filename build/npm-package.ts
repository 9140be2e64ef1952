/**
 * The configuration of Vite that builds the npm package for browsers into `dist/npm/`: the form as modules for a bundler,
 * which share the page's Lit, their types, and descriptions for editors. It has a `package.json` of its own, because the
 * form needs none of the server's dependencies.
 */
import {readFileSync, writeFileSync} from 'node:fs';
import {getWebTypesData} from 'custom-element-jet-brains-integration';
import {getVsCodeCssCustomData, getVsCodeHtmlCustomData} from 'custom-element-vs-code-integration';
import {rolldown} from 'rolldown';
import {dts} from 'rolldown-plugin-dts';
import {defineConfig, type Plugin} from 'vite';
import {elementName} from '../contract/api.ts';
import {packageManifest} from './docs/manifest.ts';
import {scriptAddressFile} from './later-files.ts';

const outDir = 'dist/npm';
const root = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  license: string;
  dependencies: {lit: string};
};

/** What an app can import, besides types. */
const modules = {[elementName]: 'define', define: 'frameworks/define'};
const typesAlone = {react: 'frameworks/react', vue: 'frameworks/vue', svelte: 'frameworks/svelte'};

/** Packages that the app has. */
const external = [/^lit(\/|$)/, 'react', 'vue', /^svelte\//];

/** A bundle does not know where its server is, so the page has to say that (`endpoint`). */
const noAddress: Plugin = {
  name: 'no-address',
  load: (id) => (id === scriptAddressFile ? `export const scriptAddress = '';` : null),
};

/** @param module the name of a file without its extension */
const forBrowsers = (module: string) => ({
  types: `./${module}.d.ts`,
  // Bundlers for servers at the edge ask for `browser` as well, so these conditions come first.
  worker: './server.js',
  workerd: './server.js',
  'edge-light': './server.js',
  browser: `./${module}.js`,
  node: './server.js',
  default: `./${module}.js`,
});

/** Tools that know no `exports` find the same files by their names. */
const packageJson = {
  name: 'lead-prequal',
  version: root.version,
  description: "A funding pre-qualification form for partners' pages, as a custom element",
  keywords: ['custom-element', 'form', 'funding', 'lit', 'web-component'],
  license: root.license,
  type: 'module',
  engines: {node: '>=18'},
  // An import defines the element, and looks for a campaign in the address of the page.
  sideEffects: [`./${elementName}.js`, './define.js'],
  exports: {
    '.': forBrowsers(elementName),
    './define': forBrowsers('define'),
    './react': {types: './react.d.ts'},
    './vue': {types: './vue.d.ts'},
    './svelte': {types: './svelte.d.ts'},
    './custom-elements.json': './custom-elements.json',
    './package.json': './package.json',
  },
  main: `./${elementName}.js`,
  types: `./${elementName}.d.ts`,
  customElements: 'custom-elements.json',
  'web-types': 'web-types.json',
  dependencies: {lit: `^${root.dependencies.lit}`},
  peerDependencies: {react: '>=18', svelte: '>=5', vue: '>=3.3'},
  peerDependenciesMeta: {react: {optional: true}, svelte: {optional: true}, vue: {optional: true}},
};

/**
 * What a server imports that renders a page: the element's tag is plain markup there, and becomes a form in the browser.
 * Without this file, the import would fail, because a server has no elements and no address.
 */
const forServers = 'export const LeadPrequalForm = undefined;\nexport const define = () => {};\n';

/** The form's reference. The package has no other page of the docs, so what links to one becomes text. */
const readme = readFileSync('docs/widget.md', 'utf8')
  .replace(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1')
  .replace(/^<img .*\n\n/gm, '');

const describe: Plugin = {
  name: 'describe',
  async writeBundle() {
    const manifest = packageManifest() as unknown as Parameters<typeof getWebTypesData>[0];
    const write = (name: string, content: unknown) => {
      const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
      // The data for editors has this for each custom property without a default.
      writeFileSync(`${outDir}/${name}`, text.replaceAll(' _(default: undefined)_', ''));
    };
    write('package.json', packageJson);
    write('server.js', forServers);
    write('custom-elements.json', manifest);
    write('vscode.html-custom-data.json', getVsCodeHtmlCustomData(manifest, {}));
    write('vscode.css-custom-data.json', getVsCodeCssCustomData(manifest, {}));
    write('web-types.json', getWebTypesData(manifest, {packageJson: false}));
    write('LICENSE', readFileSync('LICENSE', 'utf8'));
    write('README.md', readme);
    await bundleTypes();
  },
};

/** The compiler writes a file of types for each source. A package needs only what its modules say. */
async function bundleTypes() {
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.entries({...modules, ...typesAlone}).map(([name, source]) => [
        name,
        `dist/types/widget/${source}.d.ts`,
      ]),
    ),
    external,
    plugins: [dts({dtsInput: true, emitDtsOnly: true, tsconfig: 'widget/tsconfig.json'})],
  });
  await bundle.write({dir: outDir, chunkFileNames: 'types-[hash].d.ts'});
  await bundle.close();
}

export default defineConfig({
  logLevel: 'warn',
  define: {formVersion: JSON.stringify(root.version)},
  build: {
    outDir,
    target: 'es2022',
    minify: false,
    lib: {
      entry: Object.fromEntries(
        Object.entries(modules).map(([name, source]) => [name, `widget/${source}.ts`]),
      ),
      formats: ['es'],
    },
    rolldownOptions: {
      external,
      output: {
        minify: true,
        chunkFileNames: '[name]-[hash].js',
      },
      // Whoever tries the form by `npm start` cannot act on them.
      checks: {pluginTimings: false},
    },
  },
  plugins: [noAddress, describe],
});
