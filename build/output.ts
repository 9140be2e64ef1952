/**
 * Writes the folder of a built version: its scripts, the plugin for WordPress, and a manifest with their hashes. The build fails if a script
 * contains something that would not work on a partner's page.
 */
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Plugin, Rolldown} from 'vite';
import {firstFiles, moduleFile, wordpressPlugin} from '../contract/api.ts';
import {zipWordPressPlugin} from './wordpress.ts';

export const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
export const outDir = `dist/embed/${version}`;

export const hashesFile = 'releases/hashes.json';

/** The hashes that pages pin, by release and file. A release stays in this file even if its folder is deleted. */
export const releasedHashes = (): Record<string, Record<string, string>> =>
  existsSync(hashesFile)
    ? (JSON.parse(readFileSync(hashesFile, 'utf8')) as Record<string, Record<string, string>>)
    : {};

/** Pages pin the files of a release by their hashes, so a version is never built or released again. */
export function refuseReleased() {
  const folders = [`releases/${version}`, `releases/wordpress/${version}`];
  if (!folders.some((folder) => existsSync(folder)) && !Object.hasOwn(releasedHashes(), version)) return;
  console.error(`${version} is released: raise the version in package.json.`);
  process.exit(1);
}

/**
 * The value of the `integrity` attribute for a file. Later files have a shorter hash, because the first file holds it. A
 * browser uses a file that was preloaded only if it is pinned in both places by the same hash.
 */
export function integrityOf(file: string, content: string | Uint8Array): string {
  const hash = firstFiles.includes(file) ? 'sha384' : 'sha256';
  return `${hash}-${createHash(hash).update(content).digest('base64')}`;
}

/** @returns the code of each script of a build by its name, the module and its twin first */
export function scriptsOf(output: readonly (Rolldown.OutputAsset | Rolldown.OutputChunk)[]) {
  const scripts = output
    .filter(({fileName}) => fileName.endsWith('.js'))
    .map((file) => [file.fileName, String(file.type === 'chunk' ? file.code : file.source)] as const);
  const rank = (name: string) => (name === moduleFile ? 0 : firstFiles.includes(name) ? 1 : 2);
  return new Map(scripts.sort(([a], [b]) => rank(a) - rank(b)));
}

/** What no file may contain. The patterns are searched in the JSON of a file's syntax tree. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/"type":"(Import|ExportAll)Declaration"/, 'an import: each file must stand alone'],
  [/"type":"Decorator"/, 'a decorator that was not compiled'],
  [/"name":"Zod|zod\/v\d/i, 'zod, which only the server may use'],
];

/** Checks the built scripts, and writes the manifest, from which the server makes the embed snippet. */
export const finish: Plugin = {
  name: 'finish',
  writeBundle(_, bundle) {
    const files = scriptsOf(Object.values(bundle));
    const integrity: Record<string, string> = {};
    for (const [file, code] of files) {
      const tree = JSON.stringify(this.parse(code));
      for (const [pattern, what] of forbidden) if (pattern.test(tree)) this.error(`${file} contains ${what}`);
      integrity[file] = integrityOf(file, code);
    }
    const plugin = zipWordPressPlugin(version);
    writeFileSync(join(outDir, wordpressPlugin), plugin);
    integrity[wordpressPlugin] = integrityOf(wordpressPlugin, plugin);
    writeFileSync(join(outDir, 'manifest.json'), `${JSON.stringify({version, integrity}, null, 2)}\n`);
  },
};
