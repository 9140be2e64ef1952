/** Reads the body of a request as JSON: UTF-8, at most 16 KiB, uncompressed. */
import {isUtf8} from 'node:buffer';
import type {Request, RequestHandler} from 'express';
import {limits} from '../../contract/api.ts';
import {isDeclaredTooLarge, keepAfterBody} from './large-body.ts';
import {ProblemError} from './problem-replies.ts';

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

const tooLarge = () =>
  new ProblemError('body-too-large', `The body may have at most ${limits.bodyBytes} bytes.`);

/** What the headers say of the body. @throws ProblemError before a byte of the body is read */
function checkHeaders(request: Request): void {
  const type = request.is('application/json');
  if (type === null) throw new ProblemError('malformed-json', 'The body is empty.');
  if (type === false) throw new ProblemError('not-json', 'Send Content-Type: application/json.');
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.get('Content-Type') ?? '') ?? [];
  // No registry knows `utf8`, but some clients send it.
  if (!/^utf-?8$/i.test(charset)) throw new ProblemError('not-json', 'The body must be JSON in UTF-8.');
  const encoding = request.get('Content-Encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProblemError('not-json', 'Compressed bodies are not accepted.');
  }
  if (isDeclaredTooLarge(request)) throw tooLarge();
}

/** Reads no further than the limit. Express's own parser reads a body that is too large to its end. */
function readBytes(request: Request): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const {promise, resolve, reject} = Promise.withResolvers<Buffer>();
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= limits.bodyBytes) return;
    request.pause();
    reject(tooLarge());
  });
  request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  request.once('error', () => {
    reject(new ProblemError('bad-request', 'The body ended before it was complete.'));
  });
  return promise;
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0 || !isUtf8(bytes)) {
    throw new ProblemError('malformed-json', 'The body is empty or not UTF-8.');
  }
  if (isTooComplex(bytes)) {
    const {bodyDepth, bodyEntries} = limits;
    const message = `must have at most ${bodyDepth} levels and ${bodyEntries} values`;
    const errors = [{field: '', code: 'invalid', message}];
    throw new ProblemError('invalid-lead', 'Check the body.', {errors});
  }
  try {
    // Clients on Windows often begin with a byte order mark, which this decoder leaves out.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ProblemError('malformed-json', 'The body is not valid JSON.');
  }
}

/** Sets `request.body`. @throws ProblemError that says what is wrong with the body */
export const jsonBody: RequestHandler = async (request, response, next) => {
  checkHeaders(request);
  const bytes = await readBytes(request);
  keepAfterBody(response);
  request.body = parse(bytes);
  next();
};
