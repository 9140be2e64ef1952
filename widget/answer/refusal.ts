/** What the page's webmaster reads in the console when the server does not serve this page. */
import type {Place} from './types.ts';

const fixes: Readonly<Record<string, (place: Place) => string>> = {
  'unknown-partner': () =>
    'Correct the "partner" attribute, or add this partner to the configuration of the server.',
  'origin-not-allowed': ({partner}) =>
    `Add ${location.origin} to the origins of "${partner}" in the configuration of the server.`,
  'lead-type-not-allowed': () =>
    'Set the "lead-type" attribute to a type that this partner may use, or allow the type on the server.',
  'proof-needed': () => 'Serve the page over https, or set PROOF_OF_WORK=0 on a server for development.',
  // A browser does not let a page read why it was refused: the answer looks like no answer at all.
  network: ({partner}) =>
    `Check the "endpoint" attribute, and that ${location.origin} is one of the origins of "${partner}" there.`,
};

/** @param code a problem code, or `network` */
export function explainRefusal(code: string, place: Place) {
  const fix = fixes[code];
  if (!fix) return;
  console.error(
    `<lead-prequal-form>: ${place.endpoint} does not take leads of partner "${place.partner}" from ${location.origin} (${code}). ${fix(place)}`,
  );
}
