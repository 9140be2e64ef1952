/** The history of real servers, in the form that the simulation's checker reads (test/simulation/check.ts). */
import assert from 'node:assert/strict';
import type {ServerResponse} from 'node:http';
import {usualTimings} from '../../server/config/timings.ts';
import type {AttachedStore} from '../../server/leads/ports.ts';
import {check} from '../simulation/check.ts';
import {
  contentOf,
  readStored,
  type Agreed,
  type Creation,
  type Fact,
  type Request,
  type Submission,
  type Trouble,
} from '../simulation/history.ts';
import {json, type Script} from '../support/fake-upstream.ts';
import {amounts, prequalificationBody, without} from '../support/sample-leads.ts';
import type {ReceiverReply} from '../support/webhook-receiver.ts';
import {fromPage, type NewLead} from './load.ts';

/** Receivers do not know which process sent what, so all have one name. */
const process = 'the servers';

/** Milliseconds, besides the time between two looks at the pauses, for a machine that is busy. */
const tolerance = 1_500;

/** What a page gets for a lead. */
type Answered = {id?: string; status?: string; prequalification?: object | null};

export type Recorder = ReturnType<typeof recordHistory>;

/**
 * @param agreed of each destination, for all processes together
 * @param answeredBy the destination that answers the leads, if the calculator does not
 */
export function recordHistory(agreed: Record<string, Agreed>, answeredBy?: string) {
  const [begun, beginning] = [performance.now(), Date.now()];
  const now = () => performance.now() - begun;
  const facts: Fact[] = [];
  const creations = new Map<string, Creation>();
  let visitors = 0;

  /** Records a request, whose outcome is known when the reply is written, or the sender has gone. */
  function request(
    sent: Pick<Request, 'destination' | 'method' | 'what' | 'body'>,
    response: ServerResponse,
  ) {
    const fact: Request = {...sent, type: 'request', at: now(), until: Infinity, process, hasArrived: true};
    facts.push(fact);
    response.once('close', () => {
      fact.until = now();
      fact.outcome = response.writableFinished && response.statusCode < 300 ? 'taken' : 'unclear';
    });
  }

  return {
    /** A lead of another visitor each time. */
    newLead: (): NewLead => {
      visitors += 1;
      const lead = {...without(prequalificationBody, 'cid'), email: `person-${visitors}@example.com`};
      return {...fromPage(), body: JSON.stringify({lead})};
    },

    /** @returns what notes the answer; it is not called if there was none */
    submission({headers, body}: NewLead): (answer: Answered) => void {
      const {lead} = JSON.parse(body) as {lead: Parameters<typeof contentOf>[0]};
      const fact: Submission = {
        type: 'submission',
        at: now(),
        until: Infinity,
        process,
        owner: 'acme',
        key: headers['idempotency-key'] ?? '',
        content: contentOf(lead),
        destinations: Object.keys(agreed),
        answeredBy,
        isHeld: false,
        isCompared: false,
      };
      facts.push(fact);
      return ({id, status = '', prequalification = null}) => {
        if (id === undefined) return;
        const answer = {status, amounts: prequalification && without(prequalification, 'first_name')};
        Object.assign(fact, {until: now(), outcome: 'created', lead: id, answer});
      };
    },

    /** A webhook that records what it gets, and replies. */
    webhook:
      (destination: string, reply: ReceiverReply): ReceiverReply =>
      (response, received) => {
        const what = String(received.headers['webhook-id']);
        request({destination, method: 'POST', what, body: received.body}, response);
        return reply(response, received);
      },

    /** An upstream that records what it gets, and answers each lead with other amounts. */
    upstream: (destination: string): Script => ({
      create(response, exchange) {
        const lead = String(exchange.headers['idempotency-key']);
        request({destination, method: 'POST', what: lead, body: ''}, response);
        const id = `${destination}-${creations.size}`;
        const its = {...amounts, unsecured_amount: creations.size};
        const creation: Creation = {type: 'creation', at: now(), destination, lead, id, amounts: its};
        creations.set(id, creation);
        facts.push(creation);
        return json(201, {id})(response, exchange);
      },
      read(response, exchange) {
        const id = exchange.path.split('/').at(-1) ?? '';
        request({destination, method: 'GET', what: id, body: ''}, response);
        return json(200, creations.get(id)?.amounts)(response, exchange);
      },
    }),

    /** Records that a process died, or the store failed, from now until the returned function is called. */
    trouble(kind: Trouble['kind']): () => void {
      const fact: Trouble = {type: 'trouble', process, kind, at: now(), until: Infinity};
      facts.push(fact);
      return () => void (fact.until = now());
    },

    /**
     * Fails if a rule of the simulation's checker is violated.
     * @param isQuiet true if nothing waits any more
     * @returns the number of facts
     */
    async check(store: AttachedStore, isQuiet?: true): Promise<number> {
      const {idlePoll, delivery: attempt, lease} = usualTimings;
      const stored = await readStored(store);
      assert.ok(facts.length > 0 && stored.leads.size > 0, 'nothing was recorded');
      const noticing = idlePoll + tolerance;
      const violations = check({beginning, agreed, noticing, attempt, lease, facts, stored, isQuiet});
      assert.deepEqual(
        violations.slice(0, 10).map(({rule, words}) => `${rule}: ${words}`),
        [],
      );
      return facts.length;
    },
  };
}
