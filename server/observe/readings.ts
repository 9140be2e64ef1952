/** What the metrics read of the server at the moment at which somebody asks for them. Times are milliseconds since 1970. */
import {statfs} from 'node:fs/promises';
import {dirname} from 'node:path';
import type {Config} from '../config/config.ts';

/**
 * The states of a destination. In all but `ok` it gets nothing, or takes nothing.
 * - `failing`: it cannot be reached, fails for one lead after another, or asked for a break
 * - `misconfigured`: it refuses the configured credentials or address
 * - `unreadable`: its replies cannot be read
 * - `refusing`: it refused all its last leads
 * - `paused`: an operator, or the destination itself, asked that nothing is sent
 * - `missing`: deliveries wait for it, and it is not configured
 */
export const destinationStates = [
  'ok',
  'failing',
  'misconfigured',
  'unreadable',
  'refusing',
  'paused',
  'missing',
] as const;
export type DestinationState = (typeof destinationStates)[number];

export type DestinationReading = {
  destination: string;
  state: DestinationState;
  /** Since when it is in this state, as far as this process knows. */
  since: number;
  /** When it last took a delivery. Undefined if that is not known. */
  deliveredAt: number | undefined;
};

/** Leads that are kept past their time: why (`Overdue` in leads/erasure.ts), and when the first of them is erased. */
export type OverdueCount = {destination: string; reason: string; leads: number; erasedFrom: number};
/** What the last whole run of the retention job of a process left. */
export type OverdueReading = {sweptAt: number; counts: readonly OverdueCount[]};

export type OutboxReading = {destination: string; state: string; deliveries: number; oldestAt: number};

export type Readings = {
  isStoreUp: boolean;
  destinations: readonly DestinationReading[];
  /** Undefined while the store cannot be read. */
  outbox: readonly OutboxReading[] | undefined;
  /** Bytes of the disk with the SQLite file. Undefined for PostgreSQL, and where they cannot be read. */
  disk: {free: number; size: number} | undefined;
  connections: number;
};

export async function readDisk({
  databaseUrl,
  databasePath,
}: Pick<Config, 'databaseUrl' | 'databasePath'>): Promise<Readings['disk']> {
  if (databaseUrl) return undefined;
  const disk = await statfs(dirname(databasePath)).catch(() => undefined);
  return disk && {free: disk.bavail * disk.bsize, size: disk.blocks * disk.bsize};
}
