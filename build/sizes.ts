/** How large the built files may be: their bytes in brotli, as the server sends them. */
import {createHash} from 'node:crypto';
import {brotliCompressSync} from 'node:zlib';
import {classicFile, firstFiles, moduleFile} from '../contract/api.ts';

/**
 * A server may send ten packets of 1,460 bytes before the browser acknowledges one (RFC 6928): 14,600 bytes in the
 * first round trip. Of these, our response's headers and the frames around them take 375 in HTTP/2 and each record of
 * TLS 22; in HTTP/1.1 the headers take 670.
 */
const firstFile = {
  budget: 14_200,
  origin: 'ten packets of 1,460 bytes, which arrive in one round trip, less 400 for headers and TLS',
};

/** The bytes by which the classic twin may be larger than the module, because it looks for its own address. */
const twinExtra = 150;

/** Bytes of the first file's budget that new features may not use, so that corrections fit. */
const reserve = 200;

const laterFiles: readonly {names: RegExp; budget: number; origin: string}[] = [
  {
    names: /^rest$/,
    budget: 27_350,
    origin:
      'twenty packets of 1,460 bytes, which arrive in a second round trip, less 1,850 for the configuration and for later features',
  },
  {
    names: /^debug$/,
    budget: 3_300,
    origin: 'only a form that fails, or a webmaster who looks for a mistake, loads it',
  },
  {names: /^sandbox$/, budget: 2_000, origin: 'only a sample loads it'},
  {
    names: /^[a-z]{2,3}(-[a-z\d]+)*$/,
    budget: 3_800,
    origin: 'the English words and 40 %, for languages that need more letters',
  },
];

export type Size = {file: string; bytes: number; budget: number; origin: string};

/** The name of a file without its hash. */
const nameOf = (file: string) => file.replace(/(-[0-9a-f]{10})?\.js$/, '');

const sha256 = (text: string) => createHash('sha256').update(text);

/** As the server sends it. */
const compress = (code: string) => brotliCompressSync(code);

function budgetFor(name: string) {
  const found = laterFiles.find(({names}) => names.test(name));
  if (!found) throw new Error(`${name} has no budget.`);
  return found;
}

/** Replaces the pins in the code by pins that depend only on the names of the files. */
function withConstantPins(code: string, files: ReadonlyMap<string, string>): string {
  for (const [file, content] of files) {
    const name = nameOf(file);
    if (firstFiles.includes(file)) continue;
    code = code
      .replaceAll(file, `${name}-${sha256(name).digest('hex').slice(0, 10)}.js`)
      .replaceAll(sha256(content).digest('base64'), sha256(name).digest('base64'));
  }
  return code;
}

/**
 * Measures the files of a build. A pin changes with the file that it pins, and one hash compresses better than another:
 * a changed label would make the first file up to 50 bytes larger or smaller. So each file is measured with pins that
 * depend only on the names of the pinned files.
 *
 * @param files the code of each script, by its name
 */
export function measure(files: ReadonlyMap<string, string>): Size[] {
  const bytesOf = (code: string) => compress(withConstantPins(code, files)).length;
  const twin = {
    budget: bytesOf(files.get(moduleFile) ?? '') + twinExtra,
    origin: `the module and ${twinExtra}, for the address of a plain script`,
  };
  const budgets: Readonly<Record<string, {budget: number; origin: string}>> = {
    [moduleFile]: firstFile,
    [classicFile]: twin,
  };
  const sizes = [...files].map(([file, code]): Size => {
    const {budget, origin} = budgets[file] ?? budgetFor(nameOf(file));
    return {file, bytes: bytesOf(code), budget, origin};
  });
  return sizes.sort((a, b) => b.bytes - a.bytes);
}

const formatted = (bytes: number) => bytes.toLocaleString('en-US');

/** @returns a sentence about each file that is larger than its budget */
export const overBudget = (sizes: readonly Size[]): string[] =>
  sizes
    .filter(({bytes, budget}) => bytes > budget)
    .map(
      ({file, bytes, budget, origin}) =>
        `${file} has ${formatted(bytes)} bytes in brotli, ${formatted(bytes - budget)} more than its budget of ${formatted(budget)} (${origin}).`,
    );

/** @returns a sentence if the first file uses bytes of the reserve */
export const nearBudget = (sizes: readonly Size[]): string[] =>
  sizes
    .filter(({file, bytes, budget}) => file === moduleFile && bytes <= budget && bytes > budget - reserve)
    .map(
      ({file, bytes, budget}) =>
        `${file} has ${formatted(bytes)} bytes in brotli: ${formatted(budget - bytes)} of its ${formatted(budget)} are left, and ${reserve} should be free for corrections.`,
    );
