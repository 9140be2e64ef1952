import {isUtf8} from 'node:buffer';
import express, {type RequestHandler} from 'express';
import {limits} from '../../contract/api.ts';
import {ProblemError} from './problem-replies.ts';

const parse = express.json({
  type: 'application/json',
  limit: limits.bodyBytes,
  inflate: false,
  strict: false,
  verify: (_request, _response, bytes, charset) => {
    if (charset !== 'utf-8') throw new ProblemError('not-json', 'The body must be JSON in UTF-8.');
    if (bytes.length === 0 || !isUtf8(bytes)) throw new Error('not UTF-8');
    if (isTooComplex(bytes)) {
      const {bodyDepth, bodyEntries} = limits;
      const message = `must have at most ${bodyDepth} levels and ${bodyEntries} values`;
      const errors = [{field: '', code: 'invalid', message}];
      throw new ProblemError('invalid-lead', 'Check the body.', {errors});
    }
  },
});

const byteOf = (character: string) => character.charCodeAt(0);
const [quote, backslash, comma] = [byteOf('"'), byteOf('\\'), byteOf(',')];
const opening = [byteOf('{'), byteOf('[')];
const closing = [byteOf('}'), byteOf(']')];

/** Counted on the bytes, before anything is built from them: one pass, no recursion. */
function isTooComplex(bytes: Buffer): boolean {
  let depth = 0;
  let entries = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) entries += 1;
    else if (opening.includes(byte)) depth += 1;
    else if (closing.includes(byte)) depth -= 1;
    if (depth > limits.bodyDepth || entries >= limits.bodyEntries) return true;
  }
  return false;
}

/** Express leaves `body` undefined where there was no JSON; from here on it is what the caller sent. */
const insist: RequestHandler = (request, _response, next) => {
  if (request.body !== undefined) return next();
  if (request.is('application/json') === false) {
    throw new ProblemError('not-json', 'Send Content-Type: application/json.');
  }
  throw new ProblemError('malformed-json', 'The body is empty.');
};

/** A spelling that some clients use, and that no registry knows. */
const correctCharset: RequestHandler = (request, _response, next) => {
  const type = request.headers['content-type'];
  if (type) request.headers['content-type'] = type.replace(/(;\s*charset\s*=\s*"?)utf8\b/i, '$1utf-8');
  next();
};

/** UTF-8 JSON of at most 16 KiB, uncompressed. */
export const jsonBody = [correctCharset, parse, insist];
