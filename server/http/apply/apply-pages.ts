/** Serves the apply pages of partners. They run under a strict policy, and only the partner may frame them. */
import {createHash} from 'node:crypto';
import {Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response} from 'express';
import {moduleFile, paths} from '../../../contract/api.ts';
import type {Partner} from '../../config/partners.ts';
import type {Html} from '../../html/html.ts';
import {pageLanguages} from '../../snippets/words.ts';
import {pinnedFile, type EmbedVersion} from '../../versions/embed-versions.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {methodNotAllowed, ProblemError} from '../problem-replies.ts';
import {queryText, type Query} from '../query.ts';
import {applyPage, noticePage, themes, type FormScript} from './apply-page.ts';
import {pageAssets} from './page-assets.ts';

type Parts = {
  /** An address that names no partner leads to the first. */
  partners: readonly [Partner, ...Partner[]];
  publicUrl: string;
  /** The newest version of the form, if there is any. */
  version: EmbedVersion | undefined;
  unknownPartners: FailureLimit;
};

/** Everything comes from this server. Nothing inline runs, and texts cannot become scripts (Trusted Types). */
const policy = (origins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    // A wildcard covers every subdomain here, and only one label in the list of origins.
    ["frame-ancestors 'self'", ...origins].join(' '),
    'trusted-types lead-prequal',
    "require-trusted-types-for 'script'",
  ].join('; ');

/** The address has no origin, because the page belongs to the server. */
function scriptOf(version: EmbedVersion): FormScript {
  const {src, integrity} = pinnedFile('', version, moduleFile);
  return {address: src, integrity};
}

/** The language that the address asks for, or else the one that the browser prefers. */
function languageOf(request: Request) {
  const {lang} = request.query;
  const [asked] = typeof lang === 'string' ? lang.toLowerCase().split('-') : [];
  const preferred = request.acceptsLanguages(pageLanguages);
  return pageLanguages.find((tag) => tag === asked) ?? pageLanguages.find((tag) => tag === preferred) ?? 'en';
}

function send(response: Response, page: Html, origins: readonly string[]) {
  // The policy says who may frame the page. Browsers that know it ignore this older header, which would forbid it.
  response.removeHeader('X-Frame-Options');
  response
    .set({'Content-Security-Policy': policy(origins), Vary: 'Accept-Language, Sec-Fetch-Dest'})
    .type('html')
    .send(page.text);
}

/** Tells people in words that too many wrong addresses were opened. Programs get problems in JSON everywhere else. */
const refusedPage: ErrorRequestHandler = (error: unknown, request, response, next) => {
  if (!(error instanceof ProblemError) || error.code !== 'too-many-requests') return next(error);
  response.status(429).set(error.extras.headers ?? {});
  send(response, noticePage(languageOf(request), 'tooMany'), []);
};

export function applyPages({partners, publicUrl, version, unknownPartners}: Parts): Router {
  const router = Router({caseSensitive: true});
  const byKey = new Map(partners.map((partner) => [partner.key, partner]));
  const script = version && scriptOf(version);

  const apply: RequestHandler<{partner: string}> = (request, response) => {
    const partner = byKey.get(request.params.partner);
    const language = languageOf(request);
    if (!partner) {
      unknownPartners.fail(request);
      send(response.status(404), noticePage(language, 'notFound'), []);
      return;
    }
    request.partner = partner;
    const place = request.get('Sec-Fetch-Dest');
    const framed = place === 'iframe' || place === 'frame';
    const asked = themes.find((theme) => theme === request.query['theme']);
    const visit = {
      language,
      // Most pages around a frame are light whatever the visitor's device prefers.
      theme: asked ?? (framed ? 'light' : 'auto'),
      framed,
      // Old browsers, and all of them on plain HTTP, do not say where the page is shown.
      mayBeFramed: place !== 'document',
      query: request.query as Query,
    } as const;
    const page = applyPage(partner, visit, publicUrl, script);
    const etag = createHash('sha256')
      .update(policy(partner.origins) + page.text)
      .digest('base64url')
      .slice(0, 24);
    // A browser asks each time whether the page has changed, because it names the newest version of the form.
    response.set({'Cache-Control': 'no-cache', ETag: `"${etag}"`});
    send(response, page, partner.origins);
  };

  const applyWithFirst: RequestHandler = ({originalUrl}, response) => {
    const query = queryText(originalUrl);
    // The path comes first, so no query can lead to another server.
    response.redirect(302, `${paths.apply}/${partners[0].key}${query && `?${query}`}`);
  };

  router.use(pageAssets());
  router.route(paths.apply).get(applyWithFirst).all(methodNotAllowed('GET, HEAD'));
  router
    .route(`${paths.apply}/:partner`)
    .get(apply as RequestHandler, refusedPage)
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}
