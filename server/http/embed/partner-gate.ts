/** Decides by the URL and the Origin header whether a page may use `/embed/v1`, before a body is read. */
import type {RequestHandler} from 'express';
import {allowsOrigin, type Partner} from '../../config/partners.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {isFromOwnPage} from '../own-page.ts';
import {ProblemError} from '../../leads/problem-error.ts';

/**
 * Makes the handlers that set `request.partner` and the CORS headers, or refuse the request.
 * @param partners a request that names no partner, or an empty one, belongs to the first
 * @param ownOrigin the origin of this server, whose own pages may use the form of every partner
 * @param unknownPartners counts the requests that name unknown partners, and refuses such requests when there are many
 */
export function partnerGate(
  partners: readonly [Partner, ...Partner[]],
  ownOrigin: string,
  unknownPartners: FailureLimit,
): RequestHandler[] {
  const byKey = new Map(partners.map((partner) => [partner.key, partner]));

  /** Whether an origin may use the form is decided before. A preflight ends here. */
  const corsHeaders: RequestHandler = ({method, headers: {origin}}, response, next) => {
    if (origin !== undefined) response.setHeader('Access-Control-Allow-Origin', origin);
    response.vary('Origin');
    response.setHeader('Access-Control-Expose-Headers', 'RateLimit,RateLimit-Policy,Retry-After');
    if (method !== 'OPTIONS') return next();
    response.setHeader('Access-Control-Allow-Methods', 'GET,POST');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type,Authorization,Idempotency-Key');
    response.setHeader('Access-Control-Max-Age', '7200');
    // Safari would wait for a body without the length.
    response.writeHead(204, {'Content-Length': '0'}).end();
  };

  const findPartner: RequestHandler = (request, response, next) => {
    const key = request.query['partner'] || partners[0].key;
    const partner = typeof key === 'string' ? byKey.get(key) : undefined;
    // Without CORS headers, the form would take a refusal for a broken connection, and tell the visitor so. A refusal says
    // nothing about a partner, so any page may read it.
    const refuseReadably = (problem: ProblemError) => corsHeaders(request, response, () => next(problem));
    if (!partner) {
      unknownPartners.fail(request);
      const detail = Array.isArray(key)
        ? 'Name the partner once in the address.'
        : 'Check the partner attribute of the form.';
      // Browsers send a lead only if its preflight succeeds, so the preflight gets the headers alone.
      refuseReadably(new ProblemError('unknown-partner', detail));
      return;
    }
    // Also for a refused origin, so that the operator sees whose page is refused.
    request.partner = partner;
    if (!isFromOwnPage(request, ownOrigin) && !allowsOrigin(partner, request.get('Origin') ?? 'null')) {
      const problem = new ProblemError('origin-not-allowed', 'Ask for the origin of this page to be listed.');
      // The preflight of a lead fails, so that no browser sends a lead from such a page.
      if (request.method !== 'GET') throw problem;
      refuseReadably(problem);
      return;
    }
    next();
  };

  return [findPartner, corsHeaders];
}
