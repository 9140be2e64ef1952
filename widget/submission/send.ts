/** Sends a lead, and sends it again if the server refuses it for a reason that the form can remedy by itself. */
import {
  attributionKeys,
  attributionValue,
  type Attribution,
  type Context,
  type EmbedAnswer,
  type EmbedSubmission,
} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {Problem} from '../../contract/problems.ts';
import type {FieldName} from '../../form/pages.ts';
import type {Errors} from '../../form/read-fields.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {explainRefusal} from '../page/advice.ts';
import {now} from '../page/now.ts';
import {toJson} from '../page/to-json.ts';
import type {SeenConsent} from './consent.ts';
import {sendableContext} from './context.ts';
import {answerIn, exchange, isOfPage, problemCode, type Reply} from './exchange.ts';
import {currentKey, dropKey} from './idempotency-key.ts';
import type {Preparation} from './preparation.ts';

/** A failure, without words. They are chosen each time the form renders, because the language may change. */
export type Failure = {
  readonly code: string;
  readonly retryable: boolean;
  /** Which words to use if they are not those of the code. */
  readonly notice?: string | undefined;
  /** Seconds after which the server asks to try again. */
  readonly seconds?: number | undefined;
};

export type Outcome =
  | {readonly kind: 'answered'; readonly answer: EmbedAnswer}
  | {readonly kind: 'invalid'; readonly code: string; readonly retryable: boolean; readonly errors: Errors}
  /** The partner's consent text is no longer the one that the visitor saw. */
  | {readonly kind: 'consent-outdated'; readonly code: 'consent-outdated'; readonly retryable: true}
  | ({readonly kind: 'failed'} & Failure);

export type LeadToSend = Pick<EmbedSubmission, 'trap' | 'page' | 'lang' | 'supersedes' | 'opt_out_signal'> & {
  readonly lead: Readonly<Record<string, string | number | boolean>> & {readonly lead_type: LeadType};
  /** The consent that stood above the button. */
  readonly seen: SeenConsent;
  readonly attribution: Attribution | undefined;
  /** Hidden fields, as the page has set them. */
  readonly context: Context;
  /** `now()` of the first touch. */
  readonly touchedAt: number;
};

/** Never rejects. */
export async function send(
  {seen, attribution, context, touchedAt, ...sent}: LeadToSend,
  endpoint: Endpoint,
  preparation: Preparation,
  signal: AbortSignal,
): Promise<Outcome> {
  const newKey = () => {
    dropKey(endpoint.partner);
    return true;
  };
  const newConfiguration = async () => (await preparation.renew()) !== undefined;
  /**
   * What the form does about a refusal before it sends the lead again, by the code of the problem. It does each once
   * for a lead, so that this comes to an end.
   */
  const remedies = new Map<string, () => boolean | Promise<boolean>>([
    // The server has stored a lead under this key, its answer got lost, and the visitor has changed something since.
    ['idempotency-key-reused', newKey],
    ['proof-needed', newConfiguration],
    ['consent-outdated', newConfiguration],
    // Of what is sent, the text of the page alone can be long, and the lead is worth more.
    ['body-too-large', () => delete seen.slot],
  ]);
  await preparation.begin();
  if (!preparation.config && !(await preparation.renew()) && preparation.refusal)
    return forbidden(preparation.refusal);
  for (;;) {
    const {consent, ask = []} = preparation.config ?? {};
    if (consent && consent.version !== seen.version)
      return {kind: 'consent-outdated', code: 'consent-outdated', retryable: true};
    // The question came after the press of the button. It is on the screen now, and the form says that it is missing.
    if (ask.some(({name, required}) => required && !Object.hasOwn(sent.lead, name)))
      return {kind: 'invalid', code: 'invalid-lead', retryable: false, errors: {}};
    const submission = async (): Promise<EmbedSubmission> => ({
      ...sent,
      consent: consent ? {...seen, agreed: consent.required} : undefined,
      proof: await preparation.proof(),
      attribution: attribution && sendable(attribution),
      context: sendableContext(context, preparation.config?.context_fields),
      elapsed_ms: Math.round(now() - touchedAt),
    });
    const outcome = await attempt(endpoint, submission, signal);
    if (outcome.kind === 'answered') return outcome;
    const remedy = remedies.get(outcome.code);
    if (!remedy) {
      void explainRefusal(outcome.code, endpoint);
      return outcome;
    }
    remedies.delete(outcome.code);
    if (!(await remedy())) return {kind: 'failed', code: 'network', retryable: true};
  }
}

async function attempt(
  endpoint: Endpoint,
  makeSubmission: () => Promise<EmbedSubmission>,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const submission = await makeSubmission();
    const reply = await exchange(
      endpoint,
      '',
      {
        method: 'POST',
        headers: {'Content-Type': 'application/json', 'Idempotency-Key': currentKey(endpoint.partner)},
        body: toJson(submission),
      },
      signal,
    );
    const answer = answerIn(reply);
    return answer ? {kind: 'answered', answer} : refusal(reply, submission.lead);
  } catch (error) {
    if (isOfPage(error)) return forbidden('page');
    return failed(error instanceof TypeError ? 'network' : 'timeout', true);
  }
}

/** The outcome of a reply that has no answer. */
function refusal({status, body, retryAfter}: Reply, lead: object): Outcome {
  if (status < 300) return failed('bad-answer', true);
  const code = problemCode(body);
  if (code === 'invalid-lead') {
    const errors = fieldErrors(body as Problem, lead);
    if (Object.keys(errors).length > 0) return {kind: 'invalid', code, retryable: false, errors};
  }
  if (status === 403) return forbidden(code);
  return failed(code, status >= 500 || [409, 429].includes(status), {seconds: retryAfter});
}

const failed = (code: string, retryable: boolean, about: Partial<Failure> = {}): Outcome => ({
  kind: 'failed',
  code,
  retryable,
  ...about,
});

/** The server takes no lead from this page. */
const forbidden = (code: string) => failed(code, false, {notice: 'forbidden'});

/** The errors in fields that the visitor filled in. */
function fieldErrors({errors}: Problem, lead: object): Errors {
  const found: Errors = {};
  for (const {field, code} of errors ?? []) {
    if (field !== 'lead_type' && Object.hasOwn(lead, field)) found[field as FieldName] = code;
  }
  return found;
}

/** Leaves out what the server would not accept. Anything can be in the page's address or come from other scripts. */
const sendable = (attribution: Attribution): Attribution =>
  Object.fromEntries(
    attributionKeys
      .map((key) => [key, attribution[key]])
      .filter(([, text = '']) => attributionValue.test(text)),
  ) as Attribution;
