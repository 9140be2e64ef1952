/** What the check of a partner's page can find. */
import type {ListedVersions} from '../../contract/versions.ts';
import type {Partner} from '../config/partners.ts';

export const findingCodes = [
  'origin-invalid',
  'origin-null',
  'origin-not-listed',
  'unknown-partner',
  'no-script',
  'no-form',
  'form-not-closed',
  'script-inert',
  'script-elsewhere',
  'script-address-invalid',
  'script-twice',
  'wrong-hash',
  'no-crossorigin',
  'wrong-crossorigin',
  'module-as-classic',
  'unknown-version',
  'unknown-file',
  'withdrawn-version',
  'old-version',
  'mixed-content',
  'endpoint-elsewhere',
  'no-height',
  'policy-blocks-script',
  'policy-blocks-later-files',
  'policy-blocks-requests',
  'policy-blocks-style',
  'policy-blocks-trusted-types',
  'policy-blocks-frame',
  'policy-sandboxes-page',
  'frame-sandboxed',
] as const;

/** `wrong` and `fix` are sentences for the operator and the webmaster. */
export type Finding = {code: (typeof findingCodes)[number]; wrong: string; fix: string};

/** What is known of the server. */
export type Service = {publicUrl: string; partners: readonly Partner[]; versions: ListedVersions};

/** @param page an address on the origin of the page */
export function mixedContent(what: string, url: URL, page: URL, publicUrl: string): Finding[] {
  if (page.protocol !== 'https:' || url.protocol !== 'http:') return [];
  return [
    {
      code: 'mixed-content',
      wrong: `${what} has an address with http://, and the page has https://: browsers block it (mixed content).`,
      fix: publicUrl.startsWith('https:')
        ? `Use ${publicUrl}.`
        : 'Put the server behind a proxy with TLS, and set PUBLIC_URL to its https:// address.',
    },
  ];
}

/** What the form cannot do without: to run, and to have an origin that the server can know. */
const neededInSandbox = ['allow-scripts', 'allow-same-origin'];

/** @param allowed what the sandbox allows; undefined if there is none */
export function missingInSandbox(allowed: readonly string[] | undefined): string[] {
  const given = allowed?.map((each) => each.toLowerCase());
  return given === undefined ? [] : neededInSandbox.filter((each) => !given.includes(each));
}
