/**
 * The policy that pages with Trusted Types allow by its name, `lead-prequal`; the build has Lit use it as well. It
 * is made when it is first needed: a second copy of the script on the page renders nothing, and may not make it
 * again.
 */
import type {TrustedTypePolicyFactory} from 'trusted-types/lib/index.js';

const rules = {createHTML: (html: string) => html, createScriptURL: (url: string) => url};
let policy: typeof rules | undefined;

function made() {
  const {trustedTypes} = globalThis as {trustedTypes?: TrustedTypePolicyFactory};
  // An element of the page may have this name, too.
  policy ??= (trustedTypes?.createPolicy?.('lead-prequal', rules) as typeof rules | undefined) ?? rules;
  return policy;
}

export const trusted: typeof rules = {
  createHTML: (html) => made().createHTML(html),
  createScriptURL: (url) => made().createScriptURL(url),
};
