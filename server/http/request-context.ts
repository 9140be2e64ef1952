import {randomUUID} from 'node:crypto';
import type {RequestHandler} from 'express';
import type {Logger} from 'pino';
import type {Caller} from './basic-auth.ts';
import type {Partner} from '../partners.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** In the log and in the `X-Request-Id` of the answer. */
    id: string;
    /** Set by `basicAuth`. */
    caller?: Caller;
    /** Set by `partnerGate`. */
    partner?: Partner;
  }
}

/** A request id, the headers that every answer has, and one line in the log: nothing of what was sent. */
export const requestContext =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const start = performance.now();
    const {method, path} = request;
    request.id = randomUUID();
    response.setHeader('X-Request-Id', request.id);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      const ms = Math.round(performance.now() - start);
      log.info({request: request.id, method, path: path.slice(0, 200), status: response.statusCode, ms});
    });
    next();
  };
