/** `/json/leads`: the API of the specification, for servers that hold credentials. */
import {Router, type RequestHandler} from 'express';
import {paths, type Prequalification} from '../../contract/api.ts';
import type {LeadDesk} from '../lead-desk.ts';
import type {StoredLead} from '../store/lead-store.ts';
import type {Tokens} from '../tokens.ts';
import type {Caller} from '../callers.ts';
import {basicAuth} from './basic-auth.ts';
import {jsonBody} from './json-body.ts';
import {replyJson} from './json-reply.ts';
import type {FailureLimit} from './failure-limit.ts';
import {fingerprintOf, readIdempotencyKey, readLead, takeLead} from './lead-intake.ts';
import {mount, operations} from './operations.ts';
import {ProblemError} from './problem-replies.ts';

type Parts = {
  callers: readonly Caller[];
  signIns: FailureLimit;
  desk: LeadDesk;
  tokens: Tokens;
  /** Where its leads go; the calculator answers where there is none. */
  upstream: string | undefined;
};

export function leadApi({callers, signIns, desk, tokens, upstream}: Parts): Router {
  const router = Router({caseSensitive: true});
  const authenticate = basicAuth(callers, signIns);

  const create: RequestHandler = async (request, response) => {
    const lead = readLead(request.body);
    const {user, cids} = request.caller!;
    if (!cids.includes(lead.cid)) {
      throw new ProblemError('cid-not-allowed', 'Use a cid that was given to this user.');
    }
    const idempotency = readIdempotencyKey(request, tokens, `caller:${user}`, fingerprintOf(lead));
    const {stored} = await takeLead(desk, {lead, partner: null, upstream, idempotency});
    const {id} = stored;
    request.leadId = id;
    response.setHeader('Location', `${paths.leads}/${id}`);
    replyJson(response, 201, {id});
  };

  const read: RequestHandler<{id: string}> = async (request, response) => {
    const stored = await desk.find(request.params.id);
    if (!stored || !request.caller!.cids.includes(stored.lead.cid)) {
      throw new ProblemError('not-found', 'There is no such lead for these credentials.');
    }
    request.leadId = stored.id;
    replyJson(response, 200, result(stored));
  };

  mount(router, [
    [operations.createLead, authenticate, jsonBody, create],
    [operations.readLead, authenticate, read],
  ]);
  return router;
}

function result({lead, answer}: StoredLead): Prequalification {
  if (lead.lead_type === 'standard') {
    throw new ProblemError('no-prequalification', 'Only prequalification leads have amounts.');
  }
  if (answer.status === 'pending') {
    throw new ProblemError('result-pending', 'The upstream has not answered yet.', {
      headers: {'Retry-After': '5'},
    });
  }
  if (answer.status === 'refused' || !answer.amounts) {
    throw new ProblemError('upstream-refused', 'The upstream will not take this lead.');
  }
  return {first_name: lead.first_name, ...answer.amounts};
}
