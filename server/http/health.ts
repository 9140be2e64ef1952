import {Router, type RequestHandler} from 'express';
import {paths} from '../../contract/api.ts';
import type {LeadDesk} from '../lead-desk.ts';
import {methodNotAllowed} from './problem-replies.ts';
import type {Courier} from '../delivery/courier.ts';

/** Nobody's lead: looking for it asks the store whether it works. */
const nobody = '00000000-0000-7000-8000-000000000000';

/**
 * `GET /health`: 200 while the store works, else the 503 that a lead would get. An upstream that fails is named and makes it `degraded`, not
 * unhealthy: its leads wait, and taking the server away would lose the next ones.
 */
export function healthPage(courier: Courier, desk: LeadDesk): Router {
  const router = Router();
  const answer: RequestHandler = async (_request, response) => {
    await desk.find(nobody);
    const upstreams = courier.states();
    const degraded = Object.values(upstreams).some((state) => state !== 'ok');
    response.json({status: degraded ? 'degraded' : 'ok', upstreams});
  };
  router.route(paths.health).get(answer).all(methodNotAllowed('GET, HEAD'));
  return router;
}
