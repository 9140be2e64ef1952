/**
 * Serves the apply pages of partners. They run under a strict policy, and only the partner may frame them. Without a script,
 * browsers send the form by a POST, and the page that answers has the result or what to correct.
 */
import {gzipSync} from 'node:zlib';
import {Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response} from 'express';
import {moduleFile, paths} from '../../../contract/api.ts';
import {problems} from '../../../contract/problems.ts';
import {orders} from '../../../form/pages.ts';
import {formWords} from '../../../form/words/form-words.ts';
import {formLanguages, serverWords} from '../../../form/words/languages.ts';
import {sayFailure} from '../../../form/words/say-failure.ts';
import type {Partner} from '../../config/partners.ts';
import type {Timings} from '../../config/timings.ts';
import type {Emit} from '../../observe/observations.ts';
import {pinnedFile, type EmbedVersion} from '../../versions/embed-versions.ts';
import {formBody, formOrPartsBody} from '../form-body.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import type {RateLimits} from '../limits/rate-limit.ts';
import {withinTime} from '../mount.ts';
import {ProblemError} from '../../leads/problem-error.ts';
import {revokePath} from '../../leads/revocation.ts';
import {methodNotAllowed, observedProblem} from '../problem-replies.ts';
import {queryText, type Query} from '../query.ts';
import {applyPage, noticePage, colorSchemes, type FormScript, type Page, type Visit} from './apply-page.ts';
import {pageAssets} from './page-assets.ts';
import type {RevokePage} from './revoke-page.ts';
import type {NoJsForm} from './no-js-form.ts';

type Parts = {
  /** An address that names no partner leads to the first. */
  partners: readonly [Partner, ...Partner[]];
  publicUrl: string;
  /** The newest version of the form, if there is any. */
  version: EmbedVersion | undefined;
  unknownPartners: FailureLimit;
  rateLimits: RateLimits;
  /** How often one network may send a form in a minute. */
  perMinute: number;
  form: NoJsForm;
  revokePage: RevokePage;
  emit: Emit;
  timings: Pick<Timings, 'requestWait'>;
};

/** Everything comes from this server, and no script stands in the page. Texts cannot become scripts (Trusted Types). */
const policy = ({stylesHash, logo}: Page, origins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${stylesHash}`,
    "connect-src 'self'",
    ['img-src data:', ...(logo === undefined ? [] : [new URL(logo).origin])].join(' '),
    "base-uri 'none'",
    "form-action 'self'",
    // A wildcard covers every subdomain here, and only one label in the list of origins.
    ["frame-ancestors 'self'", ...origins].join(' '),
    'trusted-types lead-prequal',
    "require-trusted-types-for 'script'",
  ].join('; ');

/** The language that the address asks for, or else the one that the browser prefers. */
function languageOf(request: Request) {
  const {lang} = request.query;
  const [asked] = (typeof lang === 'string' && lang.toLowerCase().match(/[a-z]+/)) || [];
  const preferred = request.acceptsLanguages(formLanguages);
  return formLanguages.find((tag) => tag === asked) ?? formLanguages.find((tag) => tag === preferred) ?? 'en';
}

function visitOf(request: Request, script: FormScript): Visit {
  const place = request.get('Sec-Fetch-Dest');
  const framed = place === 'iframe' || place === 'frame';
  return {
    language: languageOf(request),
    // Most pages around a frame are light whatever the visitor's device prefers.
    theme: colorSchemes.find((scheme) => scheme === request.query['theme']) ?? (framed ? 'light' : 'auto'),
    order: orders.find((order) => order === request.query['order']) ?? orders[0],
    framed,
    // Old browsers, and all of them on plain HTTP, do not say where the page is shown.
    mayBeFramed: place !== 'document',
    // Text browsers never say it, and would show what the styles hide. All that know the media feature `scripting` say it.
    awaitsElement: script !== undefined && place !== undefined,
    query: request.query as Query,
    queryText: queryText(request.originalUrl),
  };
}

/**
 * @param mayCompress for a page without anything that a visitor typed: its length would tell a listener about that. The
 *   token of the form may be guessed by lengths of compressed pages only if many pages have the same (BREACH). Each page of
 *   an empty form has a new one
 */
function send(
  response: Response,
  page: Page,
  origins: readonly string[],
  {mayCompress = false, referrer = 'same-origin'}: {mayCompress?: boolean; referrer?: string} = {},
) {
  // The policy says who may frame the page. Browsers that know it ignore this older header, which would forbid it.
  response.removeHeader('X-Frame-Options');
  response
    .set({
      'Content-Security-Policy': policy(page, origins),
      // Other sites learn nothing of the address. With `no-referrer`, a POST of the form would not say where it comes from.
      'Referrer-Policy': referrer,
      Vary: 'Accept-Encoding, Accept-Language, Sec-Fetch-Dest',
      ...(mayCompress && {'Content-Encoding': 'gzip'}),
    })
    .type('html')
    .send(mayCompress ? gzipSync(page.html.text, {level: 5}) : page.html.text);
}

export function applyPages(parts: Parts): Router {
  const {partners, publicUrl, version, unknownPartners, rateLimits, perMinute, form, emit, timings} = parts;
  const {revokePage} = parts;
  const router = Router({caseSensitive: true});
  const byKey = new Map(partners.map((partner) => [partner.key, partner]));
  // The address has no origin, because the page belongs to the server.
  const script = version && pinnedFile('', version, moduleFile);

  const findPartner: RequestHandler<{partner: string}> = (request, response, next) => {
    const partner = byKey.get(request.params.partner);
    if (partner) {
      request.partner = partner;
      return next();
    }
    unknownPartners.fail(request);
    notFound(request, response);
  };

  const notFound = (request: Request, response: Response) => {
    const language = languageOf(request);
    send(response.status(404), noticePage(language, serverWords[language].page.notFound, partners[0]), []);
  };

  const show: RequestHandler = (request, response) => {
    const {partner = partners[0]} = request;
    const visit = visitOf(request, script);
    const page = applyPage(partner, visit, form.empty(request, partner, visit), publicUrl, script);
    // A browser asks each time, because the page names the newest version of the form. It may keep what was typed for Back.
    response.set('Cache-Control', 'private, no-cache');
    send(response, page, partner.origins, {mayCompress: request.acceptsEncodings(['gzip']) === 'gzip'});
  };

  /** The answer is never kept, because the visitor's data is in it. */
  const answer: RequestHandler = async (request, response) => {
    const {partner = partners[0]} = request;
    const visit = visitOf(request, script);
    const {status, headers = {}, ...card} = await form.answer(request, partner, visit);
    response.status(status).set(headers);
    send(response, applyPage(partner, visit, card, publicUrl, script), partner.origins);
  };

  /** People read in words what went wrong. Programs get problems in JSON everywhere else. */
  const failed: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (response.headersSent || (error instanceof ProblemError && error.code === 'method-not-allowed'))
      return next(error);
    const {code, extras} = observedProblem(error, request, emit);
    const language = languageOf(request);
    const {partner} = request;
    const retryAfter = Number(extras.headers?.['Retry-After'] ?? response.get('Retry-After'));
    const isGuess = code === 'too-many-requests' && !partner;
    const notice = isGuess
      ? serverWords[language].page.tooMany
      : sayFailure(formWords[language], code, retryAfter || undefined);
    response.status(problems[code][0]).set(extras.headers ?? {});
    send(response, noticePage(language, notice, partner ?? partners[0]), partner?.origins ?? []);
  };

  /** To the partner that the query names, or else to the first. */
  const redirect: RequestHandler = ({originalUrl, query: {partner}}, response) => {
    const query = queryText(originalUrl);
    const {key} = (typeof partner === 'string' && byKey.get(partner)) || partners[0];
    // The path comes first, so no query can lead to another server.
    response.redirect(302, `${paths.apply}/${key}${query && `?${query}`}`);
  };

  router.use(pageAssets());
  router.route(paths.apply).get(redirect).all(methodNotAllowed('GET, HEAD'));
  router
    .route(`${paths.apply}/:partner`)
    .get(findPartner as RequestHandler, show)
    .post(
      findPartner as RequestHandler,
      rateLimits('apply', perMinute),
      formBody,
      withinTime(answer, timings.requestWait),
    )
    .all(methodNotAllowed('GET, HEAD, POST'));
  router.get(`${paths.apply}/*path`, notFound as RequestHandler);
  const showRevoke = withinTime(async (request, response) => {
    const {link = ''} = request.params;
    const {status, page} = await revokePage(String(link), languageOf(request), request.body as unknown);
    // The address lets whoever has it speak for the visitor, so it goes into no cache and to no other page.
    response.status(status).set('Cache-Control', 'no-store');
    send(response, page, [], {referrer: 'no-referrer'});
  }, timings.requestWait);
  router
    .route(`${revokePath}/:link`)
    .all(rateLimits('revoke', perMinute))
    .get(showRevoke)
    .post(formOrPartsBody, showRevoke)
    .all(methodNotAllowed('GET, HEAD, POST'));
  router.use([paths.apply, revokePath], failed);
  return router;
}
