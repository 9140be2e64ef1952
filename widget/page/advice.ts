/** Tells the webmaster, in the console, what to correct on the page or on the server. */
import type {Server} from './apply-page.ts';
import {URL} from './builtins.ts';
import {safeDocument} from './safe-document.ts';
import {safeLink} from './safe-link.ts';

/** What the console has already: the form renders and sends often, and says each sentence only once. */
const alreadySaid = new Set<string>();

export function say(sentence: string) {
  if (alreadySaid.has(sentence)) return;
  alreadySaid.add(sentence);
  console.error(`<lead-prequal-form>: ${sentence}`);
}

/** @returns the address that the page names in an attribute, if it is safe to link to. If not, the console says why */
export function checkedLink(attribute: string, address: string | undefined): string | undefined {
  const href = address && safeLink(address);
  if (address && !href) explainLink(attribute, address);
  return href;
}

/** @returns the address in `thanks-href`, if it is on the page's own site. If not, the console says so */
export function thanksAddress(element: Element): URL | undefined {
  const address = element.getAttribute('thanks-href');
  const href = address && safeLink(address);
  const url = href ? new URL(href) : undefined;
  if (url?.origin === location.origin) return url;
  if (address)
    say(
      `The visitor stays here after the form, because thanks-href="${address}" is not on the site of this page. Use a path of it, such as /thanks.`,
    );
  return undefined;
}

function explainLink(attribute: string, address: string) {
  let problem = 'it is not a valid address';
  try {
    problem = `${new URL(address, safeDocument.baseURI).protocol} is not allowed`;
  } catch {
    // It cannot be parsed.
  }
  say(
    `There is no link for ${attribute}="${address}", because ${problem}. Use an address that begins with https://, or a path of your own site, such as /privacy.`,
  );
}

/** The link below the result needs both attributes, and this one is missing. */
export const explainPair = (missing: string) =>
  say(`The page has no link below the result: set ${missing}, too.`);

export const explainOpen = () => say('open() needs the attribute presentation="dialog".');

/** A hidden field is not sent: the partner does not list its name, or its value is not allowed. */
export const explainContext = (name: string, isListed: boolean) =>
  say(
    `The hidden field "${name}" is not sent: ${isListed ? 'its value must be one line of at most 200 characters' : 'the partner does not list it in context_fields'}.`,
  );

/** What is known of the server, and the later file that finds out what is wrong. */
export type Diagnosable = Server & {
  readonly debug: () => Promise<{explain: (code: string, server: Server) => Promise<'page' | undefined>}>;
};

/** Finds out why sending failed, and says in the console what a webmaster can do about it. @param code see `diagnose` */
export const explainRefusal = (code: string, server: Diagnosable) =>
  server.debug().then(
    ({explain}) => explain(code, server),
    () => {},
  );
