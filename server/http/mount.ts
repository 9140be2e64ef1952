/** Makes the routes of the APIs from their operations, with what all of them share. */
import type {RequestHandler, Router} from 'express';
import {usualTimings} from '../config/timings.ts';
import {StoreUnavailable} from '../leads/store-errors.ts';
import type {Operation} from './operations.ts';
import {methodNotAllowed} from './problem-replies.ts';
import {refuseUnreadableQuery} from './query.ts';

/**
 * An operation, what runs before its handler, and the handler. The type of the handler is `RequestHandler<never>`, because
 * each operation declares other path parameters.
 */
type Mounted = readonly [
  operation: Operation,
  before: readonly RequestHandler[],
  handler: RequestHandler<never>,
];

type MountOptions = {
  /** Handlers that run first, for any method, which includes the preflight requests (OPTIONS) of browsers. */
  first?: readonly RequestHandler[];
  /** As in `Timings`. */
  requestWait?: number;
};

/** Adds operations to a router, and refuses all other methods on their paths. No two operations may have the same path. */
export function mount(
  router: Router,
  mounted: readonly Mounted[],
  {first = [], requestWait = usualTimings.requestWait}: MountOptions = {},
) {
  for (const [{method, path}, before, handler] of mounted) {
    const allowed = [
      ...(method === 'get' ? ['GET', 'HEAD'] : ['POST']),
      ...(first.length > 0 ? ['OPTIONS'] : []),
    ];
    const route = router.route(path).all(...first, refuseUnreadableQuery);
    const last = handler as RequestHandler;
    // Reads wait no longer than the database's own time limits.
    route[method](...before, method === 'post' ? withinTime(last, requestWait) : last);
    route.all(methodNotAllowed(allowed.join(', ')));
  }
}

/**
 * Lets a request fail if its handler takes too long, because a disk or a database may take long to store a lead. The
 * handler is not stopped: a lead that is stored later is delivered as usual, and a retry with the same idempotency key
 * gets its id. When the handler then tries to respond, Node throws an error, which nobody needs.
 */
export const withinTime =
  (handler: RequestHandler, milliseconds: number): RequestHandler =>
  async (request, response, next) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      next(new StoreUnavailable(`a request has waited for ${milliseconds / 1_000} s`));
    }, milliseconds);
    try {
      await handler(request, response, next);
    } catch (error) {
      if (!isLate) throw error;
    } finally {
      clearTimeout(timer);
    }
  };
