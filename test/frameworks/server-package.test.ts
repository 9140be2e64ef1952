/** The npm package for servers as its users take it: packed, installed into an empty project, and started. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, globSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {before, suite, test} from 'node:test';
import {basic, postJson} from '../support/http.ts';
import {installedIn, makeProject, runIn} from '../support/npm-project.ts';
import {suiteOwner} from '../support/opened.ts';
import {amounts, prequalificationBody} from '../support/sample-leads.ts';
import {acme} from '../support/test-server.ts';

const name = 'lead-prequal-server';
const settings = {
  PUBLIC_URL: 'http://127.0.0.1',
  CALLERS: JSON.stringify([acme]),
  EMBED_ORIGINS: 'https://www.partner.example',
  EMBED_PARTNER: 'acme',
  TOKEN_KEY: 'a-token-key-for-tests-that-is-long-enough',
  PORT: '0',
};

/** Creates a lead and reads it. */
async function assertTakesLeads(url: string) {
  const created = await fetch(`${url}/json/leads`, postJson(prequalificationBody, basic(acme)));
  assert.equal(created.status, 201);
  const {id} = (await created.json()) as {id: string};
  const read = await fetch(`${url}/json/leads/${id}`, {headers: basic(acme)});
  assert.deepEqual(await read.json(), {first_name: 'Jane', ...amounts});
}

suite('the npm package for servers, installed into an empty project', () => {
  const owner = suiteOwner();
  let folder: string;
  let installedAfter: number;

  before(async () => {
    const begun = performance.now();
    folder = makeProject(owner, {private: true, type: 'module'});
    await runIn('.', ['npm', 'pack', './dist/npm-server', '--pack-destination', folder]);
    const [tarball = ''] = globSync('*.tgz', {cwd: folder});
    await runIn(folder, ['npm', 'install', `./${tarball}`]);
    installedAfter = performance.now() - begun;
  });

  /** Runs a program of the project. @returns it, and the address that the log says */
  async function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, words, {
      cwd: folder,
      env: {PATH: process.env['PATH'], ...settings, ...environment},
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of createInterface({input: child.stdout})) {
      const {msg, port} = JSON.parse(line) as {msg: string; port?: number};
      if (msg === 'ready' || msg === 'listening') return {child, url: `http://127.0.0.1:${port}`};
    }
    throw new Error(`ended with ${child.exitCode}`);
  }
  function startProgram(program: string) {
    writeFileSync(join(folder, 'program.js'), program);
    return start(['program.js']);
  }
  async function stop(child: ReturnType<typeof spawn>) {
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }

  test('its command starts the server, which takes a lead and has its pages', async (t) => {
    const begun = performance.now();
    const {child, url} = await start([`node_modules/.bin/${name}`, 'serve']);
    t.after(() => child.kill());
    await assertTakesLeads(url);
    const seconds = ((installedAfter + performance.now() - begun) / 1_000).toFixed(0);
    t.diagnostic(`${seconds} s from npm pack to the first lead`);
    const {newest} = (await (await fetch(`${url}/embed/versions.json`)).json()) as {newest: string};
    const pages = [
      `/embed/${newest}/lead-prequal-form.js`,
      '/embed/snippets?partner=acme',
      '/apply/acme',
      '/docs',
      '/docs/swagger-ui-bundle.js',
      '/openapi.json',
      '/readyz',
    ];
    for (const page of pages) assert.equal((await fetch(url + page)).status, 200, page);
    assert.match(await runIn(folder, ['npx', name, 'leads', 'list'], settings), /done +\$\d/);
    await stop(child);
  });

  test('startServer gives a program the server, and close ends it', async (t) => {
    const program = `
      import {startServer} from '${name}';
      const server = await startServer({...process.env, DATABASE_PATH: 'other/leads.sqlite'});
      process.once('SIGTERM', () => server.close());`;
    const {child, url} = await startProgram(program);
    t.after(() => child.kill());
    await assertTakesLeads(url);
    await stop(child);
    assert.ok(existsSync(join(folder, 'other/leads.sqlite')));
  });

  test('createApp gives a program the app for a server of its own', async (t) => {
    const program = `
      import {createServer} from 'node:http';
      import {createApp} from '${name}';
      const app = await createApp();
      const server = createServer(app.handle).listen(0, () =>
        console.log(JSON.stringify({msg: 'listening', port: server.address().port})));
      process.once('SIGTERM', () => server.close(() => app.close()));`;
    const {child, url} = await startProgram(program);
    t.after(() => child.kill());
    await assertTakesLeads(url);
    await stop(child);
  });

  test('a program that lacks a setting is told which', async () => {
    const program = `import {startServer} from '${name}'; await startServer({});`;
    await assert.rejects(
      runIn(folder, [process.execPath, '--input-type=module', '--eval', program]),
      /TOKEN_KEY is missing/,
    );
  });

  test('it is JavaScript, and brings no package that it does not load', (t) => {
    const place = join(folder, 'node_modules', name);
    const {packages, own, all} = installedIn(folder, name);
    t.diagnostic(
      `${name}: ${own.files} files, ${own.bytes} bytes; with ${packages.length} packages: ${all.files} files, ` +
        `${all.bytes} bytes`,
    );
    const code = globSync('{calculator,contract,form,server}/**/*.js', {cwd: place})
      .map((file) => readFileSync(join(place, file), 'utf8'))
      .join('');
    const {dependencies} = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    const unused = Object.keys(dependencies).filter((one) => !new RegExp(`["']${one}["'/]`).test(code));
    assert.deepEqual(unused, []);
    assert.deepEqual(globSync('**/*.ts', {cwd: place, exclude: ['**/*.d.ts']}), []);
    assert.ok(!packages.includes('lit') && !packages.includes('@scarf/scarf'));
    // The command keeps compiled code in `.cache`.
    const bundled = readdirSync(join(place, 'node_modules')).filter((one) => one !== '.cache');
    assert.deepEqual(bundled, ['swagger-ui-dist']);
  });

  test('TypeScript knows what it exports', async () => {
    writeFileSync(
      join(folder, 'program.ts'),
      `import {createServer} from 'node:http';
import {createApp, startServer} from '${name}';
const app = await createApp({PORT: '8080'});
createServer(app.handle);
export const port: number = (await startServer()).port;
// @ts-expect-error a setting is a text
await startServer({PORT: 8080});\n`,
    );
    const types = join(process.cwd(), 'node_modules/@types');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck'];
    await runIn(folder, [
      join(process.cwd(), 'node_modules/.bin/tsc'),
      ...flags,
      ...['--typeRoots', types, '--types', 'node'],
      'program.ts',
    ]);
  });
});
