/** A pause that does not end, and runs no timer, while the page is hidden or the element is not on it. */
import {Promise} from '../page/builtins.ts';
import {safeDocument} from '../page/safe-document.ts';

export class Pause {
  readonly #element: HTMLElement;
  #wake = () => {};
  readonly #onVisibility = () => this.#wake();

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  hostConnected() {
    safeDocument.addEventListener('visibilitychange', this.#onVisibility);
    this.#wake();
  }

  hostDisconnected() {
    safeDocument.removeEventListener('visibilitychange', this.#onVisibility);
  }

  /** Waits for this time, and then until the element can be seen. */
  async for(milliseconds: number) {
    const due = Date.now() + milliseconds;
    const isUnseen = () => safeDocument.hidden || !this.#element.isConnected;
    while (isUnseen() || Date.now() < due) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (!isUnseen()) setTimeout(resolve, due - Date.now());
      });
    }
  }
}
