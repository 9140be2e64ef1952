/**
 * Makes the proof of work harder when a partner or an address sends many leads, and limits how many challenges of an
 * address are valid at once. No lead is refused for good because of this: when a challenge has become too easy or too
 * old, the form fetches a new one and solves it by itself.
 */
import type {Partner} from '../../config/partners.ts';
import type {Emit} from '../../observe/observations.ts';
import {networksAround} from '../../config/addresses.ts';
import type {Counters} from '../limits/counters.ts';
import {counterName, countInNetworks} from '../limits/network-count.ts';
import {challengeLifetime, type ChallengeTerms} from './proof.ts';

const hour = 3_600_000;
/** After this many leads of an address within an hour, its challenges get harder. The networks around it may send more. */
const leadsPerAddress = 10;
/** How many times harder a challenge gets for each limit that was reached: the partner's and the address's. */
const harder = 4;
/**
 * Of the challenges of an address, only the newest are valid: at least this many, or as many as the address may
 * fetch in 20 seconds if that is more, because many visitors of an office may share one address. The limit keeps an
 * attacker from collecting easy challenges for a flood of leads.
 */
const minValidChallenges = 20;

/** The values of the counters that decide about a challenge, read when a request arrives. */
export type QuotaState = {
  /** How many times harder than usual challenges are now. */
  factor: number;
  /** The number of the newest challenge of the address. */
  newest: number;
  /** Where `newest` was counted (see `Backend` in counters.ts). */
  backend: string;
};

export type Quota = {
  read(partner: Partner, network: string): Promise<QuotaState>;
  /** Numbers the next challenge of an address, and says how hard it is. */
  nextTerms(partner: Partner, network: string): Promise<ChallengeTerms>;
  /** Whether a challenge is hard enough for now, and among the newest of its address. */
  accepts(terms: ChallengeTerms, now: QuotaState): boolean;
  /** Never rejects. */
  countLead(partner: Partner, network: string): Promise<void>;
};

/** @param perMinute how often an address may fetch a challenge */
export function createQuota(counters: Counters, perMinute: number, emit: Emit): Quota {
  const validChallenges = Math.max(minValidChallenges, Math.ceil(perMinute / 3));
  const leadsOf = ({key}: Partner) => `leads of partner:${key}`;
  const leadsFrom = {what: 'leads of address', window: hour, limit: leadsPerAddress};
  const challengesOf = (network: string) => `challenges:${network}`;

  async function read(partner: Partner, network: string): Promise<QuotaState> {
    const around = networksAround(network);
    const ofNetworks = around.map((each) => counterName(leadsFrom.what, each.network));
    const {counts, backend} = await counters.read([leadsOf(partner), challengesOf(network), ...ofNetworks]);
    const [ofPartner = 0, newest = 0, ...sent] = counts;
    const isBusy = around.some(({times}, index) => (sent[index] ?? 0) >= leadsFrom.limit * times);
    const factor = (ofPartner >= partner.quotaPerHour ? harder : 1) * (isBusy ? harder : 1);
    return {factor, newest, backend};
  }

  return {
    read,

    async nextTerms(partner, network) {
      // Each challenge restarts the counter's window, so that the counter outlives all challenges that it numbered. If
      // it expired earlier, numbers would start from 1 again and old challenges would count as new.
      const counter = {name: challengesOf(network), window: challengeLifetime, renew: true};
      // Redis receives both commands in one packet.
      const [{factor}, {count: number, backend}] = await Promise.all([
        read(partner, network),
        counters.increment(counter),
      ]);
      return {factor, number, backend};
    },

    accepts: (terms, now) => {
      if (terms.factor < now.factor) return false;
      // Redis was lost or came back since the challenge was made, so the two numbers cannot be compared.
      if (terms.backend !== now.backend) return true;
      const newer = now.newest - terms.number;
      return newer >= 0 && newer < validChallenges;
    },

    async countLead(partner, network) {
      const [ofPartner] = await Promise.all([
        counters.increment({name: leadsOf(partner), window: hour}),
        countInNetworks(counters, leadsFrom, network),
      ]);
      const {key, quotaPerHour: quota} = partner;
      if (ofPartner.count === quota + 1) emit({type: 'quota-exceeded', partner: key, quota});
    },
  };
}
