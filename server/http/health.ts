/** The health endpoints for load balancers, orchestrators and monitoring. */
import {Router, type RequestHandler} from 'express';
import {paths} from '../../contract/api.ts';
import {StoreUnavailable} from '../leads/store-errors.ts';
import {replyJson} from './json-body.ts';
import {methodNotAllowed, shuttingDown} from './problem-replies.ts';

function endpoint(path: string, handler: RequestHandler): Router {
  const router = Router({caseSensitive: true});
  router.route(path).get(handler).all(methodNotAllowed('GET, HEAD'));
  return router;
}

/** `GET /livez`: 200 as long as the process responds at all. A process that does not respond needs a restart. */
export const liveEndpoint = (): Router =>
  endpoint(paths.live, (_request, response) => replyJson(response, 200, {status: 'ok'}));

export type Health = {
  watch: {outage(): string | undefined};
  isDegraded: () => boolean;
  isDraining: () => boolean;
};

/**
 * - `GET /readyz`: 200 while leads can be stored, else the same 503 that a create gets. It is also a 503 while the
 *   server drains, although leads can be stored until the end of the drain.
 * - `GET /health`: the same, but with the status `degraded` instead of `ok` while a destination does not accept its
 *   deliveries, is paused, or is no longer configured although deliveries wait for it. Even then it is a 200: after a
 *   503, load balancers would send no more leads, although leads can be stored and delivered later.
 *
 * These endpoints are public, so the responses hold no reasons, names or numbers. An operator finds those in the log
 * and with `lead-prequal destinations list`.
 */
export function healthEndpoints({watch, isDegraded, isDraining}: Health): Router {
  function throwUnlessReady() {
    if (isDraining()) throw shuttingDown();
    const reason = watch.outage();
    if (reason !== undefined) throw new StoreUnavailable(reason);
  }
  const router = Router({caseSensitive: true});
  router.use(
    endpoint(paths.ready, (_request, response) => {
      throwUnlessReady();
      replyJson(response, 200, {status: 'ok'});
    }),
  );
  router.use(
    endpoint(paths.health, (_request, response) => {
      throwUnlessReady();
      replyJson(response, 200, {status: isDegraded() ? 'degraded' : 'ok'});
    }),
  );
  return router;
}
