/** The operations of both APIs as data, from which routes (mount.ts) and the OpenAPI document are made. */
import {z} from 'zod';
import {limits, paths} from '../../contract/api.ts';
import type {ProblemCode} from '../../contract/problems.ts';
import {callerLeadSchema} from '../leads/caller-consent.ts';
import {
  embedAnswerSchema,
  embedConfigSchema,
  embedSubmissionSchema,
  evidenceKeysSchema,
  listedVersionsSchema,
  specifiedPrequalificationSchema,
} from './wire-schemas.ts';

type Parameter = {name: string; in: 'path' | 'query' | 'header'; required: boolean; description: string};

/** The groups of operations in the document, and what they are for. */
export const tags = {
  callers:
    'For servers that create leads and read the amounts. Every request carries HTTP Basic credentials.',
  form: "For the form on partners' pages, and for those who embed it.",
} as const;

export type Operation = {
  method: 'get' | 'post';
  /** As Express writes it: `/json/leads/:id`. */
  path: string;
  tag: keyof typeof tags;
  summary: string;
  description: string;
  security: 'basic' | 'token' | 'none';
  parameters: readonly Parameter[];
  body?: {schema: z.ZodType; example: object};
  success: {
    status: 200 | 201;
    description: string;
    body: z.ZodType;
    headers?: Readonly<Record<string, {description: string; required: boolean}>>;
  };
  /** In addition to `commonProblems`. */
  problems: readonly ProblemCode[];
};

/** The problems that any request may get, and those with a method that the path does not have. */
export const commonProblems = [
  'bad-request',
  'request-timeout',
  'expectation-failed',
  'headers-too-large',
  'internal',
  'method-not-allowed',
  'shutting-down',
] as const satisfies readonly ProblemCode[];
/** The problem of requests with a path that no operation has. */
export const elsewhereProblem = 'not-found' satisfies ProblemCode;

const id: Parameter = {name: 'id', in: 'path', required: true, description: 'The id that the create gave.'};
const partner: Parameter = {
  name: 'partner',
  in: 'query',
  required: false,
  description:
    'The partner attribute of the form. Name it once. The first partner if it is missing or empty.',
};
const lang: Parameter = {
  name: 'lang',
  in: 'query',
  required: false,
  description:
    'The language of the form, such as `es-US`: texts come in it, with links. Without it, the consent is plain text in the first language of the partner.',
};
const {min, max} = limits.idempotencyKeyCharacters;
const idempotencyKey = (required: boolean): Parameter => ({
  name: 'Idempotency-Key',
  in: 'header',
  required,
  description: `${min} to ${max} visible ASCII characters. The same key with the same lead gives the same id again, for ${limits.idempotencyKeyHours} hours.`,
});

const bodyProblems = ['malformed-json', 'body-too-large', 'not-json', 'invalid-lead'] as const;
const keyProblems = [
  'idempotency-key-invalid',
  'idempotency-key-in-progress',
  'idempotency-key-reused',
  'lead-erased',
] as const;
const storeProblems = ['store-unavailable', 'lead-unreadable'] as const;
const callerProblems = ['unauthorized', 'too-many-requests'] as const;
const pageProblems = ['unknown-partner', 'origin-not-allowed', 'too-many-requests'] as const;

const exampleLead = {
  lead_type: 'prequalification',
  first_name: 'Ana',
  last_name: 'Silva',
  phone: '415-555-0132',
  email: 'ana@example.com',
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 120_000,
  cash: 20_000,
  investments: 0,
};

export const operations = {
  createLead: {
    method: 'post',
    path: paths.leads,
    tag: 'callers',
    summary: 'Create a lead',
    description:
      'The response is sent after the lead is committed to disk. A standard lead needs only the contact fields. If you may have to retry, send an Idempotency-Key.',
    security: 'basic',
    parameters: [idempotencyKey(false)],
    body: {schema: callerLeadSchema, example: {cid: '1001', ...exampleLead}},
    success: {
      status: 201,
      description: 'The lead is committed.',
      body: z.object({id: z.string()}),
      headers: {Location: {description: 'The address of the lead.', required: true}},
    },
    problems: [...callerProblems, ...bodyProblems, 'cid-not-allowed', ...keyProblems, ...storeProblems],
  },
  readLead: {
    method: 'get',
    path: `${paths.leads}/:id`,
    tag: 'callers',
    summary: 'Read what a lead pre-qualifies for',
    description:
      'The amounts are computed once, when the lead is created. A standard lead has none. The lead of another client gets the same response as a lead that does not exist.',
    security: 'basic',
    parameters: [id],
    success: {status: 200, description: 'Whole US dollars.', body: specifiedPrequalificationSchema},
    problems: [
      ...callerProblems,
      'not-found',
      'no-prequalification',
      'result-pending',
      'upstream-refused',
      ...storeProblems,
    ],
  },
  embedConfig: {
    method: 'get',
    path: paths.embedConfig,
    tag: 'form',
    summary: 'What the form needs to know of its partner',
    description:
      'The types of leads that the partner takes, its consent text and color, and a challenge of the proof of work if this server requires one.',
    security: 'none',
    parameters: [partner, lang],
    success: {status: 200, description: 'The configuration.', body: embedConfigSchema},
    problems: pageProblems,
  },
  embedCreate: {
    method: 'post',
    path: paths.embedLeads,
    tag: 'form',
    summary: 'Create a lead from a page and read its result in one round trip',
    description:
      'A consent is needed if the partner has a consent text, and a proof if the configuration has a challenge. Fields of the lead that the form does not ask for are ignored, except `partner`, which must be that of the address.',
    security: 'none',
    parameters: [partner, idempotencyKey(true)],
    body: {schema: embedSubmissionSchema, example: {lead: exampleLead}},
    success: {status: 201, description: 'The lead is committed.', body: embedAnswerSchema},
    problems: [
      ...pageProblems,
      ...bodyProblems,
      'lead-type-not-allowed',
      'consent-outdated',
      'proof-needed',
      ...keyProblems,
      ...storeProblems,
    ],
  },
  embedRead: {
    method: 'get',
    path: `${paths.embedLeads}/:id`,
    tag: 'form',
    summary: 'Read the result of a lead with the token that its create gave',
    description: `The token is valid for ${limits.tokenDays} days. While the status is pending, ask again after the time in Retry-After.`,
    security: 'token',
    parameters: [partner, id],
    success: {
      status: 200,
      description: 'As it stands now.',
      body: embedAnswerSchema,
      headers: {'Retry-After': {description: 'Seconds, while the lead is pending.', required: false}},
    },
    problems: [...pageProblems, 'not-found', ...storeProblems],
  },
  embedVersions: {
    method: 'get',
    path: paths.embedVersions,
    tag: 'form',
    summary:
      'Which versions of the form there are, which is the newest, and which should not be used any more',
    description: 'For webmasters who pin a version of the form by its hash, and for their tools.',
    security: 'none',
    parameters: [],
    success: {
      status: 200,
      description: 'The versions, the highest number first.',
      body: listedVersionsSchema,
    },
    problems: [],
  },
  evidenceKeys: {
    method: 'get',
    path: paths.evidenceKeys,
    tag: 'callers',
    summary: 'The public keys of all statements about consents that were ever signed here',
    description: 'For whoever verifies a statement. Its `kid` says which of the keys it is.',
    security: 'none',
    parameters: [],
    success: {status: 200, description: 'A JSON Web Key Set (RFC 7517).', body: evidenceKeysSchema},
    problems: ['store-unavailable'],
  },
} as const satisfies Record<string, Operation>;
