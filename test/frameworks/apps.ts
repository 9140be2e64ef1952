/** Builds the small apps of this folder, each as its framework's users build theirs. */
import {execFile} from 'node:child_process';
import {cpSync, globSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);

const packages = join(import.meta.dirname, 'node_modules');

/** Below this folder, so that the frameworks are found from there. */
export const builtFolder = join(import.meta.dirname, 'dist/apps');

/** The address of the server in the apps' code, which the documentation shows as it is. */
const exampleServer = 'https://leads.example.com';

/** `development` has the warnings of each framework, and React renders twice. */
export type Mode = 'development' | 'production';

export type App = {
  name: string;
  /** What it takes to build the app in its folder. `base` is the path at which the app is served. */
  commands: (base: string, mode: Mode) => string[][];
  /** Whether the HTML of the first page has the form already. */
  isServerRendered: boolean;
  /** The module whose `render` returns that HTML, unless the framework writes the whole page itself. */
  server?: string;
};

const vite = (base: string, mode: Mode) => [
  'vite',
  'build',
  '--base',
  base,
  '--mode',
  mode,
  '--outDir',
  'out',
];
const astro = (base: string, mode: Mode) => [
  'astro',
  'build',
  '--base',
  base,
  '--mode',
  mode,
  '--outDir',
  'out',
];

export const apps: readonly App[] = [
  {
    name: 'react',
    commands: (base, mode) => [['tsc'], vite(base, mode)],
    isServerRendered: true,
    server: 'server.tsx',
  },
  {name: 'vue', commands: (base, mode) => [vite(base, mode)], isServerRendered: true, server: 'server.ts'},
  {name: 'svelte', commands: (base, mode) => [vite(base, mode)], isServerRendered: true, server: 'server.ts'},
  {name: 'angular', commands: (base, mode) => [['ngc'], vite(base, mode)], isServerRendered: false},
  {name: 'astro', commands: (base, mode) => [astro(base, mode)], isServerRendered: true},
];

/**
 * The folder in which apps are built, with the npm package as an installed one. It is a copy: a link would lead to the
 * types of the frameworks that the project itself has, which are not those of the apps.
 */
export function prepareFolder() {
  rmSync(builtFolder, {recursive: true, force: true});
  cpSync('dist/npm', join(builtFolder, 'node_modules/lead-prequal'), {recursive: true});
}

/** @returns the folder of a copy of the app, which sends its leads to the server */
export function prepareApp({name}: App, place: string, server: string): string {
  const folder = join(builtFolder, place, name);
  cpSync(join(import.meta.dirname, name), folder, {recursive: true});
  for (const file of globSync(join(folder, '**/*'))) {
    if (!statSync(file).isFile()) continue;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(exampleServer, server));
  }
  return folder;
}

/** @returns the path of the app's first page, on a server that serves `builtFolder` */
export async function buildApp(app: App, mode: Mode, server: string): Promise<string> {
  const {name, commands, server: entry} = app;
  const folder = prepareApp(app, mode, server);
  const path = `/${mode}/${name}/out/`;
  const PATH = [join(packages, '.bin'), process.env['PATH']].join(delimiter);
  const env = {...process.env, PATH, NODE_ENV: mode, ASTRO_TELEMETRY_DISABLED: '1'};
  const runHere = ([command = '', ...options]: string[]) => run(command, options, {cwd: folder, env});
  for (const command of commands(path, mode)) await runHere(command);
  if (entry) {
    await runHere(['vite', 'build', '--ssr', entry, '--mode', mode, '--outDir', 'server']);
    const {stdout} = await runHere(['node', '--eval', printMarkup]);
    const page = join(folder, 'out/index.html');
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace('<!-- app -->', () => stdout),
    );
  }
  return path;
}

/** Runs in a process of its own, as a server does that renders pages. */
const printMarkup = `import('./server/server.js').then(async ({render}) => process.stdout.write(await render()))`;
