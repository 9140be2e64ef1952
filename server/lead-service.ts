/**
 * The lead service without HTTP: it connects the store, the lead desk, and what delivers leads to their destinations.
 * app.ts puts HTTP in front of it.
 */
import type {Config} from './config/config.ts';
import type {Timings} from './config/timings.ts';
import {createCourier, type Served} from './destinations/courier.ts';
import {createDestination, termsOf} from './destinations/kinds.ts';
import type {Network} from './destinations/network.ts';
import {startOutboxCheck} from './destinations/outbox-check.ts';
import {watchPauses} from './destinations/pauses.ts';
import {startWorkers} from './destinations/worker.ts';
import {calculatedAnswer} from './leads/calculated-answer.ts';
import {createLeadDesk, type LeadDesk} from './leads/lead-desk.ts';
import type {Lead} from './leads/lead-schema.ts';
import type {LeadStore} from './leads/lead-store.ts';
import {createdAtOf} from './leads/lead-ids.ts';
import type {Emit} from './observe/observations.ts';
import type {Readings} from './observe/readings.ts';
import {startDeletingExpired} from './store/expiry.ts';
import {watchStore, type StoreWatch} from './store/store-watch.ts';

export type LeadService = {
  desk: LeadDesk;
  watch: StoreWatch;
  /** True if a destination gets nothing, or deliveries wait for one that is not configured. */
  isDegraded: () => boolean;
  /** What the metrics read of the store and of the destinations. */
  readings: () => Promise<Pick<Readings, 'isStoreUp' | 'destinations' | 'outbox'>>;
  /** From now on, no waiting delivery is claimed. Resolves when that is so. */
  stopClaiming(): Promise<void>;
  /** Ends the deliveries and closes the store. @param patience milliseconds until deliveries in progress are cut off */
  close(patience: number): Promise<void>;
};

type Around = {emit: Emit; timings: Timings; network?: Partial<Network>};

/** @param opened closed by `close` */
export async function startLeadService(
  opened: LeadStore,
  config: Pick<Config, 'destinations' | 'onAmbiguous' | 'outboxPerSecond' | 'policy'>,
  {emit, timings, network}: Around,
): Promise<LeadService> {
  const watch = watchStore(opened, emit);
  const {store} = watch;
  const {onAmbiguous, outboxPerSecond: perSecond, policy} = config;
  const {newsGivenUpAfter} = timings;
  const destinations = new Map<string, Served>();
  for (const [name, settings] of config.destinations) {
    destinations.set(name, {
      destination: createDestination(settings, timings.delivery, network),
      terms: termsOf(settings, {perSecond, onAmbiguous, newsGivenUpAfter}),
    });
  }
  const pauses = await watchPauses({store, emit, timings});
  const courier = createCourier({store, destinations, pauses, emit, timings});
  const workers = startWorkers(destinations, {store, courier, emit, timings});
  const outbox = startOutboxCheck(destinations, {store, emit, timings});
  const expiry = startDeletingExpired(store, emit);
  const calculate = (lead: Lead) => calculatedAnswer(lead, policy);
  const desk = createLeadDesk({store, courier, calculate, emit, timings});

  /** When each destination last took a delivery before this process began. Read when somebody first asks. */
  let earlier: ReadonlyMap<string, number> | undefined;
  const readEarlier = async () => {
    const last = await store.lastDelivered([...config.destinations.keys()]);
    return new Map(last.map(({destination, deliveredAt}) => [destination, deliveredAt]));
  };

  return {
    desk,
    watch,
    isDegraded: () => outbox.missing().length > 0 || courier.states().some(({state}) => state !== 'ok'),
    async readings() {
      earlier ??= await readEarlier().catch(() => undefined);
      const counts = await store.countOutbox().catch(() => undefined);
      const missing = outbox.missing().map((destination) => ({
        destination,
        state: 'missing' as const,
        since: outbox.missingSince(),
        deliveredAt: undefined,
      }));
      return {
        isStoreUp: watch.outage() === undefined,
        destinations: [
          ...courier.states().map(({deliveredAt, ...reading}) => ({
            ...reading,
            deliveredAt: deliveredAt ?? earlier?.get(reading.destination),
          })),
          ...missing,
        ],
        outbox: counts?.map(({oldest, ...count}) => ({...count, oldestAt: createdAtOf(oldest)})),
      };
    },
    stopClaiming: () => workers.stop(),
    async close(patience) {
      await workers.stop();
      await pauses.stop();
      await outbox.stop();
      await expiry.stop();
      watch.stop();
      await desk.close(patience);
    },
  };
}
