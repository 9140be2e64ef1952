/** The npm package as its users take it: packed, compiled against, and built into a page by a bundler. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {after, before, suite, test} from 'node:test';
import express from 'express';
import {chromium} from 'playwright-core';
import {build} from 'vite';
import {findChromium} from '../support/find-browsers.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {optionFiles} from '../../widget/loading/option-pins.ts';
import {laterFiles} from '../../widget/loading/pins.ts';

/** In the project, so that the frameworks of the tests are found from there. */
const app = 'dist/package-test';

suite('the npm package', () => {
  before(() => {
    rmSync(app, {recursive: true, force: true});
    mkdirSync(join(app, 'node_modules'), {recursive: true});
    symlinkSync('../../npm', join(app, 'node_modules/lead-prequal'));
    cpSync('test/e2e/package', app, {recursive: true});
  });
  after(() => rmSync(app, {recursive: true}));

  test('the npm package holds the form, the files it loads later, types, and what editors read', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', './dist/npm'], {encoding: 'utf8'});
    const [{files}] = JSON.parse(packed) as [{files: {path: string}[]}];
    const names = files.map(({path}) => path.replace(/-[\w-]{8}\.js$/, '.js'));
    // A bundler does not split a module: a language's words are in one file with those of its first screen.
    const later = Object.entries({...laterFiles, ...optionFiles}).filter(([, pin]) => !('only' in pin));
    const needed = [
      'lead-prequal-form.js',
      'server.js',
      ...later.map(([name]) => `${name}.js`),
      'types/widget/define.d.ts',
      'custom-elements.json',
      'vscode.css-custom-data.json',
      'vscode.html-custom-data.json',
      'web-types.json',
    ];
    for (const name of needed) assert.ok(names.includes(name), `${name} is missing`);
    const others = names.filter((name) => !needed.includes(name) && !/\.d\.ts$|^[\w-]+\.js$/.test(name));
    assert.deepEqual(others.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  });

  for (const conditions of [[], ['worker'], ['workerd', 'worker', 'browser'], ['edge-light', 'worker']]) {
    test(`the npm package is only a tag for a server with the conditions "${conditions.join(' ')}"`, () => {
      const flags = conditions.map((condition) => `--conditions=${condition}`);
      const program = "import {LeadPrequalForm} from 'lead-prequal'; console.log(LeadPrequalForm)";
      const output = execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', program], {
        cwd: app,
        encoding: 'utf8',
      });
      assert.equal(output, 'undefined\n');
    });
  }

  test('the npm package types the element for TypeScript, React, Vue and Svelte', () => {
    execFileSync('npx', ['tsc', '-p', app], {stdio: 'inherit'});
  });

  test('the npm package works in a page that a bundler built', async () => {
    const folder = makeTemporaryFolder();
    const pages = express()
      .use(express.static(join(app, 'out')))
      .listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const {port} = pages.address() as AddressInfo;
    const service = await startService(
      {...serviceSettings(folder.path), EMBED_ORIGINS: `http://127.0.0.1:${port}`},
      folder.path,
    );
    const form = `<lead-prequal-form partner="acme" lead-type="standard" endpoint="${service.url}">`;
    writeFileSync(
      join(app, 'index.html'),
      `${form}</lead-prequal-form><script type="module">import 'lead-prequal'</script>`,
    );
    await build({root: app, configFile: false, logLevel: 'warn', build: {outDir: 'out'}});
    const browser = await chromium.launch(await findChromium());
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}`);
    await page.getByLabel('First name').fill('Ana');
    await page.getByLabel('Last name').fill('Silva');
    await page.getByLabel('Email').fill('ana@example.com');
    await page.getByLabel('Phone').fill('415-555-0132');
    await page.getByRole('button', {name: 'Send'}).click();
    await page.getByRole('heading', {name: 'Thank you, Ana'}).waitFor();
    await browser.close();
    await service.end('SIGTERM');
    pages.close();
    folder.remove();
  });
});
