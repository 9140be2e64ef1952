/**
 * The bodies of requests and responses as zod schemas, from which the parsers of bodies and the OpenAPI document are
 * made. Each schema must equal a type of the contract, which the form uses. If only one of the two changes, the server
 * does not compile.
 */
import {z} from 'zod';
import {
  amountParts,
  methods,
  reasons,
  specifiedAmounts,
  type AmountPart,
  type Explanation,
  type Prequalification,
  type SpecifiedAmount,
  type SpecifiedPrequalification,
} from '../../contract/amounts.ts';
import {
  aboutLines,
  attributionKeys,
  attributionValue,
  contextValue,
  languageTag,
  leadStatuses,
  optOutSignals,
  type Challenge,
  type EmbedAnswer,
  type EmbedConfig,
  type EmbedSubmission,
} from '../../contract/embed.ts';
import {creditScores, fieldErrorCodes, leadTypes} from '../../contract/fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import {problems, problemTypePrefix, type Problem, type ProblemCode} from '../../contract/problems.ts';
import {formFieldNames} from '../../contract/questions.ts';
import type {ListedVersions} from '../../contract/versions.ts';
import {schemaOf} from '../config/schema-of.ts';
import {maybe} from '../leads/consent-record.ts';

const amount = z.int().min(0);
const everySpecifiedAmount = tableOf(specifiedAmounts, () => amount);

export const specifiedPrequalificationSchema = schemaOf<SpecifiedPrequalification>()(
  z.object({first_name: z.string(), ...everySpecifiedAmount}),
);

/** The parts that only our own calculator knows. They are missing where an upstream calculated the amounts. */
type FurtherPart = Exclude<AmountPart, SpecifiedAmount>;
const isFurther = (part: AmountPart): part is FurtherPart => !Object.hasOwn(everySpecifiedAmount, part);
const furtherAmounts = tableOf(amountParts.filter(isFurther), () => amount.exactOptional());

const prequalificationSchema = schemaOf<Prequalification>()(
  z.object({first_name: z.string(), ...everySpecifiedAmount, ...furtherAmounts}),
);

const amountPart = z.enum(amountParts);

const explanationSchema = schemaOf<Explanation>()(
  z.object({
    rounding_increment: z.int().min(1),
    parts: z.partialRecord(
      amountPart,
      z.object({
        method: z.enum(methods).exactOptional(),
        percent: z.int().exactOptional(),
        minimum_score: z.int().exactOptional(),
        minimum_funds: amount.exactOptional(),
      }),
    ),
  }),
);

const formField = z.enum(formFieldNames);

export const embedAnswerSchema = schemaOf<EmbedAnswer>()(
  z.object({
    id: z.string(),
    token: z.string(),
    status: z.enum(leadStatuses),
    prequalification: prequalificationSchema.nullable(),
    reasons: z.partialRecord(amountPart, z.enum(reasons)),
    explanation: explanationSchema.exactOptional(),
    refused_fields: z.array(formField).exactOptional(),
  }),
);

const count = z.int().min(0);
const hex = z
  .string()
  .regex(/^[0-9a-f]*$/)
  .max(512);

export const challengeSchema = schemaOf<Challenge>()(
  z.object({
    parameters: z.object({
      algorithm: z.literal('PBKDF2/SHA-256'),
      cost: count,
      data: z.object({
        factor: count,
        network: hex,
        number: count,
        partner: z.string().max(64),
        place: z.string().max(64),
      }),
      expiresAt: count,
      keyLength: z.int().min(1).max(64),
      keyPrefix: hex,
      keySignature: hex.exactOptional(),
      nonce: hex,
      salt: hex,
    }),
    signature: hex,
  }),
);

const byScore = z.partialRecord(z.enum(creditScores), count);

const portfolioLoanSchema = z.object({minimum: count, percent_of_investments: count});
const figuresSchema = schemaOf<NonNullable<EmbedConfig['estimate']>>()(
  z.object({
    bankruptcy_not_stated: z.boolean(),
    display_rounding_increment: z.int().min(1),
    rollover: z.object({minimum: count}),
    sba: z.object({minimum: count, maximum: count, down_payment_percent: byScore}),
    unsecured: z.object({amount: byScore}),
    portfolio_loan: portfolioLoanSchema,
    portfolio_loan_from: maybe(
      portfolioLoanSchema,
      'Stands in the place of `portfolio_loan`, for forms that know its minimum.',
    ),
  }),
);

const optionalTexts = z.record(z.string(), z.string()).exactOptional();

const contactLink = z.object({href: z.string(), text: z.string()});

export const embedConfigSchema = schemaOf<EmbedConfig>()(
  z.object({
    lead_types: z.array(z.enum(leadTypes)),
    minimums: z.partialRecord(amountPart, z.number()),
    consent: z
      .object({
        text: z
          .string()
          .describe(
            'With `lang`, it may have links, `[words](https://…)`, and `{button}`, the words of the last button. Without, it is plain text.',
          ),
        version: z.string().describe('Send it back with the lead: it names this very text.'),
        required: z.boolean().describe('Whether the visitor must tick a box.'),
        lang: maybe(z.string(), 'The language of the text.'),
      })
      .nullable(),
    colors: z.object({accent: z.string().exactOptional()}),
    next_step: optionalTexts.describe('By language. It may have `{phone}`.'),
    next_step_named: optionalTexts.describe(
      'The same with `{reference}` and `{first_name}`, of a partner whose text has one of them.',
    ),
    name: maybe(z.string(), 'The name that visitors know the partner by.'),
    contact: maybe(
      z.array(contactLink),
      'How visitors reach the partner: links that begin with `tel:` or `mailto:`, the number first.',
    ),
    about: maybe(
      z.object({
        ready: maybe(z.string(), 'Below the title, where the estimate is ready.'),
        logo: maybe(z.string(), "The https address of the partner's logo."),
        lines: z.array(
          z.object({
            name: z.enum(aboutLines),
            text: z.string(),
            lang: z.string().exactOptional(),
            link: contactLink.exactOptional(),
          }),
        ),
      }),
      'What the form says of the partner where it asks for the contact data, in its language.',
    ),
    cta: maybe(
      z.record(z.string(), z.object({label: z.string(), href: z.string()})),
      'The link below the result, by language, of a partner that has one.',
    ),
    estimate: maybe(
      figuresSchema,
      'The figures of the policy, of a partner that shows the total before the contact data.',
    ),
    ask: maybe(
      z.array(
        z.object({
          name: z.string(),
          choices: optionalTexts.describe(
            'The words of each choice, in the language of the form. Missing for a text.',
          ),
          label: maybe(z.string(), 'How the form names it, and asks for it, in the language of the form.'),
          question: maybe(z.string(), 'What the form asks, if that is not the label.'),
          max: maybe(z.int(), 'The characters of a text of several lines. One of one line has none.'),
          autocomplete: maybe(z.string(), 'As `autocomplete` in HTML.'),
          required: maybe(z.boolean(), 'Whether the form goes no further without an answer.'),
          step: maybe(z.literal('funds'), 'The step that asks, if it is not that of the contact data.'),
        }),
      ),
      'What the form asks for besides, of a partner that wants it. The lead may have these fields.',
    ),
    call_promise: optionalTexts.describe(
      'What the partner promises about its call, by language, of a partner that says it.',
    ),
    context_fields: maybe(
      z.array(z.string()),
      'The names that `context` may have, of a partner that lists some.',
    ),
    challenge: challengeSchema.nullable(),
  }),
);

const shortText = z.string().max(2_048);
/** A value that is not valid counts as missing: a lead is worth more than what is said beside it. */
const orNone = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

/** A separator of lines or paragraphs would begin a line in the notes of a lead-api, and look like another value. */
const oneLine = /^[^\u2028\u2029]*$/;
/** No `.regex()`, because a value that does not match is left out, so the document must not forbid it. */
const attributed = z
  .string()
  .refine((value) => attributionValue.test(value) && oneLine.test(value))
  .describe('Left out if it has more than 500 characters, or any that cannot be seen.');
const attributionSchema = z.object(tableOf(attributionKeys, () => orNone(attributed)));

const contextText = z
  .string()
  .trim()
  .refine((value) => contextValue.test(value))
  .describe('Left out if it has more than 200 characters or several lines, or any that cannot be seen.');
const contextSchema = z
  .record(z.string(), orNone(contextText))
  .describe('Hidden fields, by the names that the partner lists. Other names are ignored. No personal data.');

const proofSchema = z.object({
  challenge: challengeSchema,
  solution: z.object({counter: z.int().min(0).max(0xffffffff), derivedKey: hex}),
});

const consentSchema = z.object({
  version: shortText,
  agreed: z.boolean(),
  button: orNone(z.string()).describe('What the last button said.'),
  verbatim: orNone(z.boolean()).describe('Whether the words of the text stood there as it was given.'),
  in_view: orNone(z.boolean()).describe(
    'Whether the whole text was in the window at the press of the button.',
  ),
  width: orNone(z.int().min(1).max(100_000)).describe('The width of the window, in CSS pixels.'),
  slot: orNone(z.string()).describe('What the page itself showed beside the text.'),
  form: orNone(z.string()).describe('The version of the form.'),
});

/** A body without an object `lead` is not valid. Every other property is treated as missing if it is not valid. */
export const embedSubmissionSchema = schemaOf<EmbedSubmission>()(
  z.object({
    lead: z.record(z.string(), z.unknown()),
    partner: z
      .unknown()
      .optional()
      .meta({type: 'string', description: 'May be missing. Must be the partner that the address names.'}),
    consent: orNone(consentSchema),
    proof: orNone(proofSchema),
    trap: orNone(z.string()),
    lang: orNone(z.string().max(35).regex(languageTag)),
    elapsed_ms: orNone(z.number()),
    page: orNone(shortText.regex(/^[\x21-\x7e]*$/)),
    attribution: orNone(attributionSchema),
    opt_out_signal: orNone(z.enum(optOutSignals)),
    context: orNone(contextSchema),
    supersedes: orNone(z.object({id: shortText, token: shortText})),
  }),
);

const compiledSubmission = z.compile(embedSubmissionSchema);
/** Undefined when the body has no object `lead`. */
export const readSubmission = (body: unknown): EmbedSubmission | undefined =>
  compiledSubmission.safeParse(body).data;

export const listedVersionsSchema = schemaOf<ListedVersions>()(
  z.object({
    newest: z.string().nullable(),
    versions: z.array(
      z.object({
        version: z.string(),
        released: z.boolean(),
        integrity: z.record(z.string(), z.string()),
        withdrawn: z.string().exactOptional(),
        security: z.string().exactOptional(),
        fixed_in: z.string().exactOptional(),
      }),
    ),
    plugins: z
      .array(
        z.object({
          version: z.string(),
          released: z.boolean(),
          integrity: z.string(),
          security: z.string().exactOptional(),
          fixed_in: z.string().exactOptional(),
        }),
      )
      .exactOptional(),
    heights: z.object({
      steps: z.string(),
      'contact-first': z.string(),
      standard: z.string(),
      single: z.string(),
    }),
  }),
);

const isProblemCode = (name: string): name is ProblemCode => Object.hasOwn(problems, name);
const problemCodes = Object.keys(problems).filter(isProblemCode);

export const problemSchema = schemaOf<Problem>()(
  z.object({
    type: z.enum(problemCodes.map((code) => `${problemTypePrefix}${code}` as const)),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    errors: z
      .array(z.object({field: z.string(), code: z.enum(fieldErrorCodes), message: z.string()}))
      .exactOptional(),
  }),
);

/** As RFC 8037 writes keys of Ed25519, and OpenID Federation 1.0 those that are revoked. */
export const evidenceKeysSchema = z.object({
  keys: z.array(
    z.object({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string().describe('The thumbprint of the key (RFC 7638).'),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
      revoked: z
        .object({revoked_at: z.int(), reason: z.literal('compromised')})
        .exactOptional()
        .describe(
          'Somebody else may have the key: since `revoked_at`, in seconds since 1970, nothing that is signed with it proves anything.',
        ),
    }),
  ),
});
