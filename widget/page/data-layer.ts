/**
 * Tag managers read what happens on a page from an array in `window`, whose method `push` they replace by their own.
 *
 * @param layer the name of the array, where an empty name means `dataLayer`; null if nothing is to be pushed
 */
export function pushToDataLayer(layer: string | null, event: string, detail?: object) {
  if (layer === null) return;
  // In a microtask of its own, because a tag manager's `push` may throw, which must not stop the form.
  queueMicrotask(() => {
    const page = window as unknown as Record<string, object[]>;
    // All details are in one property, because tag managers remember each property as a variable of the page. An `id`
    // or a `step` of ours would overwrite that of another script.
    (page[layer || 'dataLayer'] ??= []).push({event: event.replace('-', '_'), prequal: {...detail}});
  });
}
