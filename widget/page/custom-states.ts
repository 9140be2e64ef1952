/** Custom states of the element: style sheets of the page match them, as in `lead-prequal-form:state(sending)`. */

const names = ['sending', 'answered'];

export class CustomStates {
  readonly #element: HTMLElement;
  #internals: ElementInternals | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Puts the element into the state of this name, if there is one, and takes it out of all others. */
  show(current: string) {
    try {
      this.#internals ??= this.#element.attachInternals();
      const {states} = this.#internals;
      for (const name of names) {
        if (name === current) states.add(name);
        else states.delete(name);
      }
    } catch {
      // Browsers of before 2024 have no such states, or refuse their names. The form works without them.
    }
  }
}
