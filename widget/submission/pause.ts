/** Waiting for as long as somebody can see the element, and not a timer longer. */
import type {Kit} from './types.ts';

/** @returns what waits so many milliseconds, and on, while the page is hidden or the element not on it */
export function createPause({element, safeDocument}: Kit) {
  let wake = () => {};
  const onVisibility = () => wake();
  const unseen = () => safeDocument.hidden || !element.isConnected;

  element.addController({
    hostConnected() {
      safeDocument.addEventListener('visibilitychange', onVisibility);
      wake();
    },
    hostDisconnected() {
      safeDocument.removeEventListener('visibilitychange', onVisibility);
    },
  });

  return async (milliseconds: number) => {
    const due = Date.now() + milliseconds;
    while (unseen() || Date.now() < due) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (!unseen()) setTimeout(resolve, due - Date.now());
      });
    }
  };
}
