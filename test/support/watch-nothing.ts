import type {DamageWatch} from '../../server/store/sqlite/damage-watch.ts';

/**
 * Instead of the look for damaged pages, which starts a process of Node soon after each start of a server. That costs
 * about as much as the server itself.
 */
export const watchNothing = (): DamageWatch => ({
  found: () => undefined,
  suspect: () => undefined,
  stop: () => Promise.resolve(),
});
