/**
 * The configuration of Vite that builds the npm package into `dist/npm/`: the form as modules for a bundler, which
 * share the page's Lit, and descriptions for editors. It has a `package.json` of its own, because the form needs none
 * of the server's dependencies.
 */
import {readFileSync, writeFileSync} from 'node:fs';
import {getWebTypesData} from 'custom-element-jet-brains-integration';
import {getVsCodeCssCustomData, getVsCodeHtmlCustomData} from 'custom-element-vs-code-integration';
import {defineConfig, type Plugin} from 'vite';
import {elementName} from '../contract/api.ts';
import {packageManifest} from './docs/manifest.ts';
import {scriptAddressFile} from './later-files.ts';

const outDir = 'dist/npm';
const root = JSON.parse(readFileSync('package.json', 'utf8')) as {
  [name: string]: unknown;
  dependencies: {lit: string};
};

/** A bundle does not know where its server is, so the page has to say that (`endpoint`). */
const noAddress: Plugin = {
  name: 'no-address',
  load: (id) => (id === scriptAddressFile ? `export const scriptAddress = '';` : null),
};

const types = (path: string) => `./types/widget/${path}.d.ts`;
const packageJson = {
  name: root['name'],
  version: root['version'],
  description: root['description'],
  license: root['license'],
  type: 'module',
  exports: {
    '.': {
      types: types('define'),
      // Bundlers for servers at the edge ask for `browser` as well, so these conditions come first.
      worker: './server.js',
      workerd: './server.js',
      'edge-light': './server.js',
      browser: `./${elementName}.js`,
      node: './server.js',
      default: `./${elementName}.js`,
    },
    './react': {types: types('frameworks/react')},
    './vue': {types: types('frameworks/vue')},
    './svelte': {types: types('frameworks/svelte')},
    './custom-elements.json': './custom-elements.json',
    './package.json': './package.json',
  },
  types: types('define'),
  customElements: 'custom-elements.json',
  'web-types': 'web-types.json',
  dependencies: {lit: `^${root.dependencies.lit}`},
};

/**
 * What a server imports that renders a page: the element's tag is plain markup there, and becomes a form in the browser.
 * Without this file, the import would fail, because a server has no elements and no address.
 */
const forServers = 'export const LeadPrequalForm = undefined;\n';

const describe: Plugin = {
  name: 'describe',
  writeBundle() {
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
    for (const name of ['LICENSE', 'CHANGELOG.md']) write(name, readFileSync(name, 'utf8'));
    write('README.md', readFileSync('docs/widget.md', 'utf8'));
  },
};

export default defineConfig({
  logLevel: 'warn',
  build: {
    outDir,
    target: 'es2022',
    minify: false,
    lib: {entry: 'widget/define.ts', formats: ['es'], fileName: elementName},
    rolldownOptions: {
      external: /^lit(\/|$)/,
      output: {minify: true, chunkFileNames: '[name]-[hash].js'},
    },
  },
  plugins: [noAddress, describe],
});
