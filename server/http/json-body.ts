/** Reads the JSON bodies of requests (UTF-8, at most 16 KiB, uncompressed), and writes those of responses. */
import {isUtf8} from 'node:buffer';
import type {Request, RequestHandler, Response} from 'express';
import {limits} from '../../contract/api.ts';
import type {FieldError} from '../../contract/problems.ts';
import {isDeclaredTooLarge, keepOpenAfterBody} from './large-body.ts';
import {ProblemError} from '../leads/problem-error.ts';

const byteOf = (character: string) => character.charCodeAt(0);
const [quote, backslash, comma] = [byteOf('"'), byteOf('\\'), byteOf(',')];
const [openBrace, openBracket] = [byteOf('{'), byteOf('[')];
const [closeBrace, closeBracket] = [byteOf('}'), byteOf(']')];

/**
 * Counts levels of nesting and commas before `JSON.parse`, so that no body can make it create a huge number of objects.
 * A comma separates two entries, so the number of commas is close to the number of entries.
 */
function isTooComplex(bytes: Buffer): boolean {
  let depth = 0;
  let commas = 0;
  let inString = false;
  let escaped = false;
  // By index, which takes half as long as an iterator.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (escaped) escaped = false;
    else if (inString) {
      if (byte === backslash) escaped = true;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) commas += 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    if (depth > limits.bodyDepth || commas >= limits.bodyEntries) return true;
  }
  return false;
}

export const tooLarge = () =>
  new ProblemError('body-too-large', `The body may have at most ${limits.bodyBytes} bytes.`);

/** Checks what the headers say about the body, before the body is read. @throws ProblemError */
function checkHeaders(request: Request): void {
  const type = request.is('application/json');
  if (type === null) throw new ProblemError('malformed-json', 'The body is empty.');
  if (type === false) throw new ProblemError('not-json', 'Send Content-Type: application/json.');
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.get('Content-Type') ?? '') ?? [];
  // The registered name is `utf-8`, but some clients send `utf8`.
  if (!/^utf-?8$/i.test(charset)) throw new ProblemError('not-json', 'The body must be JSON in UTF-8.');
  const encoding = request.get('Content-Encoding') || 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProblemError('not-json', 'Compressed bodies are not accepted.');
  }
  if (isDeclaredTooLarge(request)) throw tooLarge();
}

/**
 * Reads the body, and stops at the limit. Express's own parser would read a body that is too large to its end.
 * @throws ProblemError
 */
export function readBytes(request: Request): Promise<Buffer> {
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
  request.once('end', () => resolve(Buffer.concat(chunks)));
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
    const errors: FieldError[] = [{field: '', code: 'invalid', message}];
    throw new ProblemError('invalid-lead', 'Check the body.', {errors});
  }
  try {
    // TextDecoder drops the byte order mark that clients on Windows often send first.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ProblemError('malformed-json', 'The body is not valid JSON.');
  }
}

/** Sets `request.body`. @throws ProblemError that says what is wrong with the body */
export const jsonBody: RequestHandler = async (request, response, next) => {
  checkHeaders(request);
  const bytes = await readBytes(request);
  keepOpenAfterBody(response);
  request.body = parse(bytes);
  next();
};

/** Like `response.json`, but does not compare the response with the client's cache, because it is never cached. */
export function replyJson(response: Response, status: number, body: unknown) {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
