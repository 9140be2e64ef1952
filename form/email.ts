/** Reads e-mail addresses as people type and paste them. */
import {plainText} from './plain-text.ts';

/** The name and the address, as an e-mail program copies them: `Maria <maria@example.com>`. */
const nameWithAddress = /^[^<>]*<([^<>]*)>$/;

/**
 * Words with dots between them. Before the `@`, these have none of the signs that stand around an address rather than in
 * it. After it, they are letters and digits of any script, with hyphens between them. The last one is no number.
 */
const address =
  /^[^\s@.()<>[\]{},;:"\\\p{Cc}\p{Cs}]+(?:\.[^\s@.()<>[\]{},;:"\\\p{Cc}\p{Cs}]+)*@(?!.*\.\d+$)[\p{L}\p{M}\p{N}]+(?:-+[\p{L}\p{M}\p{N}]+)*(?:\.[\p{L}\p{M}\p{N}]+(?:-+[\p{L}\p{M}\p{N}]+)*)+$/u;

/**
 * Reads less than the server takes, because callers of its API rely on that.
 *
 * @returns the address without a name, without quotes around it, without `mailto:`, without spaces around the `@`, and without
 *   the punctuation that followed it in a sentence; or `undefined` if there can be no such address
 */
export function readEmail(typed: string): string | undefined {
  const text = plainText(typed)
    .replace(/[ .,;]{1,3}$/, '')
    .replace(/^["'“‘](.*)["'”’]$/, '$1')
    .replace(nameWithAddress, '$1')
    .replace(/^\s*mailto:/i, '')
    .replace(/ ?@ ?/, '@')
    .trim();
  return address.test(text) ? text : undefined;
}
