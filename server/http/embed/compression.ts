/**
 * Compresses the files of the form, in memory. zlib does so on libuv's pool of threads, so that the main thread goes on
 * with other requests.
 */
import {promisify} from 'node:util';
import {brotliCompress, constants, gzip} from 'node:zlib';

/** Browsers accept both, and prefer neither. Brotli comes first, because its copies are a tenth smaller. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

export type Compress = (bytes: Buffer, encoding: Encoding) => Promise<Buffer>;

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** @param quality that of Brotli. @param level that of gzip */
export const compressAt =
  (quality: number, level: number): Compress =>
  (bytes, encoding) =>
    encoding === 'br'
      ? toBrotli(bytes, {params: {[constants.BROTLI_PARAM_QUALITY]: quality}})
      : toGzip(bytes, {level});

/** Compresses as much as possible. Brotli takes about 60 ms for the largest file. */
const compressMost = compressAt(constants.BROTLI_MAX_QUALITY, constants.Z_BEST_COMPRESSION);

/**
 * Takes a file, and returns a function that gives its compressed copy. The copy is made at the first call, and
 * kept. It is undefined if the file could not be compressed, and then the next call tries again.
 */
export type Compressor = (bytes: Buffer) => (encoding: Encoding) => Promise<Buffer | undefined>;

/**
 * Compresses one file after the other, so that it never takes more than one of the threads that also read files and look
 * up names.
 */
export function createCompressor(compress: Compress = compressMost): Compressor {
  let last: Promise<unknown> = Promise.resolve();
  return (bytes) => {
    const copies = new Map<Encoding, Promise<Buffer | undefined>>();
    return (encoding) => {
      const known = copies.get(encoding);
      if (known) return known;
      const copy = last
        .then(() => compress(bytes, encoding))
        .catch(() => {
          copies.delete(encoding);
          return undefined;
        });
      copies.set(encoding, copy);
      last = copy;
      return copy;
    };
  };
}
