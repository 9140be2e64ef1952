/** Shows whether destinations accept their deliveries, and what waits. Pauses and resumes them, and accepts their new addresses. */
import {z} from 'zod';
import {tableOf} from '../../contract/table-of.ts';
import type {Config} from '../config/config.ts';
import {confirmedBy} from '../config/confirmations.ts';
import {addressOf} from '../config/destinations.ts';
import {receiversOf} from '../config/routes.ts';
import {usualTimings} from '../config/timings.ts';
import {DeliveryError} from '../destinations/destination.ts';
import {openStates, type AddressUse, type OpenState} from '../leads/deliveries.ts';
import type {FigureStore} from '../leads/figures.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {DeliveryDesk, DeliveryReader, PausePort} from '../leads/ports.ts';
import {remedyOf} from '../observe/causes.ts';
import {count, isoTime, Refusal, time, type With} from './admin.ts';

/**
 * - `state`: `failing` if a delivery has failed and none has succeeded since. A running server knows more (observe/readings.ts)
 * - `since`: when it was paused, or began to fail
 * - `late_seconds`: the age of the oldest lead that waits
 * - `addresses`: hosts or mailboxes, the most recently used first. Deliveries arrived there, or may have, between the first and
 *   the last use. `is_present`: the configuration has this address
 */
export const destinationRow = z.object({
  destination: z.string(),
  type: z.string(),
  partners: z.array(z.string()),
  state: z.string(),
  since: time.nullable(),
  last_success_at: time.nullable(),
  paused_at: time.nullable(),
  pause_reason: z.string().nullable(),
  ...tableOf(openStates, () => count),
  oldest_created_at: time.nullable(),
  late_seconds: count,
  last_error: z.string().nullable(),
  remedy: z.string().nullable(),
  addresses: z.array(
    z.object({
      place: z.string(),
      is_present: z.boolean(),
      first_used_at: time.nullable(),
      last_used_at: time.nullable(),
    }),
  ),
});
export type DestinationRow = z.infer<typeof destinationRow>;

/** How many waiting deliveries are read to find the reason for the failure. The oldest come first, because they have been tried most. */
const deliveriesPerRead = 20;

export async function listDestinations(admin: With<DeliveryReader, 'config'>): Promise<DestinationRow[]> {
  const {store, config} = admin;
  const {destinations, partners} = config;
  const paused = new Map((await store.pausedDestinations()).map((each) => [each.destination, each]));
  const counts = await store.countOutbox();
  const names = [...new Set([...destinations.keys(), ...counts.map(({destination}) => destination)])];
  const last = new Map(
    (await store.lastDelivered(names)).map((each) => [each.destination, each.deliveredAt]),
  );
  const uses = await store.addressUses();
  const now = Date.now();
  const rows: DestinationRow[] = [];
  for (const name of names) {
    const settings = destinations.get(name);
    const own = counts.filter(({destination}) => destination === name);
    const countIn = (state: OpenState) => own.find((each) => each.state === state)?.deliveries ?? 0;
    const oldest = own.find(({state}) => state === 'waiting')?.oldest;
    const oldestAt = oldest === undefined ? null : createdAtOf(oldest);
    const lastSuccess = last.get(name) ?? null;
    const pause = paused.get(name);
    // Held deliveries are left out: their reason is about the lead, and not about the destination.
    const waiting = {destination: name, state: 'waiting'} as const;
    const tried = own.length === 0 ? [] : await store.listDeliveries(deliveriesPerRead, waiting);
    const failing = tried
      .flatMap(({failingSince}) => failingSince ?? [])
      // If other deliveries have succeeded since, the failure is not the destination's.
      .filter((since) => since > (lastSuccess ?? 0));
    const lastError = tried.find((each) => each.lastError !== null)?.lastError ?? null;
    const late = oldestAt === null ? 0 : Math.max(0, now - oldestAt);
    rows.push({
      destination: name,
      type: settings?.type ?? 'not configured',
      partners: partners
        .filter(
          ({answerFrom, confirm, ...route}) =>
            answerFrom === name ||
            receiversOf(route).includes(name) ||
            (confirm && confirmedBy(confirm) === name),
        )
        .map(({key}) => key),
      ...stateOf(settings !== undefined, pause?.pausedAt, failing),
      last_success_at: isoTime(lastSuccess),
      paused_at: isoTime(pause?.pausedAt ?? null),
      pause_reason: pause?.reason ?? null,
      ...tableOf(openStates, countIn),
      oldest_created_at: isoTime(oldestAt),
      late_seconds: Math.round(late / 1_000),
      last_error: lastError,
      remedy: lastError === null ? null : (remedyOf(lastError) ?? null),
      addresses: uses
        .filter(({destination}) => destination === name)
        .map((use) => ({
          place: use.place,
          is_present: isPresent(config, use),
          first_used_at: isoTime(use.firstUsed || null),
          last_used_at: isoTime(use.lastUsed || null),
        })),
    });
  }
  return rows;
}

function stateOf(isConfigured: boolean, pausedAt: number | undefined, failing: readonly number[]) {
  if (!isConfigured) return {state: 'missing', since: null};
  if (pausedAt !== undefined) return {state: 'paused', since: isoTime(pausedAt)};
  return failing.length === 0
    ? {state: 'ok', since: null}
    : {state: 'failing', since: isoTime(Math.min(...failing))};
}

/** An address of a destination (`addressOf`). Null if it is not known, as for deliveries stored by early versions. */
type At = {destination: string; address: string | null};

/** Whether the configuration still has this address. An unknown address counts as the present one. */
export function isPresent({destinations}: Config, {destination, address}: At): boolean {
  const settings = destinations.get(destination);
  return settings !== undefined && (address === null || address === addressOf(settings));
}

/** The addresses of the configuration, in the form that `ErasureStore.erase` takes. */
export const presentAddresses = ({destinations}: Config): string[] =>
  [...destinations].flatMap(([name, settings]) => [`${name} `, `${name} ${addressOf(settings)}`]);

/** Looks up when and where addresses were used. Addresses that were replaced before version 1.7 are not known. */
export async function readAddresses({store}: With<DeliveryReader>) {
  const keyOf = ({destination, address}: At) => `${destination} ${address}`;
  const uses = new Map((await store.addressUses()).map((use) => [keyOf(use), use]));
  return (at: At): AddressUse | undefined => uses.get(keyOf(at));
}

export const wrongOf = ({pause_reason, last_error}: DestinationRow): string =>
  pause_reason !== null ? `paused: ${pause_reason}` : (last_error ?? '');

/** @throws Refusal if the configuration has no such destination */
function settingsOf(name: string, {destinations}: Pick<Config, 'destinations'>) {
  const settings = destinations.get(name);
  if (settings) return settings;
  throw new Refusal(noDestination(name, destinations), 'unknown');
}

export const noDestination = (name: string, destinations: Config['destinations']): string =>
  `There is no destination ${name}. The configuration has ${[...destinations.keys()].join(', ') || 'none'}.`;

type Desk = With<DeliveryDesk & PausePort, 'config' | 'noteAccess'>;

export async function pauseDestination(admin: Desk, destination: string, reason: string) {
  const {store, config, noteAccess} = admin;
  settingsOf(destination, config);
  await noteAccess({destination, reason});
  const earlier = (await store.pausedDestinations()).find((each) => each.destination === destination);
  if (earlier && !earlier.isGone) throw new Refusal(`${destination} is paused already: ${earlier.reason}`);
  await store.pauseDestination({destination, pausedAt: Date.now(), reason});
}

/** @returns whether it was paused. If it was not, the pause that its circuit breaker made after failures is ended */
export async function resumeDestination(admin: Desk, destination: string): Promise<boolean> {
  const {store, config, noteAccess} = admin;
  await noteAccess({destination});
  // A paused destination can be resumed even if the configuration no longer has it.
  const isPaused = (await store.pausedDestinations()).some((each) => each.destination === destination);
  if (!isPaused) settingsOf(destination, config);
  return store.resumeDestination(Date.now(), destination);
}

/** @returns how many deliveries, stored for an earlier address, now go to the present one */
export async function acceptAddress({store, config, noteAccess}: Desk, destination: string): Promise<number> {
  const address = addressOf(settingsOf(destination, config));
  await noteAccess({destination});
  return store.acceptAddress(Date.now(), destination, address);
}

/** What happened in a half hour: `late` if a delivery took more than a minute, `open` if one has not ended. */
const halfHours = ['none', 'in-time', 'late', 'open'] as const;
export type DestinationHours = Map<string, (typeof halfHours)[number][]>;

const [halfHour, halfHoursADay] = [30 * 60_000, 48];

/** The state of the deliveries of the last 24 hours' leads, by destination, the oldest half hour first. */
export async function readDestinationHours(
  {store, config}: With<FigureStore, 'config'>,
  now: number,
): Promise<DestinationHours> {
  const first = Math.floor(now / halfHour) - halfHoursADay + 1;
  const cells = await store.deliveryCells(first * halfHour, halfHour);
  const names = new Set([...config.destinations.keys(), ...cells.map(({destination}) => destination)]);
  const worst = (destination: string, cell: number) =>
    cells
      .filter((each) => each.destination === destination && each.cell === cell)
      .reduce((most, {kind}) => Math.max(most, halfHours.indexOf(kind)), 0);
  return new Map(
    [...names].map((name) => [
      name,
      Array.from({length: halfHoursADay}, (_, index) => halfHours[worst(name, first + index)] ?? 'none'),
    ]),
  );
}

/**
 * - `said`: the outcome in words
 * - `reply`: the beginning of the reply, if it was not understood
 * - `remedy`: what to do about the failure, if that is known
 */
export const testOutcome = z.object({
  destination: z.string(),
  works: z.boolean(),
  said: z.string(),
  reply: z.string().nullable(),
  remedy: z.string().nullable(),
  milliseconds: z.number().int(),
});
export type TestOutcome = z.infer<typeof testOutcome>;

/** Sends a made-up lead that is marked as a test. A `lead-api` gets none: it is asked for an id that no lead has. */
export async function testDestination(config: Pick<Config, 'destinations'>, name: string) {
  const settings = settingsOf(name, config);
  // Only this function needs the libraries for HTTP and mail, which take time and memory to load.
  const {createDestination} = await import('../destinations/kinds.ts');
  const destination = createDestination(settings, usualTimings.delivery);
  const begun = performance.now();
  const outcome = await destination
    .test()
    .then((settled) =>
      settled.state === 'delivered'
        ? {works: true, said: settled.note ?? 'It was delivered', reply: null}
        : {works: false, said: settled.reason, reply: null},
    )
    .catch((error: unknown) => {
      if (!(error instanceof DeliveryError)) throw error;
      return {works: false, said: error.message, reply: error.excerpt};
    })
    .finally(() => destination.close());
  const milliseconds = Math.round(performance.now() - begun);
  const remedy = outcome.works ? null : (remedyOf(outcome.said) ?? null);
  return {destination: name, ...outcome, remedy, milliseconds};
}
