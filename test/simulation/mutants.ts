/**
 * Changes to the server that lose, double, delay or stop leads. The simulation must find each of them, or it is worth
 * nothing: `npm run simulate -- --mutants` plants one after another. The last ones are bugs that it found; chance seldom
 * builds what they take, so kept plans find them.
 */
import type {RuleName} from './check.ts';
import type {Flavour} from './plan.ts';

/** `from` is text that stands in the file once. `plan` is the name of a kept plan, `violates` the rule that finds it. */
export type Mutant = {name: string; file: string; from: string; to: string; violates: RuleName} & (
  {flavour: Flavour} | {plan: string}
);

export const mutants: readonly Mutant[] = [
  {
    name: 'acknowledge before the commit',
    file: 'server/store/sqlite/store.ts',
    from: 'return toAccepted(entry, () => writes.add({accept: rows}) as Promise<Written>, queries.find);',
    to: `writes.add({accept: rows}).catch(() => undefined);
      return toAccepted(entry, () => Promise.resolve({outcome: 'created', duplicateOf: null}), queries.find);`,
    flavour: 'outages',
    violates: 'an acknowledged lead is stored with what was sent',
  },
  {
    name: 'announce nothing',
    file: 'server/store/delivery-queries.ts',
    from: '        announce(now, lead, lead, answer.status),\n',
    to: '',
    flavour: 'usual',
    violates: 'those who were told of a lead are told of its answer',
  },
  {
    name: 'ignore the lease',
    file: 'server/destinations/worker.ts',
    from: "const dueAgain = leaseEnd + randomPart('dueAgain');",
    to: "const dueAgain = now + randomPart('dueAgain');",
    flavour: 'usual',
    violates: 'no delivery is under way twice at once',
  },
  {
    name: 'retry only in memory',
    file: 'server/destinations/courier.ts',
    from: 'await records.postponed(due, plan);',
    to: '',
    flavour: 'operated',
    violates: 'attempts that are counted were sent',
  },
  {
    name: 'do not end the lease at a postponement',
    file: 'server/store/delivery-queries.ts',
    from: 'SET next_attempt_at = $1, leased_until = 0, last_error = $2,\n          attempts',
    to: 'SET next_attempt_at = $1, last_error = $2,\n          attempts',
    flavour: 'operated',
    violates: 'attempts that are counted were sent',
  },
  {
    name: 'take a lost claim for delivered',
    file: 'server/store/delivery-queries.ts',
    from: "CASE WHEN lost = 1 AND sends + 1 >= CAST($1 AS BIGINT) THEN 'held'",
    to: "CASE WHEN lost = 1 AND $1 > 0 THEN 'delivered'",
    flavour: 'crashing',
    violates: 'an acknowledged lead has a delivery to each of its destinations',
  },
  {
    name: 'do not honour a pause',
    file: 'server/destinations/pauses.ts',
    from: 'has: (destination) => !isRead || paused.has(destination),',
    to: 'has: () => !isRead,',
    flavour: 'operated',
    violates: 'nothing is sent to a destination that is paused, or asked for nothing more',
  },
  {
    name: 'forget the owner of a key',
    file: 'server/store/new-lead.ts',
    from: 'WHERE owner = $1 AND digest = $2',
    to: 'WHERE $1 IS NOT NULL AND digest = $2',
    flavour: 'calm',
    violates: 'one key is one lead',
  },
  {
    name: 'do not store the id that a destination gave',
    file: 'server/destinations/delivery-records.ts',
    from: 'await write(() => store.recordRemoteId(identify(due), remoteId));',
    to: '',
    flavour: 'usual',
    violates: 'what was taken or refused is not sent again',
  },
  {
    name: 'overwrite an answer that is done',
    file: 'server/store/delivery-queries.ts',
    from: `answerLead('delivered', "status <> 'done'")`,
    to: `answerLead('delivered', "status <> ''")`,
    plan: 'two-answers',
    violates: 'an answer that is done never changes',
  },
  {
    name: 'send what was claimed before a pause',
    file: 'server/destinations/courier.ts',
    from: "if (pauses.has(due.destination)) throw new NotTried('The destination is paused');",
    to: '',
    plan: 'paused-in-the-queue',
    violates: 'nothing is sent to a destination that is paused, or asked for nothing more',
  },
  {
    name: 'send without limit when the process dies each time',
    file: 'server/store/delivery-queries.ts',
    from: 'CASE WHEN lost = 1 AND sends + 1 >= CAST($1 AS BIGINT) THEN',
    to: 'CASE WHEN lost = 1 AND sends < 0 AND $1 > 0 THEN',
    plan: 'crash-at-each-attempt',
    violates: 'a lead is sent no more often than agreed while it is unclear whether it arrived',
  },
  {
    name: 'blame the upstream for an outage of the store',
    file: 'server/destinations/lead-api/lead-api.ts',
    from: '        await onTaken(remoteId);\n',
    to: '        await onTaken(remoteId);\n        left = timeout - (performance.now() - begun);\n',
    plan: 'blamed-for-the-store',
    violates: 'a destination has its time before it is given up',
  },
  {
    name: 'take a claim for sent whose commit was lost',
    file: 'server/destinations/worker.ts',
    from: 'courier.abandon(destination, {leaseEnd, dueAgain});',
    to: '',
    plan: 'claim-without-reply',
    violates: 'nothing is held as unclear that was never sent',
  },
  {
    name: 'take a new lead for sent whose commit was lost',
    file: 'server/leads/lead-desk.ts',
    from: 'if (error instanceof StoreUnavailable) abandonDeliveries(entry);',
    to: '',
    plan: 'lead-without-reply',
    violates: 'nothing is held as unclear that was never sent',
  },
  {
    name: 'answer with what the store did not keep',
    file: 'server/store/delivery-queries.ts',
    from: 'return answered.length > 0 ? answer : (await find(lead))?.answer;',
    to: 'return answered.length >= 0 ? answer : undefined;',
    plan: 'clocks-apart',
    violates: 'an answer that is done never changes',
  },
  {
    name: 'send what an operator dropped',
    file: 'server/store/delivery-queries.ts',
    from: "WHERE destination = $2 AND state = 'waiting' AND next_attempt_at <= $3",
    to: "WHERE destination = $2 AND state IN ('waiting', 'dropped') AND next_attempt_at <= $3",
    flavour: 'operated',
    violates: 'what an operator dropped is not sent',
  },
  {
    name: 'release held leads with all others',
    file: 'server/store/operator-queries.ts',
    from: `" AND state <> 'held'"`,
    to: "''",
    flavour: 'operated',
    violates: 'a lead that is held is not sent',
  },
  {
    name: 'forget that a lead is a duplicate',
    file: 'server/store/new-lead.ts',
    from: 'WHERE partner = $1 AND digest = $2 AND created_at > $3',
    to: 'WHERE partner = $1 AND digest = $2 AND created_at > $3 AND 1 = 0',
    flavour: 'calm',
    violates: 'the same lead of a partner is one lead with duplicates',
  },
  {
    name: 'begin all that is due at once',
    file: 'server/destinations/courier.ts',
    from: 'return Math.min(channel.breaker.room(), channel.pace.available());',
    to: 'return channel.breaker.room();',
    flavour: 'crowded',
    violates: 'no more is under way at once, and begins in a second, than agreed',
  },
  {
    name: 'send from the queue by the rules before a reload',
    file: 'server/destinations/courier.ts',
    from: "if (!isServed(due.destination, channel)) throw new NotTried('The configuration has changed');",
    to: '',
    plan: 'reloaded-in-the-queue',
    violates: 'nothing is sent by rules that are not in force',
  },
  {
    name: 'send to a new address what was meant for the one before',
    file: 'server/destinations/courier.ts',
    from: 'if (isForElsewhere(due.destination, due)) return await hold(delivery);',
    to: '',
    flavour: 'reloaded',
    violates: 'nothing goes to an address for which it was not meant',
  },
  {
    name: 'store a lead for the address of now instead of that of its request',
    file: 'server/destinations/courier.ts',
    from: 'addressOf: (destination) => known.get(destination)?.address ?? null,',
    to: 'addressOf: () => null,',
    flavour: 'reloaded',
    violates: 'nothing goes to an address for which it was not meant',
  },
  {
    name: 'send each digest twice',
    file: 'server/destinations/email/collector.ts',
    from: 'const settlement = await send(requests, requests[0]?.recipients ?? null);',
    to: `await send(requests, requests[0]?.recipients ?? null);
      const settlement = await send(requests, requests[0]?.recipients ?? null);`,
    flavour: 'calm',
    violates: 'a digest reports no news again that the mail server took',
  },
];
