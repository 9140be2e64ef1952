/** What goes over the wire besides the lead itself: paths, answers, reasons and problems. */

export const paths = {
  leads: '/json/leads',
  embed: '/embed/v1',
  embedConfig: '/embed/v1/config',
  embedLeads: '/embed/v1/leads',
  live: '/livez',
  ready: '/readyz',
  health: '/health',
  openapi: '/openapi.json',
  docs: '/docs',
} as const;

/** The file that partners embed, and the element it defines. */
export const elementName = 'lead-prequal-form';

export const limits = {
  /** Of a request's body. */
  bodyBytes: 16_384,
  /** Of the JSON in it: nesting, and keys and list items in all. */
  bodyDepth: 16,
  bodyEntries: 256,
  idempotencyKeyCharacters: {min: 16, max: 128},
  idempotencyKeyHours: 24,
  /** How long a browser may read the result of its lead. */
  tokenDays: 7,
} as const;

/** The four parts of the total, in the order in which they are shown. */
export const amountParts = [
  'rollover_amount',
  'sba_qualified_amount',
  'unsecured_amount',
  'portfolio_loan_qualified_amount',
] as const;
export type AmountPart = (typeof amountParts)[number];
export const totalAmount = 'total_qualified_amount';

/** Whole US dollars, never negative. */
export type Amounts = Record<AmountPart | typeof totalAmount, number>;

/** The answer to `GET /json/leads/:id`: these six fields and nothing else. */
export type Prequalification = {first_name: string} & Amounts;

/**
 * Why an amount is what it is.
 * - `below_minimum`: what the lead brings is less than the smallest amount of this kind
 * - `credit_score`, `bankruptcy`: these rule it out
 * - `nothing_to_borrow_against`: no funds of the kind that would secure it
 * - `assumes_no_bankruptcy`: the lead did not say; the amount holds if there is none
 */
export type Reason =
  'below_minimum' | 'credit_score' | 'bankruptcy' | 'nothing_to_borrow_against' | 'assumes_no_bankruptcy';
export type Reasons = Partial<Record<AmountPart, Reason>>;

/** `done`: answered for good. `pending`: the upstream was not reached yet. `refused`: it never will take it. */
export type LeadStatus = 'done' | 'pending' | 'refused';

/** `POST /embed/v1/leads` and `GET /embed/v1/leads/:id`. A standard lead has no pre-qualification. */
export type EmbedAnswer = {
  id: string;
  token: string;
  status: LeadStatus;
  prequalification: Prequalification | null;
  reasons: Reasons;
};

/** Shown before sending. Text and version are stored with the lead. */
export type ConsentText = {text: string; version: string; required: boolean};

/** A challenge of the proof of work, as altcha-lib makes it: find the counter whose derived key has the prefix. */
export type Challenge = {
  parameters: {
    algorithm: string;
    /** Hex. */
    nonce: string;
    /** Hex. */
    salt: string;
    /** PBKDF2 rounds of one derivation. */
    cost: number;
    /** Bytes. */
    keyLength: number;
    /** Hex. */
    keyPrefix: string;
    /** Seconds since 1970. */
    expiresAt?: number;
  };
  signature?: string;
};

/** `GET /embed/v1/config`. */
export type EmbedConfig = {
  lead_types: readonly string[];
  /** The smallest amount of each kind, for the sentence that explains `below_minimum`. */
  minimums: Partial<Record<AmountPart, number>>;
  consent: ConsentText | null;
  colors: {accent?: string};
  /** Null where no proof is asked for. */
  challenge: Challenge | null;
};

/**
 * Where a visitor came from: the parameters by which campaigns and clicks are told apart, the page before, and
 * the first page of the visit. Pages are shortened by `pageAddress`.
 */
export const attributionKeys = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'fbclid',
  'msclkid',
  'ttclid',
  'twclid',
  'li_fat_id',
  'referrer',
  'landing_page',
] as const;
export type AttributionKey = (typeof attributionKeys)[number];
export type Attribution = Partial<Record<AttributionKey, string>>;

/** Anything else is left out rather than cut: half of a click's id is worth nothing. */
export const attributionValue = /^\P{C}{1,500}$/u;

/** `POST /embed/v1/leads`. Everything but the lead may be missing; what the partner asks for may not. */
export type EmbedSubmission = {
  lead: Record<string, unknown>;
  consent?: {version: string; agreed: boolean};
  /** The challenge as it came, and its solution. */
  proof?: {challenge: Challenge; solution: {counter: number; derivedKey: string}};
  /** A field no person sees; what is in it was written by a machine, or by autofill. */
  trap?: string;
  /** Milliseconds from the first touch to sending. */
  elapsed_ms?: number;
  /** What does not fit is left out; it is no reason to refuse a lead. */
  attribution?: Attribution | undefined;
  /** The page, for the record of the consent; shortened by `pageAddress`. */
  page?: string;
  /** The lead that this one corrects, and the token that proves it is theirs. */
  supersedes?: {id: string; token: string};
};

/** Every way to say no: the last part of a problem's `type`, its status and its title (RFC 9457). */
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
  'upstream-refused': [502, 'The lead was refused upstream'],
  'result-pending': [503, 'The result is not there yet'],
  'store-unavailable': [503, 'The lead cannot be stored right now'],
  'shutting-down': [503, 'The service is restarting'],
} as const satisfies Record<string, readonly [status: number, title: string]>;
export type ProblemCode = keyof typeof problems;

export const problemTypePrefix = 'urn:lead-prequal:problem:';

/** The body of every error: `application/problem+json`. */
export type Problem = {
  type: `${typeof problemTypePrefix}${ProblemCode}`;
  title: string;
  status: number;
  detail: string;
  errors?: {field: string; code: string; message: string}[];
};
