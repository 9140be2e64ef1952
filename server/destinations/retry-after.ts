/** Reads how long a destination asks to wait. Webhooks and lead APIs ask for it with the same header. */

/** Milliseconds. A longer `Retry-After` is shortened to this. No other wait of a delivery is longer. */
export const longestAskedWait = 3_600_000;

/**
 * Converts Retry-After headers, which hold seconds or an HTTP date, to milliseconds from now, at most an hour. Of several,
 * such as those of a gateway and of the server behind it, the longest counts.
 */
export const readRetryAfter = (headers: string | string[] = []): number =>
  Math.max(0, ...[headers].flat().map(waitIn));

function waitIn(header: string): number {
  // Spaces behind a value are no part of it, but undici leaves them there.
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.min(wait, longestAskedWait) : 0;
}
