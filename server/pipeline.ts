/**
 * The way of a lead without HTTP: it connects the store, the lead service, and what delivers leads to their destinations.
 * app.ts puts HTTP in front of it.
 */
import {isDeepStrictEqual} from 'node:util';
import type {Config} from './config/config.ts';
import {addressOf, placeOf, type DestinationSettings} from './config/destinations.ts';
import {onceIn} from './config/once-in.ts';
import type {Timings} from './config/timings.ts';
import type {Served} from './destinations/channel.ts';
import {createDispatcher} from './destinations/dispatcher.ts';
import {createDestination, termsOf} from './destinations/kinds.ts';
import type {Network} from './destinations/network.ts';
import {startOutboxCheck} from './destinations/outbox-check.ts';
import {watchPauses} from './destinations/pauses.ts';
import {startWorkers} from './destinations/worker.ts';
import {calculatedAnswer} from './leads/calculated-answer.ts';
import {consentSigner, newEvidence} from './leads/evidence.ts';
import {createLeadService, type LeadService} from './leads/lead-service.ts';
import type {Lead} from './leads/lead-schema.ts';
import type {LeadStore} from './leads/ports.ts';
import {createdAtOf} from './leads/lead-ids.ts';
import {retentionOf, type RetentionConfig} from './leads/retention.ts';
import {revokeLinkOf} from './leads/revocation.ts';
import type {Emit} from './observe/observations.ts';
import type {DestinationReading, OverdueReading, Readings} from './observe/readings.ts';
import {watchEvidence} from './store/evidence-watch.ts';
import {startRetentionJob} from './store/retention-job.ts';
import {startEncryptingClear} from './store/encrypt-clear.ts';
import {watchStore, type StoreWatch} from './store/store-watch.ts';
import {startDeletingExpired, startWritingDigests} from './store/maintenance.ts';

export type Pipeline = {
  /** The service under the configuration in force. A request keeps the service with which it began. */
  readonly service: LeadService;
  /**
   * Puts another configuration in force. What is in progress keeps the old configuration. What waits uses the new one.
   */
  reload(config: Reloaded): void;
  watch: StoreWatch;
  /** True if nothing is sent to a destination, or deliveries wait for one that is not configured. */
  isDegraded: () => boolean;
  /** How the destinations are, as far as this process knows. */
  destinations: () => DestinationReading[];
  /** Which leads are kept past their time, as the last run of the retention job of this process found them. */
  overdue: () => OverdueReading | undefined;
  /** What the metrics read of the store and of the destinations. */
  readings: () => Promise<Pick<Readings, 'isStoreUp' | 'destinations' | 'outbox'>>;
  /** From now on, no waiting delivery is claimed. Resolves when that is so. */
  stopClaiming(): Promise<void>;
  /** Ends the deliveries. The store stays open. @param patience milliseconds until those in progress are cut off */
  close(patience: number): Promise<void>;
};

type Around = {emit: Emit; timings: Timings; network?: Partial<Network>};
type Reloaded = Pick<Config, 'destinations' | 'policy'> & RetentionConfig;

/** @param opened closed by `close` */
export async function startPipeline(
  opened: LeadStore,
  config: Reloaded & Pick<Config, 'publicUrl' | 'formerEvidenceWords'>,
  {emit, timings, network}: Around,
): Promise<Pipeline> {
  const watch = watchStore(opened, emit);
  const {store} = watch;
  const evidence = await watchEvidence({store, emit, timings}, config.formerEvidenceWords);
  const added = {
    sign: consentSigner(store, (id) => evidence.find(id)),
    revokeLink: revokeLinkOf(store, config.publicUrl),
  };
  type Configured = Served & {settings: DestinationSettings};
  let destinations: ReadonlyMap<string, Configured> = new Map();
  /** Makes the destinations. A destination whose settings have not changed is kept. */
  function configure(named: Config['destinations']) {
    const before = destinations;
    destinations = new Map(
      [...named].map(([name, settings]): [string, Configured] => {
        const earlier = before.get(name);
        if (earlier && isDeepStrictEqual(earlier.settings, settings)) return [name, earlier];
        const destination = createDestination(settings, timings.delivery, network, added);
        const terms = termsOf(settings, timings);
        const where = {address: addressOf(settings), place: placeOf(settings)};
        return [name, {settings, destination, terms, ...where}];
      }),
    );
  }
  configure(config.destinations);
  const pauses = await watchPauses({store, emit, timings});
  const dispatcher = createDispatcher({store, destinations, pauses, emit, timings});
  const workers = startWorkers(destinations, {store, dispatcher, emit, timings});
  const names = () => [...destinations.keys()];
  const outbox = startOutboxCheck(names, {store, emit, timings});
  const expiry = startDeletingExpired(store, emit);
  let retention = retentionOf(config);
  const digests = startWritingDigests({store, emit, timings});
  const encrypting = startEncryptingClear({store, emit, timings});
  const retentionJob = startRetentionJob({store, retention: () => retention, emit, timings});
  const serviceUnder = ({policy}: Reloaded) => {
    const calculate = (lead: Lead) => calculatedAnswer(lead, policy);
    const parts = {store, dispatcher: dispatcher.deliverer(), calculate, emit, timings};
    return createLeadService({...parts, evidence: () => newEvidence(evidence.signing())});
  };
  let service = serviceUnder(config);

  /** When each destination last took a delivery before this process began. Read when somebody first asks. */
  let earlier: ReadonlyMap<string, number> | undefined;
  const readEarlier = async () => {
    const last = await store.lastDelivered(names());
    return new Map(last.map(({destination, deliveredAt}) => [destination, deliveredAt]));
  };
  const storedCounts = onceIn(timings.storeReadings, async () => {
    earlier ??= await readEarlier().catch(() => undefined);
    return store.countOutbox().catch(() => undefined);
  });

  function destinationsNow(): DestinationReading[] {
    const since = outbox.missingSince();
    const missing = outbox
      .missing()
      .map((destination) => ({destination, state: 'missing' as const, since, deliveredAt: undefined}));
    return [...dispatcher.states(), ...missing];
  }

  return {
    get service() {
      return service;
    },
    watch,
    reload(reloaded) {
      configure(reloaded.destinations);
      dispatcher.serve(destinations);
      workers.serve(destinations);
      service = serviceUnder(reloaded);
      retention = retentionOf(reloaded);
      earlier = undefined;
      storedCounts.forget();
      outbox.wake();
    },
    isDegraded: () => destinationsNow().some(({state}) => state !== 'ok'),
    destinations: destinationsNow,
    overdue: retentionJob.overdue,
    async readings() {
      const counts = await storedCounts.read();
      return {
        isStoreUp: watch.outage() === undefined,
        destinations: destinationsNow().map(({deliveredAt, ...reading}) => ({
          ...reading,
          deliveredAt: deliveredAt ?? earlier?.get(reading.destination),
        })),
        outbox: counts?.map(({oldest, ...count}) => ({...count, oldestAt: createdAtOf(oldest)})),
      };
    },
    stopClaiming: () => workers.stop(),
    async close(patience) {
      // It may be writing the database anew, which takes minutes. The deliveries end meanwhile.
      const encrypted = encrypting.stop();
      await workers.stop();
      await pauses.stop();
      await outbox.stop();
      await expiry.stop();
      await digests.stop();
      await retentionJob.stop();
      await evidence.stop();
      watch.stop();
      await service.close(patience);
      await encrypted;
    },
  };
}
