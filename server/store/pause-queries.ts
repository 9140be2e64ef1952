/** The queries about destinations that get nothing for a while, for both databases: pauses, and the ends of breaks. */
import type {BreakEnd, PausedDestination} from '../leads/deliveries.ts';
import type {PausePort} from '../leads/ports.ts';
import {statement, type Database} from './database.ts';

/** The statement that makes all processes end the break of a destination. */
export const endBreak = (destination: string, now: number) =>
  statement(
    `INSERT INTO break_ends (destination, ended_at) VALUES ($1, $2)
      ON CONFLICT (destination) DO UPDATE SET ended_at = excluded.ended_at`,
    destination,
    now,
  );

export const pauseQueries = ({read, write}: Database): PausePort => ({
  async pausedDestinations() {
    const text = `
      SELECT destination, paused_at AS "pausedAt", reason FROM paused_destinations ORDER BY destination`;
    return (await read(statement(text))) as PausedDestination[];
  },

  async pauseDestination({destination, pausedAt, reason}) {
    const text = `
      INSERT INTO paused_destinations (destination, paused_at, reason) VALUES ($1, $2, $3)
      ON CONFLICT (destination) DO NOTHING`;
    await write(statement(text, destination, pausedAt, reason));
  },

  async breakEnds() {
    const text = 'SELECT destination, ended_at AS "endedAt" FROM break_ends';
    return (await read(statement(text))) as BreakEnd[];
  },
});
