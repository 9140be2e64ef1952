/** Who may use the browser's API: known from the address and the Origin, before a body is read. */
import cors from 'cors';
import type {RequestHandler} from 'express';
import {admits, type Partner} from '../partners.ts';
import type {FailureLimit} from './failure-limit.ts';
import {ProblemError} from './problem-replies.ts';

/**
 * @param partners the first one serves pages that name none
 * @param guesses refuses addresses that asked for unknown partners too often, or names could be tried without end
 */
export function partnerGate(
  partners: readonly [Partner, ...Partner[]],
  guesses: FailureLimit,
): RequestHandler[] {
  const byKey = new Map(partners.map((partner) => [partner.key, partner]));

  const admit: RequestHandler = (request, _response, next) => {
    guesses.admit(request);
    const key = request.query['partner'] ?? partners[0].key;
    const partner = typeof key === 'string' ? byKey.get(key) : undefined;
    if (!partner) {
      void guesses.count(request);
      throw new ProblemError('unknown-partner', 'Check the partner attribute of the form.');
    }
    const origin = request.get('Origin') ?? 'null';
    const ownPage = origin === 'null' && request.get('Sec-Fetch-Site') === 'same-origin';
    if (!ownPage && !admits(partner, origin)) {
      throw new ProblemError('origin-not-allowed', 'Ask for the origin of this page to be listed.');
    }
    request.partner = partner;
    next();
  };

  const answerBrowser = cors({
    origin: true,
    methods: ['GET', 'POST'],
    allowedHeaders: ['Content-Type', 'Authorization', 'Idempotency-Key'],
    exposedHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After'],
    maxAge: 7_200,
  });

  return [admit, answerBrowser];
}
