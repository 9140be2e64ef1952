/**
 * How busy partners and addresses are, and how many challenges an address holds. Nobody is refused for it: the
 * proof of work gets harder, and a challenge that is too easy or too old by now is replaced by a fresh one, which
 * the form asks for and solves by itself.
 */
import type {Logger} from 'pino';
import type {Partner} from '../partners.ts';
import type {Counts} from './counts.ts';
import {challengeLifetime, type Issue} from './proof.ts';

const hour = 3_600_000;
/** Leads of one address in an hour, beyond which its challenges get harder. */
const usualPerAddress = 10;
const harder = 4;
/**
 * So many challenges of one address are good at the same time, the newest ones; whoever collects cheap challenges
 * to send a flood of leads later has no more than these. An office behind one address may hold more where the
 * operator lets an address send more requests: as many as it may fetch in 20 seconds.
 */
const leastHeld = 20;

/** What is known of a partner and an address when a request arrives. */
export type Standing = {
  /** How many times harder than usual challenges are. */
  factor: number;
  /** The number of the newest challenge of the address. */
  newest: number;
  /** Where it was counted: numbers of two places cannot be compared. */
  place: string;
};

export type Quota = {
  look(partner: Partner, network: string): Promise<Standing>;
  /** What the next challenge of the address is bound to. */
  issue(partner: Partner, network: string): Promise<Issue>;
  /** Whether a challenge that was issued so is still as hard as one of now, and among the newest ones. */
  accepts(issued: Issue, now: Standing): boolean;
  /** Counts a lead. Never rejects. */
  count(partner: Partner, network: string): Promise<void>;
};

/** @param perMinute how often an address may fetch a challenge */
export function createQuota(counts: Counts, perMinute: number, log: Logger): Quota {
  const mostHeld = Math.max(leastHeld, Math.ceil(perMinute / 3));
  const leadsOf = ({key}: Partner) => `leads of partner:${key}`;
  const leadsFrom = (network: string) => `leads of address:${network}`;
  const challengesOf = (network: string) => `challenges:${network}`;

  async function look(partner: Partner, network: string): Promise<Standing> {
    const names = [leadsOf(partner), leadsFrom(network), challengesOf(network)];
    const {counts: read, place} = await counts.read(names);
    const [ofPartner = 0, ofAddress = 0, newest = 0] = read;
    const factor =
      (ofPartner >= partner.quota_per_hour ? harder : 1) * (ofAddress >= usualPerAddress ? harder : 1);
    return {factor, newest, place};
  }

  return {
    look,

    async issue(partner, network) {
      // The number must outlive every challenge before it, or old ones would count as new again.
      const addition = {name: challengesOf(network), window: challengeLifetime, renew: true};
      // Both leave for Redis together.
      const [{factor}, {counts: added, place}] = await Promise.all([
        look(partner, network),
        counts.add([addition]),
      ]);
      return {factor, number: added[0]!.count, place};
    },

    accepts: (issued, now) => {
      if (issued.factor < now.factor) return false;
      if (issued.place !== now.place) return true;
      const newer = now.newest - issued.number;
      return newer >= 0 && newer < mostHeld;
    },

    async count(partner, network) {
      const {counts: added} = await counts.add([
        {name: leadsOf(partner), window: hour},
        {name: leadsFrom(network), window: hour},
      ]);
      const {key, quota_per_hour: quota} = partner;
      if (added[0]!.count === quota + 1) {
        log.error({partner: key, quota}, 'the partner is over its quota: challenges get harder');
      }
    },
  };
}
