/** Who may come to the operators' pages: nothing is told, and nothing changed, without a session and from other sites. */
import type {Request, RequestHandler, Response} from 'express';
import {html} from '../html/html.ts';
import {digestOf, type OperatorStore} from '../leads/operators.ts';
import {gate} from './layout.ts';
import {goTo, isLocalPath, pageBefore, sendFailure, sendPage} from './replies.ts';
import type {Seen} from './visit.ts';

/** Browsers take a cookie with this prefix only over TLS, and only from this very host. */
const cookieName = '__Host-operator';
const cookie = new RegExp(`(?:^|; )${cookieName}=([\\w-]{43})(?:;|$)`);
const attributes = {httpOnly: true, secure: true, sameSite: 'strict', path: '/'} as const;

/** The secret of the session, as far as the browser has sent one. */
export const secretIn = (request: Pick<Request, 'get'>): string | undefined =>
  cookie.exec(request.get('Cookie') ?? '')?.[1];

/** @param maxAge in milliseconds */
export const setSecret = (response: Response, secret: string, maxAge: number): void =>
  void response.cookie(cookieName, secret, {...attributes, maxAge});

/**
 * There is nothing else to clear: the pages store nothing, and browsers may keep none of them (`no-store`). Clear-Site-Data
 * would take browsers seconds.
 */
export const clearBrowser = (response: Response): void => void response.clearCookie(cookieName, attributes);

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types pages',
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  // With `no-referrer`, browsers would write `null` for the Origin of our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex',
};

const methods = ['GET', 'HEAD', 'POST'];

/** Headers of Chromium and the standard, of older browsers, of older Firefox, and of Safari. */
const earlyHeaders = ['Sec-Purpose', 'Purpose', 'X-Moz', 'X-Purpose'];
/** Whether a browser asks for a page that nobody has opened yet, such as while somebody types an address. */
const isEarly = (request: Request) =>
  earlyHeaders.some((name) => /prefetch|preview/i.test(request.get(name) ?? ''));

/** Whether a page made the request, of this origin or of another one, for something that is no page of its own. */
const isPartOfPage = (request: Request, site: string | undefined) =>
  site !== undefined &&
  site !== 'same-origin' &&
  site !== 'none' &&
  !(request.get('Sec-Fetch-Mode') === 'navigate' && request.get('Sec-Fetch-Dest') === 'document');

/**
 * The values of the Host header that are ours. Some reverse proxies leave the port out, and some write the usual one. A name
 * that somebody else's DNS leads here is none of ours, and its pages would be of the same origin.
 */
function hostsOf(origin: string): string[] {
  const {hostname, port, protocol} = new URL(origin);
  return [hostname, `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`];
}

/**
 * Whether a form was sent by a page of ours. If a reverse proxy adds `Referrer-Policy: no-referrer`, the Origin of our own
 * forms is `null`, like that of a page in a sandbox. Only Sec-Fetch-Site, which no page can change, tells them apart.
 */
function isOwnForm(request: Request, origin: string, site: string | undefined): boolean {
  const sender = request.get('Origin');
  if (site === undefined) return sender === origin;
  return site === 'same-origin' && [origin, 'null', undefined].includes(sender);
}
const notOwnForm =
  'Only these pages themselves can change something. If you did press a button here, ask whoever runs the reverse proxy: it must send no Referrer-Policy of its own, and leave the headers Origin and Sec-Fetch-Site as they are.';

/** What each request must be, whoever sends it. @param origin that of `ADMIN_URL` */
export function guard(origin: string): RequestHandler {
  const hosts = hostsOf(origin);
  return (request, response, next) => {
    response.set(headers);
    const site = request.get('Sec-Fetch-Site');
    const refuse = (status: number, title: string, text: string) =>
      sendFailure(request, response, {status, title, text});
    if (!hosts.includes(request.get('Host') ?? ''))
      return refuse(421, 'Another address', 'These pages are at the address that ADMIN_URL says.');
    if (!methods.includes(request.method)) {
      response.set('Allow', methods.join(', '));
      return refuse(405, 'That cannot be done', `Use ${methods.join(', ')}.`);
    }
    if (request.method === 'POST') {
      if (!isOwnForm(request, origin, site)) return refuse(403, 'Not from here', notOwnForm);
    } else if (isPartOfPage(request, site))
      return refuse(403, 'Not from here', 'Other sites can only link to these pages.');
    // Nobody may ever see the page, so it is no look. Browsers keep no errors, and ask again when somebody opens it.
    else if (isEarly(request)) return void response.status(503).end();
    next();
  };
}

/** Whether a link of another site leads to the page: the browser says so, or `session` has marked the address. */
export const isLinked = (request: Request): boolean =>
  ['cross-site', 'same-site'].includes(request.get('Sec-Fetch-Site') ?? '') ||
  request.query['linked'] !== undefined;

/**
 * Lets only those pass who are signed in, as `seenIn` says afterwards. All others learn nothing, not even which paths there
 * are.
 */
export const session =
  (store: () => Pick<OperatorStore, 'session'>): RequestHandler =>
  async (request, response, next) => {
    const secret = secretIn(request);
    const isPost = request.method === 'POST';
    // A form is sent to an address that mostly is no page, so the way back leads to the page on which it stands.
    const page = (isPost && pageBefore(request)) || request.originalUrl;
    const to = isLocalPath(page) ? page : '/';
    if (secret === undefined && !isPost && request.get('Sec-Fetch-Site') === 'cross-site') {
      // The browser keeps the cookie back if a link of another site leads here, such as one in an e-mail. It sends it to
      // the next page, because then this page leads there. It goes on by itself, for the sake of e-mails. The mark says in
      // the audit that perhaps the other site has opened the page, and not the operator.
      const marked = `${to}${to.includes('?') ? '&' : '?'}linked=1`;
      const again = html`<meta http-equiv="refresh" content="0;url=${marked}" />`;
      const link = html`<a class="btn" href="${marked}">Go on</a>`;
      return sendPage(request, response, gate('Leads', link, again));
    }
    const seen = secret === undefined ? undefined : await store().session(digestOf(secret), Date.now());
    if (!seen)
      return goTo(response, `/sign-in?next=${encodeURIComponent(to)}${isPost ? '&unchanged=1' : ''}`);
    response.locals['seen'] = seen satisfies Seen;
    next();
  };

export const seenIn = (response: Response): Seen => response.locals['seen'] as Seen;
