/** Reads the bodies that browsers send for a form (UTF-8, at most 16 KiB, uncompressed). */
import type {RequestHandler} from 'express';
import {readBytes, tooLarge} from './json-body.ts';
import {isDeclaredTooLarge, keepOpenAfterBody} from './large-body.ts';
import {ProblemError} from '../leads/problem-error.ts';

/** Sets `request.body` to the names and values. @throws ProblemError */
export const formBody: RequestHandler = async (request, response, next) => {
  const encoding = request.get('Content-Encoding') ?? 'identity';
  // A request without a body is of no type. It counts as an empty form.
  if (request.is('application/x-www-form-urlencoded') === false || encoding.toLowerCase() !== 'identity')
    throw new ProblemError('bad-request', 'Send the form as application/x-www-form-urlencoded.');
  if (isDeclaredTooLarge(request)) throw tooLarge();
  const bytes = await readBytes(request);
  keepOpenAfterBody(response);
  // Never throws, and takes a wrong escape as it was typed.
  request.body = new URLSearchParams(bytes.toString());
  next();
};
