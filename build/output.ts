/**
 * Writes the folder of a built version: its files, their compressed copies, and a manifest with their hashes. The build
 * fails if a file is larger than its budget, or contains something that would not work on a partner's page.
 */
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';
import type {Plugin} from 'vite';
import {compileAll, minifyAgain} from './minify.ts';

const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
export const outDir = `dist/embed/${version}`;
export const embedFile = 'lead-prequal-form.js';

/** Pages pin the files of a release by their hashes, so a build must not create other files with the same version. */
export function refuseReleased() {
  if (!existsSync(`releases/${version}`)) return;
  console.error(`${version} is released: raise the version in package.json.`);
  process.exit(1);
}

/** Bytes in brotli. The first ten packets of a connection carry 14,600 bytes, HTTP headers included. */
const budgets = {embed: 15_900, answer: 6_200, words: 2_000};

export const budgetOf = (file: string) =>
  file === embedFile ? budgets.embed : /^answer-\w{10}\./.test(file) ? budgets.answer : budgets.words;

export const integrityOf = (content: string, hash = 'sha384') =>
  `${hash}-${createHash(hash).update(content).digest('base64')}`;

/** What no file may contain. The patterns are searched for in the JSON of the output's syntax tree. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/"type":"(Import|ExportAll)Declaration"/, 'an import: each file must stand alone'],
  [/"type":"Decorator"/, 'a decorator that was not compiled'],
  [/"name":"Zod|zod\/v\d/i, 'zod, which only the server may use'],
];

/** Checks and compresses the built files, and writes the manifest, from which the server makes the embed snippet. */
export const finish: Plugin = {
  name: 'finish',
  async writeBundle(_, bundle) {
    const written = join(outDir, embedFile);
    const embed = await minifyAgain(
      readFileSync(written, 'utf8'),
      readFileSync(`${written}.map`, 'utf8'),
      () => embedFile,
      compileAll,
    );
    writeFileSync(written, embed.code);
    writeFileSync(`${written}.map`, embed.map);

    const integrity: Record<string, string> = {};
    const sizes: string[] = [];
    const files = Object.keys(bundle).filter((name) => name.endsWith('.js'));
    for (const file of files.sort((a) => (a === embedFile ? -1 : 1))) {
      const path = join(outDir, file);
      const code = readFileSync(path, 'utf8');
      const tree = JSON.stringify(this.parse(code));
      for (const [pattern, what] of forbidden) if (pattern.test(tree)) this.error(`${file} holds ${what}`);
      const brotli = brotliCompressSync(code, {params: {[constants.BROTLI_PARAM_QUALITY]: 11}});
      const budget = budgetOf(file);
      if (brotli.length > budget) {
        this.error(
          `${file} has ${brotli.length} bytes in brotli, ${brotli.length - budget} more than its budget`,
        );
      }
      writeFileSync(`${path}.br`, brotli);
      writeFileSync(`${path}.gz`, gzipSync(code, {level: 9}));
      integrity[file] = integrityOf(code);
      sizes.push(`${file} ${brotli.length} of ${budget}`);
    }
    writeFileSync(join(outDir, 'manifest.json'), `${JSON.stringify({version, integrity}, null, 2)}\n`);
    console.log(`${outDir}, bytes in brotli: ${sizes.join(', ')}`);
  },
};
