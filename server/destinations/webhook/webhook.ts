/**
 * A destination that gets the events of leads at a URL, signed as Standard Webhooks says:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import {createHmac} from 'node:crypto';
import type {WebhookSettings} from '../../config/destinations.ts';
import type {Settlement} from '../../leads/deliveries.ts';
import type {AnyEvent, LeadEvent} from '../../leads/lead-event.ts';
import {orNotTried} from '../breaker.ts';
import {type Added, type Destination, type DeliveryRequest} from '../destination.ts';
import type {Network} from '../network.ts';
import {reportedEvent} from '../reported-event.ts';
import {sampleRecord} from '../sample.ts';
import {usualParallel} from '../terms.ts';
import {toErasedEvent, toEvent, toOutcomeEvent, toRevokedEvent} from './event.ts';
import {createPoster} from './post.ts';

/** @param timeout milliseconds for one attempt, from looking up the host to the status of the answer */
export function createWebhook(
  settings: WebhookSettings,
  timeout: number,
  network?: Partial<Network>,
  added?: Added,
): Destination {
  const {secrets, parallel = usualParallel} = settings;
  const poster = createPoster(settings, parallel, timeout, network);

  function send(id: string, event: AnyEvent, attempts: number): Promise<Settlement> {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signed = `${id}.${timestamp}.${body}`;
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map((secret) => signature(secret, signed)).join(' '),
    };
    return poster.post(body, headers, attempts);
  }

  async function eventOf(request: DeliveryRequest): Promise<AnyEvent> {
    const event = reportedEvent(request);
    if (request.content === 'erased') return toErasedEvent(event, request.lead);
    if (request.content === 'revoked') return toRevokedEvent(request.lead, request.lead.revoked);
    if (request.content === 'outcome') return toOutcomeEvent(request.lead, event, request.outcome);
    if (request.content !== 'created') return toEvent(event, request.lead);
    const {lead} = request;
    if (!added || !lead.consent) return toEvent(event, lead);
    // Without these, this attempt would send something else than others: it waits until the store can be read.
    const signed = await added.sign(lead).catch(orNotTried);
    const revokeLink = await added.revokeLink(lead.id).catch(orNotTried);
    return toEvent(event, lead, {...signed, revoke_link: revokeLink});
  }

  return {
    deliver: async (request) => send(reportedEvent(request).id, await eventOf(request), request.attempts),
    test() {
      const {id, event} = sampleEvent();
      return send(id, event, 0);
    },
    close: () => poster.close(),
  };
}

const signature = (secret: Buffer, signed: string) =>
  `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;

/** An event about a lead that nobody sent. `test` says so to programs. The id is that of no other event. */
export function sampleEvent(record = sampleRecord()): {id: string; event: LeadEvent} {
  const {id, createdAt: at, answer} = record;
  const {data, ...head} = toEvent({type: 'lead.created', at, answer}, record);
  return {id: `evt_test_${id}`, event: {...head, test: true, data}};
}
