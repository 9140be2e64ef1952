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
   * Runs the action now, or as soon as the file has arrived. Until then the form shows that it waits.
   * @throws if the file does not arrive
   */
  async run<Result>(action: (form: TouchedForm) => Result) {
    if (this.form) return await action(this.form);
    const loading = this.load();
    this.#enter('awaited');
    return await action(await loading);
  }

  /** Passes an event on to the touched form: now, or in the order of the events as soon as the file has arrived. */
  handle(event: FormEvent) {
    if (this.form) this.form.handle(event);
    // The notice of the failure gets the focus, and that event must not load the file again. Typing and the button do.
    else if (this.arrival === 'failed' && event.type !== 'input') return;
    // A press is not passed on, because it may have ended long before the file arrives.
    else if (event.type === 'pointerdown') this.load().catch(() => {});
    else
      this.load().then(
        (form) => form.handle(event),
        () => {},
      );
  }

  #enter(arrival: Arrival) {
    this.arrival = arrival;
    this.#host.requestUpdate();
  }
}
