/** What the store knows of each destination: whether it takes its deliveries, since when not, and what waits for it. */
import type {Config} from '../config/config.ts';
import {collectingTime} from '../config/destinations.ts';
import {openStates, type OpenState} from '../leads/deliveries.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {remedyOf} from '../observe/causes.ts';
import {isoTime} from './output.ts';

/**
 * Times are milliseconds since 1970.
 * - `state`: `failing` if a delivery failed and none succeeded since. A server knows more (observe/readings.ts)
 * - `since`: when it was paused, or began to fail
 * - `lastSuccess`: when it took the newest of its leads
 * - `oldest`: when the oldest lead was stored that waits for it
 * - `late`: milliseconds by which that lead is late. A digest is not late while it collects
 */
export type DestinationRow = {
  destination: string;
  type: string;
  partners: string[];
  state: string;
  since: number | null;
  lastSuccess: number | null;
  counts: Readonly<Record<OpenState, number>>;
  oldest: number | null;
  late: number;
  pausedAt: number | null;
  pauseReason: string | null;
  lastError: string | null;
};

/** Deliveries that are looked at for the reason why others wait. The oldest have been tried most. */
const deliveriesPerRead = 20;

export async function readDestinations(
  store: BesideStore,
  {destinations, partners}: Config,
): Promise<DestinationRow[]> {
  const paused = new Map((await store.pausedDestinations()).map((each) => [each.destination, each]));
  const counts = await store.countOutbox();
  const names = new Set([...destinations.keys(), ...counts.map(({destination}) => destination)]);
  const last = new Map(
    (await store.lastDelivered([...names])).map(({destination, deliveredAt}) => [destination, deliveredAt]),
  );
  const now = Date.now();
  const rows: DestinationRow[] = [];
  for (const name of names) {
    const settings = destinations.get(name);
    const own = counts.filter(({destination}) => destination === name);
    const count = (state: OpenState) => own.find((each) => each.state === state)?.deliveries ?? 0;
    const oldest = own.find(({state}) => state === 'waiting')?.oldest;
    const oldestAt = oldest === undefined ? null : createdAtOf(oldest);
    const lastSuccess = last.get(name) ?? null;
    const pause = paused.get(name);
    const tried = own.length === 0 ? [] : await store.listDeliveries(deliveriesPerRead, {destination: name});
    const failing = tried
      .filter(({state}) => state === 'waiting')
      .flatMap(({failingSince}) => failingSince ?? [])
      // A delivery that fails while others succeed has a cause of its own.
      .filter((since) => since > (lastSuccess ?? 0));
    const failingSince = failing.length === 0 ? null : Math.min(...failing);
    rows.push({
      destination: name,
      type: settings?.type ?? 'not configured',
      partners: partners
        .filter(({answerFrom, sendTo}) => answerFrom === name || sendTo.includes(name))
        .map(({key}) => key),
      ...stateOf(settings !== undefined, pause?.pausedAt ?? null, failingSince),
      lastSuccess,
      counts: Object.fromEntries(openStates.map((state) => [state, count(state)])) as Record<
        OpenState,
        number
      >,
      oldest: oldestAt,
      late: oldestAt === null ? 0 : Math.max(0, now - oldestAt - (settings ? collectingTime(settings) : 0)),
      pausedAt: pause?.pausedAt ?? null,
      pauseReason: pause?.reason ?? null,
      lastError: tried.find(({lastError}) => lastError !== null)?.lastError ?? null,
    });
  }
  return rows;
}

function stateOf(isConfigured: boolean, pausedAt: number | null, failingSince: number | null) {
  if (!isConfigured) return {state: 'missing', since: null};
  if (pausedAt !== null) return {state: 'paused', since: pausedAt};
  return failingSince === null ? {state: 'ok', since: null} : {state: 'failing', since: failingSince};
}

/** As programs read it. */
export const toJsonRow = (row: DestinationRow) => ({
  destination: row.destination,
  type: row.type,
  partners: row.partners,
  state: row.state,
  since: isoTime(row.since),
  last_success_at: isoTime(row.lastSuccess),
  paused_at: isoTime(row.pausedAt),
  pause_reason: row.pauseReason,
  ...row.counts,
  oldest_created_at: isoTime(row.oldest),
  late_seconds: Math.round(row.late / 1_000),
  last_error: row.lastError,
  remedy: row.lastError === null ? null : (remedyOf(row.lastError) ?? null),
});

export const wrongOf = ({pauseReason, lastError}: DestinationRow): string =>
  pauseReason !== null ? `paused: ${pauseReason}` : (lastError ?? '');
