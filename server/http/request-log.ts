/** One line of the log a request, of which nothing was typed by a stranger, and never so many that they fill a disk. */
import type {Request, Response} from 'express';
import type {Logger} from 'pino';
import {createLogSampler} from '../log-sampler.ts';
import {operations} from './operations.ts';

/** In the place of a path that no route has: whatever was typed there may be personal. */
const unknownPath = ':unknown';
const apiPaths = new Set<string>(Object.values(operations).map(({path}) => path));

export type RequestLog = {
  /** @param ms milliseconds from the first byte of the request's end to the last of its answer */
  write(request: Request, response: Response, ms: number): void;
  /** Writes the numbers of repeated lines that are still open. */
  flush(): void;
};

/**
 * - Requests of callers with credentials, and those that made or read a lead: a line each.
 * - Failures of the server (5xx), and what anybody may send without credentials: the first line of its kind, then
 *   how often it came. A kind is a route and a status.
 * - Files, health and documentation that were answered without an error: no line.
 *
 * At `debug` every request has a line.
 */
export function createRequestLog(log: Logger): RequestLog {
  const sampler = createLogSampler(log);
  return {
    write(request, response, ms) {
      const {id, method, caller, partner, leadId} = request;
      const {statusCode: status} = response;
      const path = (request.route as {path: string} | undefined)?.path ?? unknownPath;
      // Undefined fields are left out.
      const line = {
        request: id,
        method,
        path,
        status,
        ms,
        caller: caller?.user,
        partner: partner?.key,
        lead: leadId,
      };
      const isWhole = status < 500 && (caller !== undefined || leadId !== undefined);
      if (isWhole || log.isLevelEnabled('debug')) log.info(line);
      else if (status >= 400 || apiPaths.has(path)) {
        sampler.write('info', `${path} ${status}`, line, `${path} was answered with ${status}`);
      }
    },
    flush: () => sampler.flush(),
  };
}
