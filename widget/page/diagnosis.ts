/** Finds out why the server does not serve this page, and says what to correct. */
import {paths} from '../../contract/api.ts';
import {say} from './advice.ts';
import {applyPage, type Server} from './apply-page.ts';
import {isNative, Promise} from './builtins.ts';

/** What is wrong, and what the webmaster or the operator can do about it. */
export type Finding = {
  readonly wrong: string;
  readonly fix: string;
  /** The browser blocks the requests of this page, so that the apply page is the way on. */
  readonly refusal?: 'page';
};

/** The origin of an opaque frame. It could be any page, so the server refuses it. */
export const isOpaque = (): boolean => origin === 'null';

/** By the code of a problem of the server. */
const refusals: Readonly<Record<string, (server: Server) => Finding>> = {
  'unknown-partner': ({partner}) => ({
    wrong: `There is no partner "${partner}".`,
    fix: 'Correct the "partner" attribute, or add this partner on the server.',
  }),
  'origin-not-allowed': ({partner}) => ({
    wrong: `${globalThis.origin} is not among the origins of "${partner}".`,
    fix: `Add ${globalThis.origin} to the origins of "${partner}" on the server.`,
  }),
  'lead-type-not-allowed': ({partner}) => ({
    wrong: `"${partner}" does not take leads of this type.`,
    fix: 'Set the "lead-type" attribute to a type that this partner may use, or allow it on the server.',
  }),
  'bad-answer': ({origin}) => ({
    wrong: `${origin} does not answer as a lead server does.`,
    fix: 'Correct the "endpoint" attribute, which begins with https://, or look for a firewall or a proxy that answers in its place.',
  }),
  'proof-needed': () => ({
    wrong: 'The browser cannot compute the proof of work on this page.',
    fix: 'Serve the page over https, or let the operator set proof_of_work to 0.',
  }),
};

/** What the form uses of the browser to send, as it is on the page. All else it takes from elsewhere (native.ts). */
const used = () => ({
  AbortController,
  CustomEvent,
  JSON,
  Uint8Array,
  addEventListener,
  crypto,
  fetch,
  setTimeout,
});

/** Scripts that measure a page wrap functions of the browser in functions of their own, which the form can use. */
const isWrapper = (value: unknown) => typeof value === 'function' && !/^class/.test(String(value));

/** The page has something of its own under names that the form uses. */
function whatThePageReplaces(): Finding | undefined {
  const replaced = Object.entries(used()).filter(([, value]) => !isNative(value) && !isWrapper(value));
  const names = replaced.map(([name]) => name).join(', ');
  return names
    ? {
        wrong: `The form does not work on this page, which replaces ${names} with something of its own.`,
        fix: 'Give that another name.',
      }
    : undefined;
}

/**
 * Says in the console why the form does not work, as far as a webmaster can do something about it.
 *
 * @param code a problem code, `network`, or `page` if a script of the page is the reason
 * @returns `page` if the browser blocks the requests of this page
 */
export async function explain(code: string, server: Server): Promise<'page' | undefined> {
  const finding = code === 'page' ? whatThePageReplaces() : await diagnose(code, server);
  if (!finding) return undefined;
  const {wrong, fix, refusal} = finding;
  const refused = `${server.origin} does not take leads of partner "${server.partner}" from ${globalThis.origin} (${code}). `;
  say(`${code === 'page' ? '' : refused}${wrong} ${fix}`);
  return refusal;
}

/**
 * @param code of a problem of the server, or `network` if there was no answer
 * @returns nothing if no webmaster can do anything about it
 */
export async function diagnose(code: string, server: Server): Promise<Finding | undefined> {
  if (code === 'network') return whyNoAnswer(server);
  return Object.hasOwn(refusals, code) ? refusals[code]?.(server) : undefined;
}

/**
 * Browsers tell a page only that a request failed. A page whose origin is refused cannot read the refusal either if it comes
 * from a server before 1.6, so to the form that looks as if the server did not answer.
 */
async function whyNoAnswer(server: Server): Promise<Finding> {
  const {origin, partner} = server;
  if (location.protocol === 'file:') {
    return {
      wrong: 'The page is a file on this computer, and has no origin that could be listed.',
      fix: 'Open it from a web server, such as that of your site builder.',
    };
  }
  if (isOpaque()) {
    return {
      wrong: 'The form is in a sandboxed frame, whose origin is "null".',
      fix: `Add allow-same-origin to the sandbox of the frame, put the form into the page itself, or link to ${applyPage(server)}.`,
    };
  }
  if (location.protocol === 'https:' && origin.startsWith('http:')) {
    return {
      wrong: 'The page has https, and the server http. Browsers block such requests (mixed content).',
      fix: `Use the address of the server that begins with https:// instead of ${origin}.`,
      refusal: 'page',
    };
  }
  const {blockedBy, hasAnswered} = await tryToReach(origin);
  if (blockedBy) {
    return {
      wrong: `The content security policy of the page blocks requests to ${origin} (${blockedBy}).`,
      fix: `Add ${origin} to connect-src.`,
      refusal: 'page',
    };
  }
  const list = `${globalThis.origin} to the origins of "${partner}" on the server.`;
  return hasAnswered
    ? {wrong: `${origin} does not list the origin ${globalThis.origin}.`, fix: `Add ${list}`}
    : {
        wrong: `${origin} does not answer, or does not list the origin ${globalThis.origin}.`,
        fix: `Correct the "endpoint" attribute, or add ${list}`,
      };
}

/**
 * Asks the server for something that every page may read. If the policy of the page blocks that, the browser says so in an
 * event.
 */
async function tryToReach(origin: string): Promise<{blockedBy: string | undefined; hasAnswered: boolean}> {
  let blockedBy: string | undefined;
  const note = ({effectiveDirective, blockedURI}: SecurityPolicyViolationEvent) => {
    if (blockedURI.startsWith(origin)) blockedBy = effectiveDirective;
  };
  addEventListener('securitypolicyviolation', note);
  const hasAnswered = await answers(`${origin}${paths.embedVersions}`);
  // The event may come after the refusal of the request, on a busy machine some time after it.
  for (let turn = 0; turn < 20 && !hasAnswered && !blockedBy; turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  removeEventListener('securitypolicyviolation', note);
  return {blockedBy, hasAnswered};
}

/** The page may have replaced `fetch` by one that throws, or that returns nothing. */
async function answers(address: string): Promise<boolean> {
  try {
    return Boolean(await fetch(address, {credentials: 'omit', referrerPolicy: 'no-referrer'}));
  } catch {
    return false;
  }
}
