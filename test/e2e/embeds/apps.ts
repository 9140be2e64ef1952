/** Builds the snippets of frameworks into pages, as the documentation of those frameworks says. */
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {build} from 'vite';
import {head, type Page} from '../../support/website.ts';

type Files = Readonly<Record<string, string>>;

/** @param files the sources of the app. `main.js` is the entry, and the app is put into `#app`. */
async function buildApp(files: Files): Promise<Page> {
  // Below test/frameworks, so that the packages of the frameworks are found from there.
  mkdirSync('test/frameworks/dist', {recursive: true});
  const folder = mkdtempSync(resolve('test/frameworks/dist/app-'));
  try {
    const index = `${head}</head><body><div id="app"></div><script type="module" src="./main.js"></script></body></html>`;
    for (const [name, text] of Object.entries({...files, 'index.html': index}))
      writeFileSync(join(folder, name), text);
    const configFile = join(folder, 'vite.config.js');
    await build({root: folder, configFile, logLevel: 'error', build: {outDir: 'out'}});
    const assets = join(folder, 'out/assets');
    const [script = ''] = readdirSync(assets).filter((name) => name.endsWith('.js'));
    const code = readFileSync(join(assets, script), 'utf8').replaceAll('</script', '<\\/script');
    const rules = readdirSync(assets)
      .filter((name) => name.endsWith('.css'))
      .map((name) => readFileSync(join(assets, name), 'utf8'));
    return {
      html: `${head}<style>${rules.join('')}</style></head><body><div id="app"></div><script type="module">${code}</script></body></html>`,
    };
  } finally {
    rmSync(folder, {recursive: true});
  }
}

/** An app that shows the component of the snippet, under strict mode, which mounts every component twice. */
export const reactApp = (component: string) =>
  buildApp({
    'vite.config.js': 'export default {};',
    'FundingForm.jsx': component,
    'main.js': `import {createElement, StrictMode} from 'react';
      import {createRoot} from 'react-dom/client';
      import {FundingForm} from './FundingForm.jsx';
      createRoot(document.getElementById('app')).render(createElement(StrictMode, {}, createElement(FundingForm)));`,
  });

/** @param setting the snippet's line of `vite.config.js` */
export const vueApp = (component: string, setting: string) =>
  buildApp({
    'vite.config.js': `import vue from '@vitejs/plugin-vue'; export default {plugins: [${setting}]};`,
    'FundingForm.vue': component,
    'main.js': `import {createApp} from 'vue';
      import FundingForm from './FundingForm.vue';
      createApp(FundingForm).mount('#app');`,
  });
