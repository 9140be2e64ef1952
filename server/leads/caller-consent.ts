/**
 * The consent that a caller of `/json/leads` brings, and the opt-out signal. This server saw nothing of the consent, so the
 * record says who brought it (`source`), and holds what the caller says.
 */
import {z} from 'zod';
import {languageTag, optOutSignals} from '../../contract/embed.ts';
import {callerQuestions} from '../../contract/questions.ts';
import {cidField} from '../../contract/fields.ts';
import type {FieldError} from '../../contract/problems.ts';
import {langOf} from '../../form/words/text-in-language.ts';
import {readAddress} from '../config/addresses.ts';
import type {Partner} from '../config/partners.ts';
import {inRfc3339} from '../config/values.ts';
import {known} from './consent-record.ts';
import {hashOfText} from './consent-texts.ts';
import {fieldErrors, leadSchema, text} from './lead-schema.ts';
import type {NewLead} from './new-lead.ts';
import {ProblemError} from './problem-error.ts';
import {bareAddress} from './visitor-submission.ts';

/** Milliseconds by which the clock of a caller may be ahead. */
const tolerance = 5 * 60_000;
const isPast = (time: number) => time >= Date.UTC(2000) && time <= Date.now() + tolerance;

const oneText = (max: number, pattern: RegExp) => text({kind: 'text', required: true, max, pattern});
/** A text that is stored in the spelling that `read` gives it. */
const spelt = (read: (text: string) => string | null | undefined) =>
  z.string().transform(read).pipe(z.string());
/** @param description which values the field takes, for error messages and documents */
const field = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().describe(description);

const time = z
  .string()
  .meta({format: 'date-time'})
  .transform(inRfc3339)
  .pipe(z.iso.datetime({offset: true}))
  .transform((text) => Date.parse(text));
const consentSchema = z
  .object({
    text: field(
      oneText(4_000, callerQuestions.notes.pattern),
      'must be what the person agreed to, in at most 4,000 characters without control characters, and missing beside version',
    ),
    version: field(
      oneText(64, cidField.pattern),
      'must be the version of a consent text of a partner with this cid, and missing beside text',
    ),
    language: field(z.string().max(35).regex(languageTag), 'must be the language of the text, such as es'),
    given_at: field(
      time.refine(isPast),
      'must be a past time since 2000, with its zone, such as 2026-11-27T10:00:00-05:00',
    ),
    page: field(spelt(bareAddress), 'must be an address that begins with http:// or https://'),
    ip: field(spelt(readAddress), 'must be an IPv4 or IPv6 address'),
    certificate_url: field(
      oneText(2_048, /^https:\/\/[\x21-\x7e]+$/i).refine((url) => URL.canParse(url)),
      'must be an address of at most 2,048 characters that begins with https://',
    ),
  })
  .superRefine(({text, version}, context) => {
    const path = [text === undefined ? 'text' : 'version'];
    if ((text === undefined) === (version === undefined)) context.addIssue({code: 'custom', path});
  });
type SentConsent = z.output<typeof consentSchema>;

const consent = consentSchema
  .optional()
  .describe('Either `text`, or `version` and `language` of a configured text.');
const signal = field(z.enum(optOutSignals), 'must be gpc (Global Privacy Control), or missing');
const [standard, prequalification] = leadSchema.options;
/** The body of a create, for documents. */
export const callerLeadSchema = z.discriminatedUnion('lead_type', [
  standard.extend({consent, opt_out_signal: signal}),
  prequalification.extend({consent, opt_out_signal: signal}),
]);

const shape: Readonly<Record<string, z.ZodType>> = consentSchema.shape;
const expects = (name: string) => shape[name]?.description ?? 'must be a JSON object';

/** The signal in a body, if there is one, and what is wrong with it. */
export function parseSignal(body: unknown): Pick<NewLead, 'attribution'> & {errors: FieldError[]} {
  const {data, success} = signal.safeParse((body as {opt_out_signal?: unknown} | null)?.opt_out_signal);
  if (success) return {attribution: data && {opt_out_signal: data}, errors: []};
  return {errors: [{field: 'opt_out_signal', code: 'invalid', message: signal.description ?? ''}]};
}

/** The consent in a body, if there is one, and what is wrong with it. */
export function parseConsent(body: unknown): {sent?: SentConsent | undefined; errors: FieldError[]} {
  const consent = (body as {consent?: unknown} | null)?.consent;
  if (consent === undefined) return {errors: []};
  const {data: sent, error} = consentSchema.safeParse(consent);
  const errors = error ? fieldErrors(error, consent, expects) : [];
  const named = (field: string) => (field ? `consent.${field}` : 'consent');
  return {sent, errors: errors.map(({field, ...error}) => ({field: named(field), ...error}))};
}

/** `problem` alone if no text of the client has the version, or several have it. */
export type GivenConsent = Pick<NewLead, 'consent' | 'consentText'> & {problem?: ProblemError};

/** The consent as it is stored, and the configured text that it is to. */
export function toConsent(
  {text, language, ...sent}: SentConsent,
  partners: readonly Partner[],
  cid: string,
): GivenConsent {
  const configured = text === undefined ? configuredText({...sent, language}, partners, cid) : undefined;
  if (configured instanceof ProblemError) return {problem: configured};
  const hash = configured?.textHash ?? hashOfText(text ?? '');
  return {
    consent: {
      textVersion: configured?.version ?? hash.slice(0, 8),
      ...known('textLanguage', configured ? configured.language : langOf(language)),
      textHash: hash,
      agreed: null,
      givenAt: sent.given_at ?? Date.now(),
      origin: null,
      page: sent.page ?? null,
      // eslint-disable-next-line no-restricted-properties -- This is the address in a consent, not of a request.
      ip: sent.ip ?? '',
      userAgent: null,
      source: 'caller',
      // A text of a caller stays with its lead, and is never archived for all: it may name the person.
      ...known('words', text),
      ...known('certificateUrl', sent.certificate_url),
    },
    consentText: configured,
  };
}

/** Two partners of a client may have the same text. Then the first one's is taken. */
function configuredText({version = '', language}: SentConsent, partners: readonly Partner[], client: string) {
  const found = partners
    .filter(({cid}) => cid === client)
    .flatMap(({key, consent}) =>
      Object.entries(consent?.texts ?? {}).map((entry) => [key, ...entry] as const),
    )
    .filter(([, tag, text]) => text.version === version && (language ?? tag) === tag)
    .map(([partner, tag, {text}]) => ({
      partner,
      language: langOf(tag),
      textHash: hashOfText(text),
      words: [text],
    }));
  const [first] = found;
  if (first && found.every(({textHash}) => textHash === first.textHash)) return {...first, version};
  const message = first
    ? 'stands for several texts of partners with this cid: say the language too, or send the text'
    : expects('version');
  const errors: FieldError[] = [{field: 'consent.version', code: 'invalid', message}];
  return new ProblemError('invalid-lead', 'Check consent.version.', {errors});
}

/** Whether a lead should have a consent: its partner has a text or, if a caller sent it, a partner of the same client. */
export const expectsConsent = (
  partners: readonly Partner[],
  {partner, lead}: {partner: string | null; lead: {cid: string}},
): boolean =>
  partners.some(({key, cid, consent}) => consent && (partner === null ? cid === lead.cid : key === partner));
