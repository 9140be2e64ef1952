/** The history of real servers, in the form that the simulation's checker reads (test/simulation/check.ts). */
import assert from 'node:assert/strict';
import type {ServerResponse} from 'node:http';
import {usualTimings} from '../../server/config/timings.ts';
import type {BesideStore} from '../../server/leads/lead-store.ts';
import type {Answer} from '../../server/leads/stored-lead.ts';
import {check} from '../simulation/check.ts';
import {
  readStored,
  type Agreed,
  type Fact,
  type Order,
  type Request,
  type Submission,
  type Trouble,
} from '../simulation/history.ts';
import type {Reply as UpstreamReply} from '../support/fake-upstream.ts';
import {amounts, prequalificationBody} from '../support/sample-leads.ts';
import type {ReceiverReply} from '../support/webhook-receiver.ts';

/** Receivers do not know which process sent what, so all have one name. */
const process = 'the servers';

/** Milliseconds, besides the time between two looks at the pauses, for a machine that is busy. */
const tolerance = 1_500;

export type Recorder = ReturnType<typeof recordHistory>;

/** @param agreed of each destination, for all processes together */
export function recordHistory(agreed: Record<string, Agreed>) {
  const begun = performance.now();
  const now = () => performance.now() - begun;
  const facts: Fact[] = [];

  /** Records a request, whose outcome is known when the reply is written, or the sender has gone. */
  function request(
    sent: Pick<Request, 'destination' | 'method' | 'what' | 'body'>,
    response: ServerResponse,
  ) {
    const fact: Request = {...sent, type: 'request', at: now(), until: Infinity, process, hasArrived: true};
    facts.push(fact);
    response.once('close', () => {
      fact.until = now();
      const isTaken = response.writableFinished && response.statusCode < 300;
      fact.outcome = isTaken ? 'taken' : 'unclear';
    });
    return fact;
  }

  return {
    /** @returns what notes the status and the body of the answer; it is not called if there was none */
    submission({headers}: {headers: Record<string, string>}): (body: {id?: string; status?: string}) => void {
      const fact: Submission = {
        type: 'submission',
        at: now(),
        until: Infinity,
        process,
        owner: 'acme',
        key: headers['idempotency-key'] ?? '',
        content: prequalificationBody.email,
        destinations: Object.keys(agreed),
        isHeld: false,
      };
      facts.push(fact);
      return ({id, status}) => {
        if (id === undefined) return;
        const answer: Answer =
          status === 'done' ? {status, amounts, reasons: {}, policyVersion: null} : {status: 'pending'};
        Object.assign(fact, {until: now(), outcome: 'created', lead: id, answer});
      };
    },

    /** A webhook that records what it gets, and replies. */
    webhook:
      (destination: string, reply: ReceiverReply): ReceiverReply =>
      (response, received) => {
        const what = [String(received.headers['webhook-id'])];
        request({destination, method: 'POST', what, body: received.body}, response);
        return reply(response, received);
      },

    /** A reply of an upstream to a new lead, which records what it gets. The upstream's id of a lead is ours. */
    creating:
      (destination: string, reply: UpstreamReply): UpstreamReply =>
      (response, exchange) => {
        const lead = String(exchange.headers['idempotency-key']);
        request({destination, method: 'POST', what: [lead], body: ''}, response);
        facts.push({type: 'creation', at: now(), destination, lead, id: lead, amounts});
        return reply(response, exchange);
      },

    /** Records that a process died, or the store failed, from now until the returned function is called. */
    trouble(kind: Trouble['kind']): () => void {
      const fact: Trouble = {type: 'trouble', process, kind, at: now(), until: Infinity};
      facts.push(fact);
      return () => void (fact.until = now());
    },

    /** Records what an operator does. */
    async order(command: Order['command'], destination: string, work: () => Promise<unknown>) {
      const fact: Order = {type: 'order', at: now(), until: Infinity, command, destination, deliveries: []};
      facts.push(fact);
      await work();
      fact.until = now();
    },

    /** Fails if a rule of the simulation's checker is violated. @param isQuiet true if nothing waits any more */
    async check(store: BesideStore, isQuiet?: true) {
      const {idlePoll, delivery: attempt, lease} = usualTimings;
      const stored = await readStored(store);
      assert.ok(facts.length > 0 && stored.leads.size > 0, 'nothing was recorded');
      const violations = check({
        agreed,
        noticing: idlePoll + tolerance,
        attempt,
        lease,
        facts,
        isQuiet,
        stored,
      });
      assert.deepEqual(
        violations.slice(0, 10).map(({rule, words}) => `${rule}: ${words}`),
        [],
      );
      return facts.length;
    },
  };
}
