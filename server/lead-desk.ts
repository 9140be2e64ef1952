/**
 * Takes a valid lead in and gives its result out: the one place that knows the store, the calculator and the
 * courier. A lead is committed before anyone else hears of it.
 */
import {randomUUIDv7} from 'node:crypto';
import type {Logger} from 'pino';
import type {Lead} from '../contract/lead-schema.ts';
import type {Answer} from './answer.ts';
import type {Courier} from './delivery/courier.ts';
import type {Pace} from './delivery/pace.ts';
import type {Accepted, IdempotencyKey, LeadEntry, LeadStore, StoredLead} from './store/lead-store.ts';

export type Submission = Pick<
  LeadEntry,
  'lead' | 'partner' | 'proof' | 'consent' | 'attribution' | 'suspect' | 'supersedes'
> & {
  /** The name of the upstream that answers; the calculator does where there is none. */
  upstream: string | undefined;
  /** Digests, one a token key and the newest first: the store may know the lead by any of them. */
  idempotency?: readonly IdempotencyKey[] | undefined;
  sameLead?: readonly string[];
  /** Stored, but not delivered before an operator says so. */
  hold?: boolean;
};

export type LeadDesk = {
  /** Resolves once the lead is committed and, where an upstream is asked, has answered or the wait is over. */
  take(submission: Submission): Promise<Accepted>;
  find(id: string): Promise<StoredLead | undefined>;
  /** The lead that one of the digests stands for, where there is one. */
  replay(digests: readonly IdempotencyKey[]): Promise<StoredLead | 'key-reused' | undefined>;
  /** Gives deliveries under way so many milliseconds; what is not done by then is taken up at the next start. */
  close(patience: number): Promise<void>;
};

type Parts = {
  store: LeadStore;
  calculate: (lead: Lead) => Answer;
  courier: Courier;
  log: Logger;
  pace: Pace;
};

/** Other texts are nobody's id, and PostgreSQL would choke on some. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const pending: Answer = {status: 'pending'};

export function createLeadDesk({store, calculate, courier, log, pace}: Parts): LeadDesk {
  async function deliverInTime(lead: StoredLead, upstream: string, leaseEnd: number): Promise<Answer> {
    const {promise: waitOver, resolve} = Promise.withResolvers<Answer>();
    const timer = setTimeout(resolve, pace.patience, pending).unref();
    const delivery = courier.deliver({lead, upstream, attempts: 0, ambiguous: 0, leaseEnd});
    const answer = await Promise.race([delivery, waitOver]);
    clearTimeout(timer);
    return answer;
  }

  return {
    async take({upstream, hold = false, idempotency = [], sameLead = [], ...submission}) {
      const createdAt = Date.now();
      const leaseEnd = createdAt + pace.lease;
      // When too many deliveries wait already, a worker takes this one up as soon as it can.
      const deliverNow = upstream !== undefined && !hold && !courier.full(upstream);
      const accepted = await store.accept({
        ...submission,
        idempotency: await knownOrFirst(idempotency, ({owner, digest}) => store.findByKey(owner, digest)),
        sameLead: await knownOrFirst(sameLead, (digest) => store.findSameLead(submission.partner, digest)),
        id: randomUUIDv7(),
        createdAt,
        answer: upstream === undefined ? calculate(submission.lead) : pending,
        // Until the lease ends the delivery is ours; a worker takes it up if this process dies with it.
        delivery:
          upstream === undefined
            ? undefined
            : {
                upstream,
                state: hold ? 'held' : 'waiting',
                nextAttemptAt: deliverNow ? leaseEnd : createdAt,
                leaseEnd: deliverNow ? leaseEnd : undefined,
              },
      });
      if (!('stored' in accepted) || accepted.stored.answer.status !== 'pending') return accepted;
      const {stored} = accepted;
      if (hold && accepted.outcome === 'created') {
        const {partner, suspect: reason} = submission;
        log.warn({lead: stored.id, partner, upstream, reason}, 'a suspect lead is held for the operator');
      }
      if (accepted.deliver && upstream !== undefined) {
        return {...accepted, stored: {...stored, answer: await deliverInTime(stored, upstream, leaseEnd)}};
      }
      // A duplicate may have its answer already.
      return {...accepted, stored: (await store.find(stored.id).catch(() => undefined)) ?? stored};
    },

    async replay(digests) {
      for (const {owner, digest, fingerprint} of digests) {
        const used = await store.findByKey(owner, digest);
        if (used) return used.fingerprint === fingerprint ? store.find(used.leadId) : 'key-reused';
      }
      return undefined;
    },

    find: (id) => (uuid.test(id) ? store.find(id) : Promise.resolve(undefined)),

    async close(patience) {
      await courier.close(patience);
      await store.close();
    },
  };
}

/** Stored is under the first token key; only after a rotation is there an older one to look under. */
async function knownOrFirst<Digest>(
  digests: readonly Digest[],
  find: (digest: Digest) => Promise<unknown>,
): Promise<Digest | undefined> {
  for (const digest of digests.length > 1 ? digests : []) {
    if ((await find(digest)) !== undefined) return digest;
  }
  return digests[0];
}
