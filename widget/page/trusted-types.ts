/**
 * The Trusted Types policy of the form, for its own code and for Lit (lit-globals.ts). Pages with Trusted Types allow
 * it by its name, `lead-prequal`. It is created when it is first needed: if the page contains the script twice, the
 * second copy renders nothing and so does not try to create the same policy again, which would throw.
 */
import type {TrustedTypePolicyFactory} from 'trusted-types/lib/index.js';

const rules = {createHTML: (html: string) => html, createScriptURL: (url: string) => url};
let policy: typeof rules | undefined;

function getPolicy() {
  const {trustedTypes} = globalThis as {trustedTypes?: TrustedTypePolicyFactory};
  // In a browser without Trusted Types, `trustedTypes` may be an element of the page that has this id.
  policy ??= (trustedTypes?.createPolicy?.('lead-prequal', rules) as typeof rules | undefined) ?? rules;
  return policy;
}

export const trusted: typeof rules = {
  createHTML: (html) => getPolicy().createHTML(html),
  createScriptURL: (url) => getPolicy().createScriptURL(url),
};
