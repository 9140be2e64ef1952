/** The queries about destinations, for both databases: pauses, circuit breakers that an operator closes, and addresses. */
import type {PausedDestination} from '../leads/deliveries.ts';
import type {AddressPort, PausePort} from '../leads/ports.ts';
import {statement, upsertRow, type Database} from './database.ts';

/** The statement by which all processes close the circuit breaker of a destination. */
export const endBreak = (destination: string, now: number) =>
  statement(upsertRow('break_ends', 'ended_at'), destination, now);

const noteText = `
  INSERT INTO destination_addresses AS known (destination, address, place, first_used, last_used)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (destination, address) DO UPDATE SET place = excluded.place,
    first_used = CASE known.first_used WHEN 0 THEN excluded.first_used ELSE known.first_used END,
    last_used = CASE WHEN known.last_used < excluded.last_used THEN excluded.last_used ELSE known.last_used END`;

export const pauseQueries = ({read, write}: Database): PausePort & AddressPort => ({
  async pausedDestinations() {
    const text = `
      SELECT destination, paused_at AS "pausedAt", reason, is_gone FROM paused_destinations ORDER BY destination`;
    const rows = await read<PausedDestination & {is_gone: number | null}>(statement(text));
    return rows.map(({is_gone, ...row}) => ({...row, isGone: is_gone === 1}));
  },

  async pauseDestination({destination, pausedAt, reason, isGone = false}) {
    const text = `${upsertRow('paused_destinations', 'paused_at', 'reason', 'is_gone')}
      WHERE paused_destinations.is_gone = 1 AND excluded.is_gone = 0`;
    await write(statement(text, destination, pausedAt, reason, Number(isGone)));
  },

  breakEnds: () => read(statement('SELECT destination, ended_at AS "endedAt" FROM break_ends')),

  async noteAddresses(uses) {
    const rows = uses.map((use) => [use.destination, use.address, use.place, use.firstUsed, use.lastUsed]);
    // Sorted: processes that write the same rows lock them in the same order, and so cannot deadlock.
    await write(...rows.toSorted().map((row) => statement(noteText, ...row)));
  },

  addressUses() {
    const text = `
      SELECT destination, address, place, first_used AS "firstUsed", last_used AS "lastUsed"
      FROM destination_addresses ORDER BY destination, last_used DESC, address`;
    return read(statement(text));
  },
});
