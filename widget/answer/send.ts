/** One lead on its way to the server, and what came of it. */
import {
  attributionKeys,
  attributionValue,
  paths,
  problemTypePrefix,
  type Attribution,
  type EmbedAnswer,
  type EmbedConfig,
  type EmbedSubmission,
  type Problem,
} from '../../contract/api.ts';
import {formFields, type FormFieldName} from '../../contract/fields.ts';
import type {Errors, InputError} from '../read-lead.ts';
import {keyRing} from './idempotency-key.ts';
import {explainRefusal} from './refusal.ts';
import {toJson} from './to-json.ts';
import type {About, Failure, Lead, Outcome, Place} from './types.ts';

/** Milliseconds, for the whole answer. */
const patience = 30_000;

export async function send(
  lead: Lead,
  place: Place,
  {elapsedMs, signal, attribution}: About,
): Promise<Outcome> {
  const keys = keyRing(place.partner);
  const body = toJson({
    lead,
    attribution: attribution && sendable(attribution),
    elapsed_ms: elapsedMs,
  } satisfies EmbedSubmission);
  let outcome = await attempt(place, body, keys.current(), signal);
  if (outcome.kind === 'failed' && outcome.code === 'idempotency-key-reused') {
    // The lead under this key was taken, its answer got lost, and the visitor has changed something since.
    keys.drop();
    outcome = await attempt(place, body, keys.current(), signal);
  }
  if (outcome.kind === 'answered') keys.drop();
  return outcome;
}

/** The page's address, and other scripts, may have put anything there. */
function sendable(touch: Attribution): Attribution {
  const fits = ([, value = '']: [string, string | undefined]) => attributionValue.test(value);
  return Object.fromEntries(attributionKeys.map((key) => [key, touch[key]] as [string, string]).filter(fits));
}

/** The partner's configuration; `undefined` when there is none to be had, which only the webmaster is told. */
export async function readConfig(reply: Promise<Response>, place: Place): Promise<EmbedConfig | undefined> {
  try {
    const response = await reply;
    if (response.ok) return (await response.json()) as EmbedConfig;
    explainRefusal(problemCode(await response.json()), place);
  } catch (error) {
    if (error instanceof TypeError) explainRefusal('network', place);
  }
  return undefined;
}

async function attempt(place: Place, body: string, key: string, signal: AbortSignal): Promise<Outcome> {
  const controller = new AbortController();
  const giveUp = () => controller.abort();
  signal.addEventListener('abort', giveUp);
  const timer = setTimeout(giveUp, patience);
  try {
    const response = await fetch(
      `${place.endpoint}${paths.embedLeads}?partner=${encodeURIComponent(place.partner)}`,
      {
        method: 'POST',
        headers: {'Content-Type': 'application/json', 'Idempotency-Key': key},
        body,
        credentials: 'omit',
        redirect: 'error',
        signal: controller.signal,
      },
    );
    return read(response, await response.text(), place);
  } catch {
    if (controller.signal.aborted) return failed('timeout', true);
    explainRefusal('network', place);
    return failed('network', true);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** From what the server said to what the form does. */
function read(response: Response, text: string, place: Place): Outcome {
  const body = parse(text);
  if (response.ok) {
    return isAnswer(body) ? {kind: 'answered', answer: body} : failed('bad-answer', true);
  }
  const code = problemCode(body);
  if (code === 'invalid-lead') {
    const errors = fieldErrors(body as Problem);
    if (Object.keys(errors).length > 0) return {kind: 'invalid', errors};
  }
  if (response.status === 403) {
    explainRefusal(code, place);
    return failed(code, false, {notice: 'forbidden'});
  }
  const seconds = Number(response.headers.get('Retry-After')) || undefined;
  return failed(code, response.status >= 500 || [409, 429].includes(response.status), {seconds});
}

const failed = (code: string, retryable: boolean, about: Partial<Failure> = {}): Outcome => ({
  kind: 'failed',
  code,
  retryable,
  ...about,
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A proxy between here and the server may answer in its own way, even with a 200. */
const isAnswer = (body: unknown): body is EmbedAnswer =>
  isObject(body) && typeof body['id'] === 'string' && typeof body['status'] === 'string';

function problemCode(body: unknown): string {
  const type = isObject(body) ? body['type'] : undefined;
  return typeof type === 'string' && type.startsWith(problemTypePrefix)
    ? type.slice(problemTypePrefix.length)
    : 'bad-answer';
}

function fieldErrors({errors}: Problem): Errors {
  const found: Errors = {};
  for (const {field, code} of errors ?? []) {
    if (Object.hasOwn(formFields, field)) found[field as FormFieldName] = code as InputError;
  }
  return found;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
