/**
 * Words of settings as keys. These have a file of their own because the thread that writes to SQLite needs them, and zod,
 * which other values need, would take two thirds of the time in which that thread starts.
 */
import {hkdfSync} from 'node:crypto';

/** Stands for the data that versions before 2.0 stored in clear, until it is encrypted. In DATA_KEY, they took it for a key. */
export const clearWord = 'clear';

/** A key for one purpose, made from a word of a setting (HKDF-SHA256). `length` is in bytes. */
export const derived = (word: string, purpose: string, length: number) =>
  Buffer.from(hkdfSync('sha256', word, '', `lead-prequal ${purpose}`, length));
