/**
 * Collects deliveries for a digest. The worker hands over all deliveries of a destination that are due, one after
 * another, and each of them ends when the e-mail that reports it is sent or has failed.
 */
import type {Settlement} from '../../leads/deliveries.ts';
import type {DeliveryRequest} from '../destination.ts';
import {digestLeads} from '../terms.ts';

type Waiting = {
  request: DeliveryRequest;
  resolve: (settlement: Settlement) => void;
  reject: (error: unknown) => void;
};

/** Milliseconds for which the first delivery waits for others. */
const collectingTime = 100;

/** @param send sends one e-mail about all requests. Each of them ends as the e-mail does, and fails if `send` throws */
export function createCollector(
  send: (requests: readonly DeliveryRequest[]) => Promise<Settlement>,
): (request: DeliveryRequest) => Promise<Settlement> {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function sendAll() {
    clearTimeout(timer);
    const batch = waiting;
    waiting = [];
    try {
      const settlement = await send(batch.map(({request}) => request));
      for (const {resolve} of batch) resolve(settlement);
    } catch (error) {
      for (const {reject} of batch) reject(error);
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({request, resolve, reject});
      if (waiting.length === 1) timer = setTimeout(() => void sendAll(), collectingTime);
      if (waiting.length === digestLeads) void sendAll();
    });
}
