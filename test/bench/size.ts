/**
 * `npm run size`: the size of each file of the built form against its budget, measured like in `npm run check`, and of each
 * source in it: its minified bytes, and by how many bytes the compressed file would shrink without it.
 */
import {readdirSync, readFileSync} from 'node:fs';
import type {SourceMap} from 'node:module';
import {join} from 'node:path';
import {brotliCompressSync} from 'node:zlib';
import {table} from '../../build/docs/markdown.ts';
import {outDir} from '../../build/output.ts';
import {measure} from '../../build/sizes.ts';
import {sourceMapsOf} from './source-maps.ts';

const read = (file: string) => readFileSync(join(outDir, file), 'utf8');
const brotli = (text: string) => brotliCompressSync(text).length;
const whole = (bytes: number) => bytes.toLocaleString('en-US');

/** Groups Lit, the contract, styles and words. All other files are listed one by one. */
function nameOf(source: string): string {
  if (source.includes('node_modules')) return 'Lit';
  const path = source.replace(/^(\.\.\/)+/, '');
  return /^(contract|widget\/styles|form\/words)\//.exec(path)?.[0] ?? path;
}

/** The source of each character of the file. */
function sourcesOf(code: string, map: SourceMap): string[] {
  return code.split('\n').flatMap((line, row) =>
    [...`${line}\n`].map((_, column) => {
      const entry = map.findEntry(row, column);
      return 'originalSource' in entry && entry.originalSource ? nameOf(entry.originalSource) : 'the bundler';
    }),
  );
}

function parts(file: string, map: SourceMap): string {
  const code = read(file);
  const characters = [...code];
  const sources = sourcesOf(code, map);
  const rows = [...new Set(sources.slice(0, characters.length))].map((name) => {
    const isIts = (_: string, index: number) => sources[index] === name;
    const its = characters.filter(isIts).join('');
    const others = characters.filter((character, index) => !isIts(character, index)).join('');
    return {name, minified: Buffer.byteLength(its), saved: brotli(code) - brotli(others)};
  });
  rows.sort((a, b) => b.saved - a.saved);
  return table(
    [file, 'minified', 'brotli'],
    rows.map(({name, minified, saved}) => [name, whole(minified), whole(saved)]),
  );
}

const files = readdirSync(outDir).filter((name) => name.endsWith('.js'));
const sizes = measure(new Map(files.map((name) => [name, read(name)])));
const rows = sizes.map(({file, bytes, budget, origin}) => [
  file,
  whole(bytes),
  whole(budget),
  whole(budget - bytes),
  origin,
]);
console.log(table(['File', 'brotli', 'budget', 'left', 'where the budget comes from'], rows));
for (const [file, map] of await sourceMapsOf(outDir)) console.log(`\n${parts(file, map)}`);
