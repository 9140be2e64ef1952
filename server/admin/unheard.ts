/** Finds stops and erasures that a destination has not been told of yet, for `status`, the overview and alerts. */
import type {Config} from '../config/config.ts';
import {usualTimings} from '../config/timings.ts';
import {onlyForReceivers, type Unheard} from '../leads/deliveries.ts';
import type {ReadStore} from '../leads/ports.ts';
import {explained} from '../observe/causes.ts';
import {isErased} from '../store/rows.ts';
import type {With} from './admin.ts';
import {businessDaysAfter} from './business-days.ts';
import {isPresent, readAddresses} from './destinations.ts';
import {ago, counted} from './words.ts';

/** Milliseconds after which a delivery is late. A working destination gets a lead within seconds, even after a few failures. */
export const lateAfter = 15 * 60_000;
/** Business days within which a request to stop must be followed: 47 CFR 64.1200(a)(10). */
const daysToStop = 10;
/** Up to this many deliveries, people are counted, which decrypts their leads. Beyond it, leads are counted. */
const maxOpened = 200;

type UnheardFinding = {destination: string; text: string; remedy: string};

/**
 * One finding for each destination about stops, and one about erasures: once one of them is late, or as soon as it is clear that
 * it will be.
 */
export async function readUnheard(admin: With<ReadStore, 'config'>): Promise<UnheardFinding[]> {
  const all = await admin.store.unheard();
  const paused = new Map((await admin.store.pausedDestinations()).map((each) => [each.destination, each]));
  const useOf = await readAddresses(admin);
  const found: UnheardFinding[] = [];
  for (const [destination, ofIt] of Map.groupBy(all, (each) => each.destination)) {
    const pause = paused.get(destination);
    for (const content of onlyForReceivers.toReversed()) {
      const own = ofIt.filter((each) => each.content === content);
      const why = own.map((each) => whyNot(admin.config, each, pause)).find((each) => each !== undefined);
      if (why === undefined) continue;
      const filter = {destination, stops: true};
      const stored = await admin.store.listDeliveries(maxOpened, filter);
      const rows = stored.filter((row) => row.content === content);
      const since = Math.min(...own.map((each) => each.since));
      const leads = own.reduce((sum, each) => sum + each.leads, 0);
      const ids = rows.map(({lead}) => lead);
      const people = ids.length < leads ? leads : await countPeople(admin, ids);
      const error = rows.find(({lastError}) => lastError !== null)?.lastError ?? '';
      const places = [
        ...new Set(own.map(({address}) => useOf({destination, address})?.place ?? destination)),
      ];
      const left = rows.flatMap(({recipients}) => recipients?.left ?? []);
      const reason = why || explained(error).text.replace(/\.$/, '');
      const who = (left.length > 0 ? [...new Set(left)] : places).join(', ');
      found.push({
        destination,
        text: `${counted(people, 'person', 'people')} ${content === 'revoked' ? 'said stop' : `${people === 1 ? 'was' : 'were'} erased`}, and ${destination} has not heard it for ${ago(since)}${content === 'revoked' ? `; by ${deadline(since)} it must` : ''}`,
        remedy: `${reason && `${reason}. `}Tell ${who} by hand, then "lead-prequal deliveries drop --destination ${destination} --stops"`,
      });
    }
  }
  return found;
}

/** The last day for following a stop that was asked for at this time, such as `December 11`. */
export const deadline = (asked: number) =>
  new Date(businessDaysAfter(asked, daysToStop)).toLocaleDateString('en-US', {month: 'long', day: 'numeric'});

/** Why a destination was not told of a stop or erasure. Empty if its last error says why; undefined if it is not late yet. */
function whyNot(
  config: Config,
  {destination, address, since, latestAttempt}: Unheard,
  pause: {reason: string; isGone?: boolean} | undefined,
): string | undefined {
  if (!config.destinations.has(destination)) return `${destination} is not configured any more`;
  if (!isPresent(config, {destination, address})) return `${destination} has another address now`;
  if (pause) return pause.isGone ? pause.reason : `${destination} is paused: ${pause.reason}`;
  const [late, isPutOff] = [Date.now() - since, latestAttempt > Date.now() + usualTimings.longestRetry];
  return late > lateAfter || isPutOff ? '' : undefined;
}

/** Counts people by their telephone numbers, where these are known, so that a lead and its duplicate count once. */
async function countPeople({store}: With<ReadStore>, leads: readonly string[]): Promise<number> {
  const [records, kept] = [await store.findRecords(leads), await store.keptConsents(leads)];
  const personOf = (id: string) => {
    const [record, consent] = [records.get(id), kept.get(id)];
    if (!record || 'unreadable' in record) return id;
    if (!isErased(record)) return record.lead.phone.e164;
    return consent && !(consent instanceof Error) ? consent.phone.e164 : (record.duplicateOf ?? id);
  };
  return new Set(leads.map(personOf)).size;
}
