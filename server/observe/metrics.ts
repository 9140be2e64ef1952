/**
 * The metrics that Prometheus reads. Counters and histograms listen to the observations; gauges are set from readings of
 * the server when somebody asks for the metrics. The help of each says what it means, and docs/operations.md which to watch.
 *
 * The values of labels are the names in the configuration, and `other` for any other name, so that no stranger can make
 * the number of time series grow.
 */
import {collectDefaultMetrics, Counter, Gauge, Histogram, Registry} from 'prom-client';
import {leadStatuses} from '../../contract/embed.ts';
import type {Config} from '../config/config.ts';
import type {Emit, Observation, ObservationType} from './observations.ts';
import {destinationStates, type Readings} from './readings.ts';
import {isOfCaller, refusalIn} from './refusals.ts';

export type Metrics = {
  /** Listens to an observation. */
  emit: Emit;
  /** The metrics as Prometheus reads them. */
  write(readings: Readings): Promise<{type: string; text: string}>;
};

/** The label `partner` of leads of `/json/leads`, which have no partner. */
const noPartner = '-';

/** Seconds. A commit takes about a millisecond on a good disk; a visitor waits 2.5 s for an upstream. */
const commitBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const answerBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** What became of an attempt that failed, by the state of its delivery. */
const failedOutcomes = {waiting: 'postponed', held: 'held', failed: 'given-up'} as const;

type Listeners = {[Type in ObservationType]?: (observation: Observation<Type>) => void};

type Defined = ReturnType<typeof defineMetrics>;

function defineMetrics(registry: Registry, hasRedis: boolean) {
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({name: `lead_prequal_${name}`, help, labelNames, registers});
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({name: `lead_prequal_${name}`, help, labelNames, registers});
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({name: `lead_prequal_${name}`, help, buckets, labelNames, registers});

  const metrics = {
    leads: counter('leads_total', 'Leads that were stored.', 'partner', 'type', 'answer'),
    refusals: counter('refusals_total', 'Requests that were refused.', 'partner', 'reason'),
    answers: histogram('answer_seconds', 'From a lead to its answer.', answerBuckets, 'api'),
    attempts: counter('deliveries_total', 'Attempts to deliver, by their outcome.', 'destination', 'outcome'),
    commits: histogram('commit_seconds', 'How long a write waits for its commit.', commitBuckets),
    erased: counter('retention_erased_total', 'Erased, because they were kept long enough.', 'what'),
    overdue: gauge('overdue_leads', 'Leads that are kept past their time.', 'destination', 'reason'),
    storeUp: gauge('store_up', '1 while leads can be stored, else 0.'),
    outbox: gauge('outbox_deliveries', 'Deliveries in the outbox.', 'destination', 'state'),
    oldest: gauge(
      'outbox_oldest_age_seconds',
      'The age of the oldest lead that waits for a destination.',
      'destination',
    ),
    late: gauge('outbox_late_seconds', 'The same age. Alerts use this name.', 'destination'),
    state: gauge('destination_state', '1 for the state, 0 for all others.', 'destination', 'state'),
    since: gauge('destination_state_since_timestamp_seconds', 'When the state began.', 'destination'),
    delivered: gauge(
      'destination_last_success_timestamp_seconds',
      'When it last took a delivery.',
      'destination',
    ),
    connections: gauge('connections', 'Open connections.'),
    reloadOk: gauge(
      'config_last_reload_successful',
      '1 if the configuration that was read last is in force, 0 if it was refused.',
    ),
    reloadedAt: gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration in force was read.',
    ),
    diskFree: gauge('disk_free_bytes', 'Free bytes of the disk with the database.'),
    diskSize: gauge('disk_size_bytes', 'Bytes of that disk.'),
    redisUp: !hasRedis ? undefined : gauge('redis_up', '1 while Redis is used, else 0.'),
  };
  for (const what of ['leads', 'consents']) metrics.erased.inc({what}, 0);
  metrics.redisUp?.set(1);
  metrics.reloadOk.set(1);
  metrics.reloadedAt.setToCurrentTime();
  collectDefaultMetrics({register: registry});
  return metrics;
}

type NameOf = (name: string | undefined) => string;
/** The values of labels, by the configuration in force. */
type Names = {partnerOf: NameOf; destinationOf: NameOf};

/** A counter that begins at 0 shows its first lead as an increase. */
function startCounters({leads, attempts}: Defined, {partners, destinations}: InForce) {
  for (const {key, leadTypes} of partners)
    for (const type of leadTypes)
      for (const answer of leadStatuses) leads.inc({partner: key, type, answer}, 0);
  for (const destination of destinations.keys())
    for (const outcome of ['delivered', 'refused', ...Object.values(failedOutcomes)])
      attempts.inc({destination, outcome}, 0);
}

function listenersOf(metrics: Defined, names: Names, takeNames: () => void): Listeners {
  const {leads, refusals, answers, attempts, commits, erased, reloadOk, reloadedAt, redisUp} = metrics;
  return {
    'lead-stored': ({partner, leadType: type, answer}) =>
      leads.inc({partner: partner === null ? noPartner : names.partnerOf(partner), type, answer}),
    'request-answered'(observation) {
      const {path, isOperation, status, ms} = observation;
      if (isOperation && status === 201)
        answers.observe({api: isOfCaller(path) ? 'callers' : 'form'}, ms / 1_000);
      const refusal = refusalIn(observation);
      if (!refusal) return;
      const {partner, reason} = refusal;
      refusals.inc({partner: partner === null ? noPartner : names.partnerOf(partner), reason});
    },
    'store-written': ({ms}) => commits.observe(ms / 1_000),
    'retention-applied'({leads, consents, overdue}) {
      erased.inc({what: 'leads'}, leads);
      erased.inc({what: 'consents'}, consents);
      metrics.overdue.reset();
      for (const {destination: name, reason, leads} of overdue)
        metrics.overdue.inc({destination: name === '-' ? name : names.destinationOf(name), reason}, leads);
    },
    'delivery-settled': ({destination, state: outcome}) =>
      attempts.inc({destination: names.destinationOf(destination), outcome}),
    'delivery-failed': ({destination, state}) =>
      attempts.inc({destination: names.destinationOf(destination), outcome: failedOutcomes[state]}),
    'config-reloaded'() {
      takeNames();
      reloadOk.set(1);
      reloadedAt.setToCurrentTime();
    },
    'config-refused': () => reloadOk.set(0),
    'redis-lost': () => redisUp?.set(0),
    'redis-recovered': () => redisUp?.set(1),
  };
}

function setReadings(metrics: Defined, readings: Readings, {destinations}: InForce, {destinationOf}: Names) {
  const {storeUp, connections, diskFree, diskSize, state, since, delivered, outbox, oldest, late} = metrics;
  storeUp.set(Number(readings.isStoreUp));
  connections.set(readings.connections);
  if (readings.disk) diskFree.set(readings.disk.free);
  if (readings.disk) diskSize.set(readings.disk.size);
  // One that was missing may be configured again, or its deliveries dropped.
  state.reset();
  since.reset();
  for (const each of readings.destinations) {
    const destination = destinationOf(each.destination);
    for (const name of destinationStates) state.set({destination, state: name}, Number(name === each.state));
    since.set({destination}, each.since / 1_000);
    if (each.deliveredAt !== undefined) delivered.set({destination}, each.deliveredAt / 1_000);
  }
  outbox.reset();
  oldest.reset();
  late.reset();
  if (!readings.outbox) return;
  const now = Date.now();
  const ages = new Map<string, number>();
  for (const destination of destinations.keys()) {
    for (const name of ['waiting', 'held', 'refused', 'failed']) outbox.set({destination, state: name}, 0);
    ages.set(destination, 0);
  }
  for (const each of readings.outbox) {
    const destination = destinationOf(each.destination);
    outbox.inc({destination, state: each.state}, each.deliveries);
    const age = Math.max(0, now - each.oldestAt) / 1_000;
    if (each.state === 'waiting') ages.set(destination, Math.max(age, ages.get(destination) ?? 0));
  }
  for (const [destination, age] of ages) {
    oldest.set({destination}, age);
    late.set({destination}, age);
  }
}

type InForce = Pick<Config, 'partners' | 'destinations' | 'redisUrl'>;

/** @param inForce the configuration that is in force now */
export function createMetrics(inForce: () => InForce): Metrics {
  const registry = new Registry();
  const metrics = defineMetrics(registry, inForce().redisUrl !== undefined);
  const names: Names = {partnerOf: among([]), destinationOf: among([])};
  function takeNames() {
    const {partners, destinations} = inForce();
    names.partnerOf = among(partners.map(({key}) => key));
    names.destinationOf = among(destinations.keys());
    startCounters(metrics, inForce());
  }
  takeNames();
  const listeners = listenersOf(metrics, names, takeNames);

  return {
    emit: (observation) =>
      (listeners[observation.type] as ((given: Observation) => void) | undefined)?.(observation),
    async write(readings) {
      setReadings(metrics, readings, inForce(), names);
      return {type: registry.contentType, text: await registry.metrics()};
    },
  };
}

/** Returns a function that gives back names of the configuration, and `other` for any other name. */
function among(names: Iterable<string>) {
  const known = new Set(names);
  return (name: string | undefined) => (name !== undefined && known.has(name) ? name : 'other');
}
