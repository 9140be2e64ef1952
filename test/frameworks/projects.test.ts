/**
 * The npm package as partners get it: the release of a running server, installed by its address into projects that have
 * their framework and nothing else, built, and visited. The projects are in `projects/`. They are those of frameworks with
 * a server of their own; frameworks.test.ts has the apps of those that only build pages.
 */
import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {before, suite, test} from 'node:test';
import type {Browser} from 'playwright-core';
import {packageFile} from '../../contract/api.ts';
import {onePartner} from '../../server/config/partners.ts';
import {outDir} from '../../build/output.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {freePort} from '../support/free-port.ts';
import {installedIn, makeProject, runIn} from '../support/npm-project.ts';
import {suiteOwner} from '../support/opened.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {startTestServer, type TestServer} from '../support/test-server.ts';
import {until} from '../support/until.ts';

type Project = {
  name: string;
  build: readonly string[];
  /** Serves what was built. `$PORT` is replaced. */
  serve: readonly string[];
};

const projects: readonly Project[] = [
  {name: 'next', build: ['next', 'build'], serve: ['next/dist/bin/next', 'start', '--port', '$PORT']},
  {name: 'nuxt', build: ['nuxt', 'build'], serve: ['../.output/server/index.mjs']},
];

const version = basename(outDir);

// Two at a time: one is built while the browser visits the other.
suite('the npm package of a release, installed from its server', {concurrency: 2}, () => {
  const owner = suiteOwner();
  const ports = new Map<string, number>();
  let server: TestServer;
  let browser: Browser;
  const address = () => `${server.url}/embed/${version}/${packageFile}`;

  before(async () => {
    const folder = makeTemporaryFolder();
    owner.after(() => folder.remove());
    for (const file of ['package.json', 'dist/npm', outDir])
      cpSync(file, join(folder.path, file), {recursive: true});
    await runIn(folder.path, ['node', join(process.cwd(), 'build/release.ts')]);
    for (const {name} of projects) ports.set(name, await freePort());
    const origins = [...ports.values()].map((port) => `http://localhost:${port}`);
    const partner = onePartner({key: 'acme', origins, cid: '1001'});
    server = await startTestServer({partners: [partner], releasesFolder: join(folder.path, 'releases')});
    owner.after(() => server.close());
    browser = await launchChromium();
    owner.after(() => browser.close());
  });

  test('it brings Lit, and nothing else that a page does not need', async (t) => {
    const folder = makeProject(t, {private: true});
    await runIn(folder, ['npm', 'install', address()]);
    const {packages, own, all} = installedIn(folder, 'lead-prequal');
    t.diagnostic(
      `lead-prequal: ${own.files} files, ${own.bytes} bytes; with ${packages.join(', ')}: ${all.bytes} bytes`,
    );
    assert.deepEqual(
      packages.filter((name) => !name.startsWith('@lit') && !name.startsWith('lit')),
      ['@types/trusted-types'],
    );
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, {integrity?: string}>;
    };
    const {versions} = (await (await fetch(`${server.url}/embed/versions.json`)).json()) as {
      versions: {version: string; integrity: Record<string, string>}[];
    };
    const listed = versions.find((one) => one.version === version)?.integrity[packageFile];
    assert.equal(lock.packages['node_modules/lead-prequal']?.integrity, listed);
  });

  for (const {name, build, serve} of projects) {
    test(`in ${name}, a visitor sends a lead, and the page hears of it`, async (t) => {
      const source = join(import.meta.dirname, 'projects', name);
      const folder = makeProject(t, JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as object);
      cpSync(source, folder, {recursive: true});
      await runIn(folder, ['npm', 'ci']);
      await runIn(folder, ['npm', 'install', address()]);
      const port = String(ports.get(name));
      const environment = {
        PORT: port,
        ...Object.fromEntries(['ENDPOINT', 'NUXT_PUBLIC_ENDPOINT'].map((key) => [key, server.url])),
        NEXT_TELEMETRY_DISABLED: '1',
        NUXT_TELEMETRY_DISABLED: '1',
      };
      await runIn(folder, ['npx', ...build], environment);
      const [script = '', ...options] = serve.map((word) => word.replace('$PORT', port));
      const child = spawn(process.execPath, [join(folder, 'node_modules', script), ...options], {
        cwd: folder,
        env: {...process.env, ...environment},
        stdio: 'ignore',
      });
      t.after(() => end(child));
      const url = `http://localhost:${port}/`;
      await until(async () => (await fetch(url).catch(() => undefined))?.ok ?? false);
      assert.match(
        await (await fetch(url)).text(),
        /<lead-prequal-form (?=[^>]*partner="acme")(?=[^>]*lead-type="standard")[^>]*><h2 slot="heading">Your funding<\/h2>/,
      );

      const page = await browser.newPage();
      t.after(() => page.close());
      const trouble: string[] = [];
      page.on('pageerror', (error) => trouble.push(error.stack ?? error.message));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
      });
      await page.goto(url);
      await page.getByRole('heading', {name: 'Your funding'}).waitFor();
      const firstName = page.getByLabel('First name');
      await until(async () => (await firstName.inputValue()) === 'Ana');
      await page.getByLabel('Last name').fill('Silva');
      await page.getByLabel('Email').fill(`${name}@example.com`);
      await page.getByLabel('Phone').fill('415-555-0132');
      await page.getByRole('button', {name: 'Send'}).click();
      await page.getByRole('heading', {name: 'Thank you, Ana'}).waitFor();
      const events = page.locator('ol li');
      await until(async () => (await events.count()) === 2);
      const [ready, result] = await events.allInnerTexts();
      assert.equal(ready?.trim(), 'prequal-ready');
      assert.match(result ?? '', /^prequal-result [\da-f-]{36}$/);
      assert.deepEqual(trouble, []);
    });
  }
});

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
