/**
 * A history for tests, in the place of the browser's. The browser's has at most 50 entries, which the tests of all files
 * share, and leads to other pages.
 */
export class FakeHistory {
  #entries: unknown[];
  #index = 0;

  constructor(state: unknown) {
    this.#entries = [state];
  }

  get length() {
    return this.#entries.length;
  }

  get state() {
    return this.#entries[this.#index];
  }

  replaceState(state: unknown) {
    this.#entries[this.#index] = structuredClone(state);
  }

  pushState(state: unknown) {
    this.#entries.splice(++this.#index, Infinity, structuredClone(state));
  }

  /** As in browsers, this ends later, with an event, and does nothing if there is no such entry. */
  go(delta: number) {
    setTimeout(() => {
      if (!(this.#index + delta in this.#entries)) return;
      this.#index += delta;
      dispatchEvent(new PopStateEvent('popstate', {state: this.state}));
    });
  }
}
