/**
 * Loads the later file `touched-form`. What the visitor does before it has arrived is handled in the same order as soon
 * as it has.
 */
import type {ReactiveControllerHost} from 'lit';
import type {FormEvent, TouchedForm} from '../submission/touched-form.ts';

/**
 * - `initial`: the file is not being loaded, because nobody has touched the form, or because loading has failed before
 *   the visitor pressed a button
 * - `pending`: the file is on its way
 * - `awaited`: the file is on its way, and the visitor has pressed a button and waits for it
 * - `failed`: the file did not arrive although the visitor waited. The next press of the button loads it again.
 * - `complete`: the file has arrived
 */
export type Arrival = 'initial' | 'pending' | 'awaited' | 'failed' | 'complete';

export class FirstTouch {
  arrival: Arrival = 'initial';
  /** Undefined until its file has arrived. */
  form: TouchedForm | undefined;

  readonly #host: ReactiveControllerHost;
  readonly #load: () => Promise<TouchedForm>;
  #loading: Promise<TouchedForm> | undefined;
  /** The events of the form before the file has arrived. */
  #events: FormEvent[] = [];
  /** The action that waits for the file. */
  #awaited: ((form: TouchedForm) => unknown) | undefined;

  constructor(host: ReactiveControllerHost, load: () => Promise<TouchedForm>) {
    this.#host = host;
    this.#load = load;
  }

  /** Loads the file once. If that fails, the next call tries again. */
  load(): Promise<TouchedForm> {
    if (this.#loading) return this.#loading;
    this.arrival = 'pending';
    this.#loading = this.#load().then(
      (form) => {
        this.form = form;
        this.#events.forEach((event) => form.handle(event));
        this.#enter('complete');
        return form;
      },
      (error: unknown) => {
        this.#loading = undefined;
        // A failure is shown only to a visitor who has pressed the button, because the same button tries again.
        this.#enter(this.arrival === 'awaited' ? 'failed' : 'initial');
        throw error;
      },
    );
    return this.#loading;
  }

  /**
   * Runs the action now, or as soon as the file has arrived. Until then the form shows that it waits. `reset()` takes an
   * action back that waits, and so does a visitor who goes on to another field.
   *
   * @throws if the file does not arrive
   */
  async run<Result>(action: (form: TouchedForm) => Result) {
    if (this.form) return await action(this.form);
    const loading = this.load();
    this.#awaited = action;
    this.#enter('awaited');
    try {
      const form = await loading;
      if (this.#awaited === action) return await action(form);
    } catch (error) {
      if (this.#awaited === action) throw error;
    }
    return undefined;
  }

  /** Passes an event on to the touched form: now, or in the order of the events as soon as the file has arrived. */
  handle(event: FormEvent) {
    if (this.form) return this.form.handle(event);
    // The notice of the failure gets the focus, and that event must not load the file again. Typing and the button do.
    if (this.arrival === 'failed' && event.type !== 'input') return;
    const isInField = event.target instanceof HTMLInputElement;
    // The focus also comes back to its field with the browser's window. Then it comes from no other element.
    if (isInField && (event.type === 'input' || (event.type === 'focusin' && event.relatedTarget)))
      this.#stopWaiting();
    // A press is not passed on, because it may have ended long before the file arrives.
    if (event.type !== 'pointerdown') this.#events.push(event);
    this.load().catch(() => {});
  }

  /** Empties the form, and forgets the events and the action that wait for the file. */
  reset() {
    this.form?.reset();
    this.#events = [];
    this.#stopWaiting();
    if (this.arrival === 'failed') this.arrival = 'initial';
  }

  /**
   * The connection has come back: removes a notice that asks the visitor to check it.
   *
   * @returns whether there was one
   */
  reconnect(): boolean {
    if (this.form) return this.form.submission.reconnect();
    const hadNotice = this.arrival === 'failed';
    if (hadNotice) this.#enter('initial');
    return hadNotice;
  }

  /** The form must not change under the hands of a visitor who no longer waits. */
  #stopWaiting() {
    this.#awaited = undefined;
    if (this.arrival === 'awaited') this.#enter('pending');
  }

  #enter(arrival: Arrival) {
    this.arrival = arrival;
    this.#host.requestUpdate();
  }
}
