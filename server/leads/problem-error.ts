import type {Problem, ProblemCode} from '../../contract/problems.ts';

export type Extras = {headers?: Record<string, string>; errors?: NonNullable<Problem['errors']>};

/** Says when the request may be sent again. A part of a second counts as a whole one. */
export const retryAfter = (seconds: number) => ({headers: {'Retry-After': String(Math.ceil(seconds))}});

/**
 * Why a request is refused. It becomes the response (RFC 9457), so its `detail` must hold no secret, and nothing that the
 * client sent.
 */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly extras: Extras;

  constructor(code: ProblemCode, detail: string, extras: Extras = {}) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.extras = extras;
  }
}
