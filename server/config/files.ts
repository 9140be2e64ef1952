/**
 * Reads the files that settings name. Error messages say what is wrong, and name wrong fields. They never contain the
 * path of a file, nor a text that may be a secret.
 */
import {readFileSync} from 'node:fs';
import type {z} from 'zod';
import {inWords} from './values.ts';

/** @throws Error. Its message begins with a verb, because the caller puts the name of the setting before it */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const {code = 'unknown error'} = error as NodeJS.ErrnoException;
    throw new Error(`names a file that cannot be read (${code})`, {cause: error});
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('is not valid JSON', {cause: error});
  }
}

/**
 * @throws Error as `readTextFile` does. When the content does not match the schema, the message names the path of each
 *   wrong field, such as `partners.1.key`.
 */
export function readJsonFile<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(parseJson(readTextFile(path)), {error: inWords});
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({path, message}) => `${path.join('.') || 'the file'}: ${message}`);
  throw new Error(wrong.join('; '));
}
