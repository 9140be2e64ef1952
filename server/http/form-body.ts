/** Reads the bodies that browsers send for a form (UTF-8, at most 16 KiB, uncompressed). */
import type {RequestHandler} from 'express';
import {readBytes, tooLarge} from './json-body.ts';
import {isDeclaredTooLarge, keepOpenAfterBody} from './large-body.ts';
import {ProblemError} from '../leads/problem-error.ts';

const urlEncoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';

const readForm =
  (...types: string[]): RequestHandler =>
  async (request, response, next) => {
    const encoding = request.get('Content-Encoding') ?? 'identity';
    // A request without a body is of no type. It counts as an empty form.
    if (request.is(types) === false || encoding.toLowerCase() !== 'identity')
      throw new ProblemError('bad-request', `Send the form as ${types.join(' or ')}.`);
    if (isDeclaredTooLarge(request)) throw tooLarge();
    const bytes = await readBytes(request);
    keepOpenAfterBody(response);
    request.body = request.is(multipart)
      ? await fieldsOfParts(bytes, request.get('Content-Type') ?? '')
      : // Never throws, and takes a wrong escape as it was typed.
        new URLSearchParams(bytes.toString());
    next();
  };

/** The fields of a multipart form, without its files. A body that is no such form has none. */
async function fieldsOfParts(bytes: Buffer, type: string): Promise<URLSearchParams> {
  const parts = await new Response(new Uint8Array(bytes), {headers: {'Content-Type': type}})
    .formData()
    .catch(() => []);
  return new URLSearchParams(
    [...parts].filter((part): part is [string, string] => typeof part[1] === 'string'),
  );
}

/** Sets `request.body` to the names and values. @throws ProblemError */
export const formBody = readForm(urlEncoded);

/** As `formBody`. Mail providers send the one click of RFC 8058 also as a multipart form. */
export const formOrPartsBody = readForm(urlEncoded, multipart);
