/** Reads how long a destination asks to wait. Webhooks and lead APIs ask for it with the same header. */

/** Milliseconds. A longer `Retry-After` is shortened to this. No other wait of a delivery is longer. */
export const longestAskedWait = 3_600_000;

/** Converts a Retry-After header, which holds seconds or an HTTP date, to milliseconds from now, at most an hour. */
export function readRetryAfter(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), longestAskedWait) : 0;
}
