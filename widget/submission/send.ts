/** One attempt to send a lead, and what came of it. */
import type {EmbedAnswer, EmbedSubmission} from '../../contract/embed.ts';
import type {Problem} from '../../contract/problems.ts';
import type {Errors} from '../../form/read-fields.ts';
import type {FieldName} from '../../form/pages.ts';
import {answerIn, exchange, problemCode, type Reply} from './exchange.ts';
import {toJson} from './to-json.ts';
import type {Failure, Outcome, Place} from './types.ts';

export type Attempt = EmbedAnswer | Exclude<Outcome, {kind: 'answered'}>;

export async function attempt(
  place: Place,
  submission: EmbedSubmission,
  key: string,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const reply = await exchange(
      place,
      '',
      {
        method: 'POST',
        headers: {'Content-Type': 'application/json', 'Idempotency-Key': key},
        body: toJson(submission),
      },
      signal,
    );
    return answerIn(reply) ?? refusal(reply, submission.lead);
  } catch (error) {
    return failed(error instanceof TypeError ? 'network' : 'timeout', true);
  }
}

/** From what the server said to what the form does. */
function refusal({status, body, retryAfter}: Reply, lead: object): Attempt {
  if (status < 300) return failed('bad-answer', true);
  const code = problemCode(body);
  if (code === 'invalid-lead') {
    const errors = fieldErrors(body as Problem, lead);
    if (Object.keys(errors).length > 0) return {kind: 'invalid', code, retryable: false, errors};
  }
  if (status === 403) return failed(code, false, {notice: 'forbidden'});
  return failed(code, status >= 500 || [409, 429].includes(status), {seconds: retryAfter});
}

const failed = (code: string, retryable: boolean, about: Partial<Failure> = {}): Attempt => ({
  kind: 'failed',
  code,
  retryable,
  ...about,
});

/** Of what the visitor filled in. */
function fieldErrors({errors}: Problem, lead: object): Errors {
  const found: Errors = {};
  for (const {field, code} of errors ?? []) {
    if (field !== 'lead_type' && Object.hasOwn(lead, field)) found[field as FieldName] = code;
  }
  return found;
}
