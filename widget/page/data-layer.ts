/** Tag managers read what happens on a page from an array in `window`, and put their own `push` in its place. */

/** @param layer the name of the array, `dataLayer` where it is empty; without one nothing is pushed */
export function pushToDataLayer(layer: string | null, event: string, detail?: object) {
  if (layer === null) return;
  // On its own, for a tag that throws must not stop the form.
  queueMicrotask(() => {
    const page = window as unknown as Record<string, object[]>;
    // Below one name, because these variables stay: another tag's `id` or `step` must not be overwritten.
    (page[layer || 'dataLayer'] ??= []).push({event: event.replace('-', '_'), prequal: {...detail}});
  });
}
