/** Which response `/json/leads` gives to which request. responses.test.ts sends each of these rows to a server. */
import {gzipSync} from 'node:zlib';
import {limits} from '../../../contract/api.ts';
import type {FieldErrorCode} from '../../../contract/fields.ts';
import {problems, type ProblemCode} from '../../../contract/problems.ts';

/** The states of the service in which the rows hold. */
export const serviceStates = [
  'all is well',
  'the lead was erased',
  'the lead cannot be opened',
  'the upstream does not answer',
  'the upstream refuses leads',
  'the store cannot write',
  'another process is writing with the key',
  'fifty failed sign-ins wait',
  'twenty sign-ins of the address failed',
  'the service is stopping',
] as const;
export type ServiceState = (typeof serviceStates)[number];

/** A lead is stored under this key before the requests are sent. */
export const usedKey = 'a-key-that-was-used';
/** A lead is being stored under this key while the request is sent. */
export const keyInProgress = 'a-key-in-progress';

/** Bodies of valid requests. */
type Bodies = Readonly<Record<'prequalification' | 'standard', Record<string, unknown>>>;

export type Row = {
  /** Says what is sent, or what is wrong with the request or the service. */
  when: string;
  /** `all is well` when absent. */
  state?: ServiceState;
  method: 'GET' | 'POST' | 'DELETE';
  /** `<id>` stands for the id of a stored lead. */
  path: string;
  /** The type of that lead; `prequalification` when absent. */
  lead?: 'prequalification' | 'standard';
  /** Who sends the request; the owner of the leads when absent. */
  by?: 'another client' | 'a wrong password' | 'an unknown user' | 'nobody';
  headers?: Record<string, string>;
  /** Makes the body from a valid one. An object is sent as JSON. */
  body?: (valid: Bodies) => object | string;

  /** Of a request that is taken. All others have that of their `problem`. */
  status?: number;
  problem?: ProblemCode;
  /** Headers that the response must have. */
  has?: Record<string, RegExp>;
  /** The fields of a 422 that are wrong, and how; '' is the body as a whole. */
  errors?: Record<string, FieldErrorCode>;
};

const create = {
  method: 'POST',
  path: '/json/leads',
  body: ({prequalification}: Bodies) => prequalification,
} as const;
const read = {method: 'GET', path: '/json/leads/<id>'} as const;
const created = {status: 201, has: {Location: /^\/json\/leads\/[0-9a-f-]{36}$/}} as const;
const unauthorized = {
  problem: 'unauthorized',
  has: {'WWW-Authenticate': /^Basic realm="[^"]+", charset="UTF-8"$/},
} as const;
const retryAfter = {'Retry-After': /^[1-9]\d*$/};
const json = {'Content-Type': 'application/json'};
const unknownId = '/json/leads/01900000-0000-7000-8000-000000000000';

export const rows: readonly Row[] = [
  {when: 'a pre-qualification lead', ...create, ...created},
  {when: 'a standard lead', ...create, body: ({standard}) => standard, ...created},
  {
    when: 'the same lead again under its `Idempotency-Key`: the same id',
    ...create,
    headers: {'Idempotency-Key': usedKey},
    ...created,
  },
  {when: 'a body that is not JSON, or empty', ...create, body: () => '{', problem: 'malformed-json'},
  {
    when: `an \`Idempotency-Key\` of fewer than ${limits.idempotencyKeyCharacters.min} characters`,
    ...create,
    headers: {'Idempotency-Key': 'too-short'},
    problem: 'idempotency-key-invalid',
  },
  {when: 'no credentials', ...create, by: 'nobody', ...unauthorized},
  {when: 'a wrong password', ...create, by: 'a wrong password', ...unauthorized},
  {when: 'an unknown user', ...create, by: 'an unknown user', ...unauthorized},
  {when: "a `cid` that is not the caller's", ...create, by: 'another client', problem: 'cid-not-allowed'},
  {
    when: 'another method',
    method: 'DELETE',
    path: '/json/leads',
    problem: 'method-not-allowed',
    has: {Allow: /^POST$/},
  },
  {
    when: 'a key with which another request is still being worked on, after a wait of 5 s',
    state: 'another process is writing with the key',
    ...create,
    headers: {'Idempotency-Key': keyInProgress},
    problem: 'idempotency-key-in-progress',
    has: retryAfter,
  },
  {
    when: 'a lead that was erased, again under its `Idempotency-Key`',
    state: 'the lead was erased',
    ...create,
    headers: {'Idempotency-Key': usedKey},
    problem: 'lead-erased',
  },
  {
    when: `a body of more than ${limits.bodyBytes / 1_024} KiB`,
    ...create,
    body: ({prequalification}) => ({...prequalification, padding: 'x'.repeat(limits.bodyBytes)}),
    problem: 'body-too-large',
  },
  {
    when: 'a `Content-Type` that is not JSON in UTF-8',
    ...create,
    headers: {'Content-Type': 'text/plain'},
    problem: 'not-json',
  },
  {
    when: 'a compressed body',
    ...create,
    body: ({prequalification}) => gzipSync(JSON.stringify(prequalification)),
    headers: {...json, 'Content-Encoding': 'gzip'},
    problem: 'not-json',
  },
  {
    when: 'fields that are missing or wrong',
    ...create,
    body: ({prequalification}) => ({
      ...prequalification,
      first_name: undefined,
      last_name: 'x'.repeat(81),
      email: 'jane',
      cash: '50,000',
      investments: 1_000_000_000,
    }),
    problem: 'invalid-lead',
    errors: {
      first_name: 'required',
      last_name: 'too_long',
      email: 'invalid',
      cash: 'invalid',
      investments: 'too_large',
    },
  },
  {
    when: 'a type of lead that does not exist',
    ...create,
    body: ({standard}) => ({...standard, lead_type: 'other'}),
    problem: 'invalid-lead',
    errors: {lead_type: 'invalid'},
  },
  {
    when: 'JSON that is not an object',
    ...create,
    body: () => '[]',
    problem: 'invalid-lead',
    errors: {'': 'invalid'},
  },
  {
    when: `JSON of more than ${limits.bodyDepth} levels or ${limits.bodyEntries} values`,
    ...create,
    body: () => `{"deep": ${'['.repeat(limits.bodyDepth)}${']'.repeat(limits.bodyDepth)}}`,
    problem: 'invalid-lead',
    errors: {'': 'invalid'},
  },
  {
    when: 'another lead under a key that was used',
    ...create,
    body: ({standard}) => standard,
    headers: {'Idempotency-Key': usedKey},
    problem: 'idempotency-key-reused',
  },
  {
    when: 'failed sign-ins while 50 others wait',
    state: 'fifty failed sign-ins wait',
    ...create,
    by: 'a wrong password',
    problem: 'too-many-requests',
    has: retryAfter,
  },
  {
    when: 'any password after 20 failed sign-ins of its address in a minute',
    state: 'twenty sign-ins of the address failed',
    ...create,
    problem: 'too-many-requests',
    has: retryAfter,
  },
  {
    when: 'headers of more than 16 KiB',
    ...create,
    headers: {'X-Padding': 'x'.repeat(17_000)},
    problem: 'headers-too-large',
    has: {Connection: /^close$/},
  },
  {
    when: 'a key under which a lead was stored that cannot be opened',
    state: 'the lead cannot be opened',
    ...create,
    headers: {'Idempotency-Key': usedKey},
    problem: 'lead-unreadable',
  },
  {
    when: 'the store cannot be written to',
    state: 'the store cannot write',
    ...create,
    problem: 'store-unavailable',
    has: retryAfter,
  },
  {
    when: 'the service is stopping',
    state: 'the service is stopping',
    ...create,
    problem: 'shutting-down',
    has: {...retryAfter, Connection: /^close$/},
  },
  {when: 'a pre-qualification lead', ...read, status: 200},
  {when: 'a wrong password', ...read, by: 'a wrong password', ...unauthorized},
  {when: 'an id that no lead has', ...read, path: unknownId, problem: 'not-found'},
  {
    when: 'a lead of another client: the same response as for an id that no lead has',
    ...read,
    by: 'another client',
    problem: 'not-found',
  },
  {
    when: 'a lead that was erased: the same response as for an id that no lead has',
    state: 'the lead was erased',
    ...read,
    problem: 'not-found',
  },
  {
    when: 'a lead that is damaged in the database, or whose data key is missing',
    state: 'the lead cannot be opened',
    ...read,
    problem: 'lead-unreadable',
  },
  {when: 'a standard lead', ...read, lead: 'standard', problem: 'no-prequalification'},
  {
    when: 'another method',
    ...read,
    method: 'DELETE',
    problem: 'method-not-allowed',
    has: {Allow: /^GET, HEAD$/},
  },
  {
    when: 'the upstream refused the lead',
    state: 'the upstream refuses leads',
    ...read,
    problem: 'upstream-refused',
  },
  {
    when: 'the upstream has not answered yet',
    state: 'the upstream does not answer',
    ...read,
    problem: 'result-pending',
    has: retryAfter,
  },
  {when: 'an address that does not exist', method: 'GET', path: '/json/lead', problem: 'not-found'},
  {
    when: 'an address that is not URL-encoded UTF-8',
    method: 'GET',
    path: '/json/leads/%E0%A4%A',
    problem: 'bad-request',
  },
  {
    when: 'a query that is not URL-encoded UTF-8, or over 64 parameters or 4,096 bytes',
    ...read,
    path: '/json/leads/<id>?discount=50%off',
    problem: 'bad-request',
  },
];

export const statusOf = ({status = 200, problem}: Row): number => (problem ? problems[problem][0] : status);
