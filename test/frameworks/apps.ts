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

/** What it takes to build each app in its folder. Of React and Angular, the compilers check the types of the templates, too. */
export const apps: Readonly<Record<string, readonly (readonly string[])[]>> = {
  react: [['tsc'], ['vite', 'build']],
  vue: [['vite', 'build']],
  svelte: [['vite', 'build']],
  angular: [['ngc'], ['vite', 'build']],
  astro: [['astro', 'build']],
};

/**
 * The folder in which apps are built, with the npm package as an installed one. It is a copy: a link would lead to the
 * types of the frameworks that the project itself has, which are not those of the apps.
 */
export function prepareFolder() {
  rmSync(builtFolder, {recursive: true, force: true});
  cpSync('dist/npm', join(builtFolder, 'node_modules/lead-prequal'), {recursive: true});
}

/** @returns the path of the app's page, on a server that serves `builtFolder`. The app sends its leads to `server` */
export async function buildApp(name: string, server: string): Promise<string> {
  const folder = join(builtFolder, name);
  cpSync(join(import.meta.dirname, name), folder, {recursive: true});
  for (const file of globSync(join(folder, '**/*'))) {
    if (!statSync(file).isFile()) continue;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(exampleServer, server));
  }
  const path = `/${name}/out/`;
  const PATH = [join(packages, '.bin'), process.env['PATH']].join(delimiter);
  for (const [command = '', ...words] of apps[name]!) {
    const place = words[0] === 'build' ? ['--base', path, '--outDir', 'out'] : [];
    const env = {...process.env, PATH, ASTRO_TELEMETRY_DISABLED: '1'};
    await run(command, [...words, ...place], {cwd: folder, env});
  }
  return path;
}
