import type {FieldErrorCode} from './fields.ts';

/** All problems (RFC 9457): the last part of the `type`, the status and the title. */
export const problems = {
  'bad-request': [400, 'The request cannot be understood'],
  'malformed-json': [400, 'The body is not valid JSON'],
  'idempotency-key-invalid': [400, 'The Idempotency-Key header is missing or malformed'],
  unauthorized: [401, 'Valid credentials are needed'],
  'cid-not-allowed': [403, 'The cid does not belong to these credentials'],
  'unknown-partner': [403, 'The partner is not known'],
  'origin-not-allowed': [403, 'The page is not allowed to use this partner'],
  'lead-type-not-allowed': [403, 'The partner does not take leads of this type'],
  'not-found': [404, 'There is nothing here'],
  'no-prequalification': [404, 'A standard lead has no pre-qualification'],
  'method-not-allowed': [405, 'The method is not allowed here'],
  'request-timeout': [408, 'The request came too slowly'],
  'idempotency-key-in-progress': [409, 'A request with the same key is still being worked on'],
  'lead-erased': [410, 'The lead was erased'],
  'body-too-large': [413, 'The body is too large'],
  'not-json': [415, 'The body must be JSON'],
  'invalid-lead': [422, 'The lead has fields that cannot be accepted'],
  'idempotency-key-reused': [422, 'The key was used for another lead'],
  'proof-needed': [403, 'A fresh proof of work is needed'],
  'consent-outdated': [422, 'The consent text has changed'],
  'expectation-failed': [417, 'The Expect header asks for something unknown'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'The headers are too large'],
  internal: [500, 'Something went wrong here'],
  'lead-unreadable': [500, 'What is stored of the lead cannot be opened'],
  'upstream-refused': [502, 'The lead was refused upstream'],
  'result-pending': [503, 'The result is not there yet'],
  'store-unavailable': [503, 'The lead cannot be stored right now'],
  'shutting-down': [503, 'The service is restarting'],
} as const satisfies Record<string, readonly [status: number, title: string]>;
export type ProblemCode = keyof typeof problems;

export const problemTypePrefix = 'urn:lead-prequal:problem:';

/** An error in one field. `field` is empty for the body as a whole. The message never repeats what was sent. */
export type FieldError = {field: string; code: FieldErrorCode; message: string};

/** The body of every error: `application/problem+json`. */
export type Problem = {
  type: `${typeof problemTypePrefix}${ProblemCode}`;
  title: string;
  status: number;
  detail: string;
  /** For `invalid-lead`: the first error of each field. */
  errors?: FieldError[];
};
