/**
 * Collects deliveries for a digest. The worker hands over all deliveries of a destination that are due, one after
 * another, and each of them ends when the e-mail that reports it is sent or has failed.
 */
import type {Recipients, Settlement} from '../../leads/deliveries.ts';
import type {DeliveryRequest} from '../destination.ts';
import {digestLeads} from '../terms.ts';

type Waiting = {
  request: DeliveryRequest;
  resolve: (settlement: Promise<Settlement>) => void;
  reject: (error: unknown) => void;
};

/** Milliseconds for which the first delivery waits for others. */
const collectingTime = 100;

/**
 * @param send sends one e-mail about all requests, which have the same `recipients`. All requests fail if it throws
 * @param outcomeOf says or throws what the result of that is for one of them
 */
export function createCollector<Result>(
  send: (requests: readonly DeliveryRequest[], recipients: Recipients | null) => Promise<Result>,
  outcomeOf: (result: Result, request: DeliveryRequest) => Settlement,
): (request: DeliveryRequest) => Promise<Settlement> {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function sendAll() {
    clearTimeout(timer);
    const batch = waiting;
    waiting = [];
    // What some recipients have already goes to the others alone, so it cannot be in the e-mail with the rest.
    const groups = Map.groupBy(batch, ({request}) => JSON.stringify(request.recipients)).values();
    await Promise.all([...groups].map(sendGroup));
  }

  async function sendGroup(group: readonly Waiting[]) {
    const requests = group.map(({request}) => request);
    try {
      const result = await send(requests, requests[0]?.recipients ?? null);
      // A promise rejects if this throws.
      for (const {request, resolve} of group)
        resolve(Promise.resolve(result).then((sent) => outcomeOf(sent, request)));
    } catch (error) {
      for (const {reject} of group) reject(error);
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({request, resolve, reject});
      if (waiting.length === 1) timer = setTimeout(() => void sendAll(), collectingTime);
      if (waiting.length === digestLeads) void sendAll();
    });
}
