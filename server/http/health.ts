/** What a load balancer, an orchestrator and a person ask to learn whether the service works. */
import {Router, type RequestHandler} from 'express';
import {paths} from '../../contract/api.ts';
import type {Courier} from '../delivery/courier.ts';
import {StoreUnavailable} from '../store/lead-store.ts';
import type {StoreWatch} from '../store/store-watch.ts';
import {replyJson} from './json-reply.ts';
import {methodNotAllowed} from './problem-replies.ts';

function page(path: string, answer: RequestHandler): Router {
  const router = Router({caseSensitive: true});
  router.route(path).get(answer).all(methodNotAllowed('GET, HEAD'));
  return router;
}

/** `GET /livez`: 200 while the process answers at all. Only a process that does not is worth starting again. */
export const livePage = (): Router =>
  page(paths.live, (_request, response) => replyJson(response, 200, {status: 'ok'}));

/**
 * - `GET /readyz`: 200 while leads can be stored, else the 503 that a lead would get.
 * - `GET /health`: the same, but `degraded` instead of `ok` while an upstream does not take its leads. They wait in
 *   the outbox; without this server the next ones would be lost.
 *
 * Anybody may ask, so the answer holds no reasons, names or numbers: the log and `lead-prequal outbox` do.
 */
export function healthPages(watch: Pick<StoreWatch, 'trouble'>, courier: Pick<Courier, 'states'>): Router {
  function refuseInTrouble() {
    const trouble = watch.trouble();
    if (trouble !== undefined) throw new StoreUnavailable(trouble);
  }
  const router = Router({caseSensitive: true});
  router.use(
    page(paths.ready, (_request, response) => {
      refuseInTrouble();
      replyJson(response, 200, {status: 'ok'});
    }),
  );
  router.use(
    page(paths.health, (_request, response) => {
      refuseInTrouble();
      const isDegraded = Object.values(courier.states()).some((state) => state !== 'ok');
      replyJson(response, 200, {status: isDegraded ? 'degraded' : 'ok'});
    }),
  );
  return router;
}
