import assert from 'node:assert/strict';
import {createHash, randomBytes} from 'node:crypto';
import {suite, test} from 'node:test';
import {measure, nearBudget, overBudget} from '../../build/sizes.ts';
import {classicFile, moduleFile} from '../../contract/api.ts';

const sha256 = (text: string, encoding: 'hex' | 'base64') =>
  createHash('sha256').update(text).digest(encoding);

/** As the build names and pins a file. */
function pinned(name: string, code: string) {
  const file = `${name}-${sha256(code, 'hex').slice(0, 10)}.js`;
  return {file, code, pin: `{path:"./${file}",integrity:"sha256-${sha256(code, 'base64')}"}`};
}

/** A first file that pins the file of Spanish words. */
function buildWith(label: string) {
  const words = pinned('es', `export default()=>({next:"${label}"})`);
  return new Map([
    [moduleFile, `const pins={es:${words.pin}};`],
    [words.file, words.code],
  ]);
}

const sizeOf = (files: ReadonlyMap<string, string>, name: string) =>
  measure(files).find(({file}) => file.startsWith(name))?.bytes;

/** Code that cannot be compressed. */
const incompressible = (bytes: number) =>
  randomBytes(bytes * 2)
    .toString('latin1')
    .slice(0, bytes);

suite('the sizes of built files', () => {
  test('a changed word moves only the size of the file that contains it', () => {
    const before = buildWith('Siguiente');
    const after = buildWith('Continuar con el siguiente paso');
    assert.notEqual(before.get(moduleFile), after.get(moduleFile));
    assert.equal(sizeOf(after, moduleFile), sizeOf(before, moduleFile));
    assert.notEqual(sizeOf(after, 'es-'), sizeOf(before, 'es-'));
  });

  test('a file over its budget is reported with its size, its budget and where that comes from', () => {
    const {file} = pinned('sandbox', '');
    const sizes = measure(new Map([[file, incompressible(3_000)]]));
    const [problem = '', ...others] = overBudget(sizes);
    assert.match(
      problem,
      new RegExp(`^${file} has [23],\\d{3} bytes in brotli, [\\d,]+ more than its budget of 2,000 \\(`),
    );
    assert.deepEqual(others, []);
  });

  test('the classic twin may have 150 bytes more than the module', () => {
    const module = incompressible(300);
    const sizeOfTwin = (extra: number) =>
      measure(
        new Map([
          [moduleFile, module],
          [classicFile, module + incompressible(extra)],
        ]),
      ).filter(({file}) => file === classicFile);
    assert.deepEqual(overBudget(sizeOfTwin(60)), []);
    assert.match(
      overBudget(sizeOfTwin(300)).join(),
      /^lead-prequal-form\.classic\.js has .* \(the module and 150/,
    );
  });

  test('the first file may use its whole budget, with a warning for the last 200 bytes', () => {
    const first = (bytes: number) => [{file: moduleFile, bytes, budget: 14_000, origin: 'ten packets'}];
    assert.deepEqual(nearBudget(first(13_800)), []);
    assert.deepEqual(nearBudget(first(13_801)), [
      'lead-prequal-form.js has 13,801 bytes in brotli: 199 of its 14,000 are left, and 200 should be free for corrections.',
    ]);
    assert.deepEqual(overBudget(first(14_000)), []);
    assert.deepEqual(nearBudget(first(14_001)), []);
  });
});
