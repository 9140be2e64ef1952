/** How busy partners and addresses are. Nobody is refused for it: the proof of work gets harder. */
import type {Logger} from 'pino';
import type {Partner} from '../partners.ts';

const hour = 3_600_000;
/** Leads of one address in an hour, beyond which its challenges get harder. */
const usualPerAddress = 10;
const harder = 4;

const nameOf = (network: string) => `address ${network}`;

export type Quota = {
  /** How many times harder than usual the next challenge is. */
  difficulty(partner: Partner, network: string): number;
  count(partner: Partner, network: string): void;
};

export function createQuota(log: Logger): Quota {
  let since = Date.now();
  let counts = new Map<string, number>();

  const countOf = (name: string) => {
    if (Date.now() - since > hour) {
      since = Date.now();
      counts = new Map();
    }
    return counts.get(name) ?? 0;
  };

  return {
    difficulty({key, quota_per_hour}, network) {
      const busyPartner = countOf(`partner ${key}`) >= quota_per_hour;
      const busyAddress = countOf(nameOf(network)) >= usualPerAddress;
      return (busyPartner ? harder : 1) * (busyAddress ? harder : 1);
    },
    count({key, quota_per_hour}, network) {
      const total = countOf(`partner ${key}`) + 1;
      counts.set(`partner ${key}`, total);
      counts.set(nameOf(network), countOf(nameOf(network)) + 1);
      if (total === quota_per_hour + 1) {
        log.error(
          {partner: key, quota: quota_per_hour},
          'the partner is over its quota: challenges get harder',
        );
      }
    },
  };
}
