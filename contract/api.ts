/** Paths, limits, and the names of the element and its files. */

export const paths = {
  leads: '/json/leads',
  embed: '/embed/v1',
  embedConfig: '/embed/v1/config',
  embedLeads: '/embed/v1/leads',
  embedVersions: '/embed/versions.json',
  snippets: '/embed/snippets',
  apply: '/apply',
  live: '/livez',
  ready: '/readyz',
  health: '/health',
  evidenceKeys: '/.well-known/lead-prequal/keys.json',
  openapi: '/openapi.json',
  leadEventSchema: '/schemas/lead-event-v1.json',
  businessFileSchema: '/schemas/lead-prequal.json',
  docs: '/docs',
} as const;

export const elementName = 'lead-prequal-form';

/** The first file of the form, as a module. */
export const moduleFile = `${elementName}.js`;
/** Its classic twin: the same form as a plain script, for tag managers and other tools that do not run modules. */
export const classicFile = `${elementName}.classic.js`;
/**
 * The files of a version that a page may name in its script tag. 1.0.0 has only the module. The hash of such a file also
 * pins all later files.
 */
export const firstFiles: readonly string[] = [moduleFile, classicFile];
/** The plugin for WordPress, which is a file of each version from 1.5.0 on. */
export const wordpressPlugin = 'lead-prequal-wordpress.zip';

/** The npm package of a release. Its name has no version, because the address has one. */
export const packageFile = 'lead-prequal.tgz';

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
