/** Sends requests like callers and browsers do, and checks every response. */
import assert from 'node:assert/strict';
import {request, type IncomingHttpHeaders, type RequestOptions} from 'node:http';
import {buffer} from 'node:stream/consumers';
import {problemTypePrefix, type Problem} from '../../contract/problems.ts';
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

/** Sends a request to the server. Redirects are not followed. Fails if OpenAPI does not declare the response. */
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

/** Checks that a response is an RFC 9457 problem with this status and code. */
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

/** Everything in a response except the date and the request id, to compare two responses. */
export async function comparable(response: Response) {
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name),
  );
  return {status: response.status, headers, body: await response.text()};
}

export type RawAnswer = {status: number; headers: IncomingHttpHeaders; body: Buffer};

/** Unlike `fetch`, adds no headers and decompresses nothing. Fails if OpenAPI does not declare the response. */
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
