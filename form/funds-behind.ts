/** Finds the visitor's own funds from an amount and the percentage of its explanation. */
import type {PartExplanation} from '../contract/amounts.ts';

/**
 * The server does not send what the visitor owns, and the form has forgotten it after a reload.
 *
 * @param amount whole US dollars, not rounded for display
 * @returns the fewest whole US dollars that give this amount, or nothing if the amount does not follow from a percentage
 */
export function fundsBehind({method, percent = 100}: PartExplanation, amount: number): number | undefined {
  if (method === 'down_payment') return Math.ceil((amount * percent) / (100 - percent));
  return method === 'percentage' ? Math.ceil((amount * 100) / percent) : undefined;
}
