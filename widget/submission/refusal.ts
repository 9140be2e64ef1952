/** What the page's webmaster reads in the console when the server does not serve this page. */
import {own} from './own.ts';
import type {Endpoint} from '../fields/form-host.ts';

const fixes: Readonly<Record<string, (endpoint: Endpoint) => string>> = {
  'unknown-partner': () => 'Correct the "partner" attribute, or add this partner on the server.',
  'origin-not-allowed': ({partner}) => `Add ${location.origin} to the origins of "${partner}" on the server.`,
  'lead-type-not-allowed': () =>
    'Set the "lead-type" attribute to a type that this partner may use, or allow it on the server.',
  'proof-needed': () => 'Serve the page over https, or set PROOF_OF_WORK=0 on the server.',
  // A browser does not let a page read why it was refused: the answer looks like no answer at all.
  network: ({partner}) =>
    `Correct the "endpoint" attribute, or add ${location.origin} to the origins of "${partner}" on the server.`,
};

/** @param code a problem code, or `network` */
export function explainRefusal(code: string, endpoint: Endpoint) {
  const fix = own(fixes, code);
  if (!fix) return;
  console.error(
    `<lead-prequal-form>: ${endpoint.origin} does not take leads of partner "${endpoint.partner}" from ${location.origin} (${code}). ${fix(endpoint)}`,
  );
}
