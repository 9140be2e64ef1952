/**
 * Does work that changes nothing on the screen once the browser is idle, so that the form is painted first. The first
 * use of the session storage is such work: it blocks the page until the browser's main process has answered.
 */
export function whenIdle(work: () => void) {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work, {timeout: 2_000});
  else setTimeout(work, 500);
}
