/** The operations of both APIs as data, from which routes, `Allow` headers and the OpenAPI document are made. */
import type {RequestHandler, Router} from 'express';
import {z} from 'zod';
import {limits, paths} from '../../contract/api.ts';
import type {ProblemCode} from '../../contract/problems.ts';
import {leadSchema} from '../leads/lead-schema.ts';
import {methodNotAllowed} from './problem-replies.ts';
import {
  embedAnswerSchema,
  embedConfigSchema,
  embedSubmissionSchema,
  listedVersionsSchema,
  specifiedPrequalificationSchema,
} from './wire-schemas.ts';

type Parameter = {name: string; in: 'path' | 'query' | 'header'; required: boolean; description: string};

export type Operation = {
  method: 'get' | 'post';
  /** As Express writes it: `/json/leads/:id`. */
  path: string;
  summary: string;
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

/** The problems that any request may get. */
export const commonProblems = [
  'bad-request',
  'request-timeout',
  'expectation-failed',
  'headers-too-large',
  'internal',
  'shutting-down',
] as const satisfies readonly ProblemCode[];
/** The problems of requests with a path or a method that no operation has. */
export const elsewhereProblems = [
  'not-found',
  'method-not-allowed',
] as const satisfies readonly ProblemCode[];

const id: Parameter = {name: 'id', in: 'path', required: true, description: 'The id that the create gave.'};
const partner: Parameter = {
  name: 'partner',
  in: 'query',
  required: false,
  description: 'The partner attribute of the form.',
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
] as const;
const storeProblems = ['store-unavailable'] as const;
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
    summary: 'Create a lead',
    security: 'basic',
    parameters: [idempotencyKey(false)],
    body: {schema: leadSchema, example: {cid: '1001', ...exampleLead}},
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
    summary: 'Read what a lead pre-qualifies for',
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
    summary: 'What the form needs to know of its partner',
    security: 'none',
    parameters: [partner],
    success: {
      status: 200,
      description: 'The configuration.',
      body: embedConfigSchema,
    },
    problems: pageProblems,
  },
  embedCreate: {
    method: 'post',
    path: paths.embedLeads,
    summary: 'Create a lead from a page and read its result in one round trip',
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
    summary: 'Read the result of a lead with the token that its create gave',
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
    summary:
      'Which versions of the form there are, which is the newest, and which should not be used any more',
    security: 'none',
    parameters: [],
    success: {
      status: 200,
      description: 'The versions, the newest first.',
      body: listedVersionsSchema,
    },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

/** An operation and its handlers, whose type is `RequestHandler<never>` because each declares other path parameters. */
type Mounted = readonly [operation: Operation, ...handlers: RequestHandler<never>[]];

/**
 * Adds operations to a router, and refuses all other methods on their paths. No two operations may have the same path.
 * @param before handlers that run first, for any method, which includes the preflight requests (OPTIONS) of browsers
 */
export function mount(router: Router, mounted: readonly Mounted[], before: readonly RequestHandler[] = []) {
  for (const [{method, path}, ...handlers] of mounted) {
    const allowed = [
      ...(method === 'get' ? ['GET', 'HEAD'] : ['POST']),
      ...(before.length > 0 ? ['OPTIONS'] : []),
    ];
    const route = router.route(path);
    if (before.length > 0) route.all(...before);
    route[method](...(handlers as RequestHandler[]));
    route.all(methodNotAllowed(allowed.join(', ')));
  }
}
