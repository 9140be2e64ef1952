/**
 * Changes to the server that lose, double, delay or stop leads. The simulation must find each of them, or it is worth
 * nothing: `npm run simulate -- --mutants` plants one after another. The last ones are bugs that it found; chance seldom
 * builds what they take, so kept plans find them.
 */
import type {Flavour} from './plan.ts';

/** `from` is text that stands in the file once. `plan` is the name of a kept plan. */
export type Mutant = {name: string; file: string; from: string; to: string} & (
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
  },
  {
    name: 'announce nothing',
    file: 'server/store/delivery-queries.ts',
    from: '        announce(now, lead, lead, answer.status),\n',
    to: '',
    flavour: 'usual',
  },
  {
    name: 'ignore the lease',
    file: 'server/destinations/worker.ts',
    from: "const dueAgain = leaseEnd + randomPart('dueAgain');",
    to: "const dueAgain = now + randomPart('dueAgain');",
    flavour: 'usual',
  },
  {
    name: 'retry only in memory',
    file: 'server/destinations/courier.ts',
    from: 'await records.postponed(due, plan);',
    to: '',
    flavour: 'operated',
  },
  {
    name: 'do not end the lease at a postponement',
    file: 'server/store/delivery-queries.ts',
    from: 'SET next_attempt_at = $1, leased_until = 0, last_error = $2,\n          attempts',
    to: 'SET next_attempt_at = $1, last_error = $2,\n          attempts',
    flavour: 'operated',
  },
  {
    name: 'take a lost claim for delivered',
    file: 'server/store/delivery-queries.ts',
    from: "CASE WHEN lost = 1 AND sends + 1 >= CAST($1 AS BIGINT) THEN 'held'",
    to: "CASE WHEN lost = 1 AND $1 > 0 THEN 'delivered'",
    flavour: 'crashing',
  },
  {
    name: 'do not honour a pause',
    file: 'server/destinations/pauses.ts',
    from: 'has: (destination) => !isRead || paused.has(destination),',
    to: 'has: () => !isRead,',
    flavour: 'operated',
  },
  {
    name: 'forget the owner of a key',
    file: 'server/store/new-lead.ts',
    from: 'WHERE owner = $1 AND digest = $2',
    to: 'WHERE $1 IS NOT NULL AND digest = $2',
    flavour: 'calm',
  },
  {
    name: 'do not store the id that a destination gave',
    file: 'server/destinations/delivery-records.ts',
    from: 'await write(() => store.recordRemoteId(identify(due), remoteId));',
    to: '',
    flavour: 'usual',
  },
  {
    name: 'overwrite an answer that is done',
    file: 'server/store/delivery-queries.ts',
    from: `answerLead('delivered', "status <> 'done'")`,
    to: `answerLead('delivered', "status <> ''")`,
    plan: 'two-answers',
  },
  {
    name: 'send what was claimed before a pause',
    file: 'server/destinations/courier.ts',
    from: "if (pauses.has(due.destination)) throw new NotTried('The destination is paused');",
    to: '',
    plan: 'paused-in-the-queue',
  },
  {
    name: 'send without limit when the process dies each time',
    file: 'server/store/delivery-queries.ts',
    from: 'CASE WHEN lost = 1 AND sends + 1 >= CAST($1 AS BIGINT) THEN',
    to: 'CASE WHEN lost = 1 AND sends < 0 AND $1 > 0 THEN',
    plan: 'crash-at-each-attempt',
  },
  {
    name: 'blame the upstream for an outage of the store',
    file: 'server/destinations/lead-api/lead-api.ts',
    from: '        await onTaken(remoteId);\n',
    to: '        await onTaken(remoteId);\n        left = timeout - (performance.now() - begun);\n',
    plan: 'blamed-for-the-store',
  },
  {
    name: 'take a claim for sent whose commit was lost',
    file: 'server/destinations/worker.ts',
    from: 'courier.abandon(destination, {leaseEnd, dueAgain});',
    to: '',
    plan: 'claim-without-reply',
  },
  {
    name: 'take a new lead for sent whose commit was lost',
    file: 'server/leads/lead-desk.ts',
    from: 'if (error instanceof StoreUnavailable) abandonDeliveries(entry);',
    to: '',
    plan: 'lead-without-reply',
  },
  {
    name: 'answer with what the store did not keep',
    file: 'server/store/delivery-queries.ts',
    from: 'return answered.length > 0 ? answer : (await find(lead))?.answer;',
    to: 'return answered.length >= 0 ? answer : undefined;',
    plan: 'clocks-apart',
  },
];
