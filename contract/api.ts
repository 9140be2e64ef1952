/** Paths, limits, and the name of the element. */

export const paths = {
  leads: '/json/leads',
  embed: '/embed/v1',
  embedConfig: '/embed/v1/config',
  embedLeads: '/embed/v1/leads',
  live: '/livez',
  ready: '/readyz',
  health: '/health',
  openapi: '/openapi.json',
  leadEventSchema: '/schemas/lead-event-v1.json',
  docs: '/docs',
} as const;

/** The name of the element, and of the file that defines it. */
export const elementName = 'lead-prequal-form';

export const limits = {
  /** The maximum bytes of a request's body. */
  bodyBytes: 16_384,
  /** The maximum levels of nesting of the body's JSON. */
  bodyDepth: 16,
  /**
   * The maximum number of keys or list items of a flat body. The server counts commas, so a nested body may have more.
   */
  bodyEntries: 256,
  idempotencyKeyCharacters: {min: 16, max: 128},
  idempotencyKeyHours: 24,
  /** How long a browser may read the result of its lead. */
  tokenDays: 7,
} as const;
