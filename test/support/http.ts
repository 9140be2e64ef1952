/** Requests as callers and browsers make them, and the checks that every answer must stand. */
import assert from 'node:assert/strict';
import {request, type IncomingHttpHeaders, type RequestOptions} from 'node:http';
import {buffer} from 'node:stream/consumers';
import {problemTypePrefix, type Problem} from '../../contract/api.ts';
import {assertDeclared} from './declared.ts';

export const basic = ({user, password}: {user: string; password: string}) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

export const postJson = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: {'content-type': 'application/json', ...headers},
});

export type FetchPath = (path: string, init?: RequestInit) => Promise<Response>;

/** Asks the server at that URL; redirects are answers, not followed. Every answer must be a declared one. */
export const fetchFrom =
  (url: string): FetchPath =>
  async (path, init = {}) => {
    const response = await fetch(url + path, {redirect: 'manual', ...init});
    const {status, headers} = response;
    assertDeclared(init.method ?? 'GET', path, {status, headers, body: await response.clone().text()});
    return response;
  };

export async function readJson<Body>(response: Response, status: number): Promise<Body> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/);
  return JSON.parse(text) as Body;
}

/** Whatever went wrong, the answer is an RFC 9457 problem. */
export async function readProblem(response: Response, status: number, code: string): Promise<Problem> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  const problem = JSON.parse(text) as Problem;
  assert.equal(problem.type, problemTypePrefix + code);
  assert.equal(problem.status, status);
  assert.ok(problem.title && problem.detail);
  return problem;
}

/** The code of each wrong field. */
export const fieldCodes = ({errors = []}: Problem) =>
  Object.fromEntries(errors.map(({field, code}) => [field, code]));

/** All that tells two answers apart, but for the date and the request's id. */
export async function comparable(response: Response) {
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name),
  );
  return {status: response.status, headers, body: await response.text()};
}

export type RawAnswer = {status: number; headers: IncomingHttpHeaders; body: Buffer};

/** Unlike `fetch`, adds no header and decompresses nothing. Every answer must be a declared one. */
export async function requestRaw(
  url: string,
  options: RequestOptions = {},
  body?: Buffer,
): Promise<RawAnswer> {
  const {promise, resolve, reject} = Promise.withResolvers<RawAnswer>();
  const outgoing = request(url, options, (response) => {
    buffer(response).then(
      (bytes) => resolve({status: response.statusCode ?? 0, headers: response.headers, body: bytes}),
      reject,
    );
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  const answer = await promise;
  const headers = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
  assertDeclared(options.method ?? 'GET', outgoing.path, {...answer, headers, body: answer.body.toString()});
  return answer;
}
