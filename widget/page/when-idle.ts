/**
 * Work that nobody sees, and which waits until the form is painted. The first use of the session storage is such work,
 * because the whole page stands still until the browser's main process has answered.
 */
export function whenIdle(work: () => void) {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work, {timeout: 2_000});
  else setTimeout(work, 500);
}
