/** The health endpoints for load balancers, orchestrators and monitoring. */
import {Router} from 'express';
import {paths} from '../../contract/api.ts';
import {StoreUnavailable} from '../leads/store-errors.ts';
import {replyJson} from './json-body.ts';
import {methodNotAllowed, shuttingDown} from './problem-replies.ts';

function endpoints(handlers: Readonly<Record<string, () => string>>): Router {
  const router = Router({caseSensitive: true});
  for (const [path, status] of Object.entries(handlers))
    router
      .route(path)
      .get((_request, response) => replyJson(response, 200, {status: status()}))
      .all(methodNotAllowed('GET, HEAD'));
  return router;
}

/** `GET /livez`: 200 as long as the process responds at all. A process that does not respond needs a restart. */
export const liveEndpoint = (): Router => endpoints({[paths.live]: () => 'ok'});

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
  function ready() {
    if (isDraining()) throw shuttingDown();
    const reason = watch.outage();
    if (reason !== undefined) throw new StoreUnavailable(reason);
    return 'ok';
  }
  return endpoints({
    [paths.ready]: ready,
    [paths.health]() {
      const status = ready();
      return isDegraded() ? 'degraded' : status;
    },
  });
}
