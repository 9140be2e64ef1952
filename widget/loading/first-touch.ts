/** Loads the file that a touched form needs, and does what the visitor wanted meanwhile as soon as it is there. */
import type {ReactiveControllerHost} from 'lit';
import type {Moment, TouchedForm} from '../submission/touched-form.ts';

/**
 * - `initial`: nobody has touched the form
 * - `pending`: the file is on its way
 * - `awaited`: the file is on its way, and the visitor waits for it
 * - `failed`: the file did not arrive although the visitor waited. The next press of the button loads it again.
 * - `complete`: the file is there
 */
export type Arrival = 'initial' | 'pending' | 'awaited' | 'failed' | 'complete';

export class FirstTouch {
  arrival: Arrival = 'initial';
  /** Once its file has arrived. */
  form: TouchedForm | undefined;

  readonly #host: ReactiveControllerHost;
  readonly #load: () => Promise<TouchedForm>;
  #loading: Promise<TouchedForm> | undefined;

  constructor(host: ReactiveControllerHost, load: () => Promise<TouchedForm>) {
    this.#host = host;
    this.#load = load;
  }

  /** The file is loaded once. A failure is forgotten, so that the next call tries again. */
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
        // A failure is shown only to a visitor who pressed the button, because then there is one to try again.
        this.#enter(this.arrival === 'awaited' ? 'failed' : 'initial');
        throw error;
      },
    );
    return this.#loading;
  }

  /**
   * Does what the visitor wants, now or as soon as the file is there. Meanwhile the visitor sees that the form waits.
   * @throws if the file does not arrive
   */
  async run<Result>(action: (form: TouchedForm) => Result) {
    if (this.form) return await action(this.form);
    const loading = this.load();
    this.#enter('awaited');
    return await action(await loading);
  }

  /** Hands on what happens in the form. What happens before the file is there is handed on in order when it is. */
  handle(moment: Moment) {
    if (this.form) this.form.handle(moment);
    // The notice of the failure takes the focus. That is no reason to try again: typing is, and the button.
    else if (this.arrival === 'failed' && moment.type !== 'input') return;
    // The press that touched the form may have ended long before the file arrives.
    else if (moment.type === 'pointerdown') this.load().catch(() => {});
    else
      this.load().then(
        (form) => form.handle(moment),
        () => {},
      );
  }

  #enter(arrival: Arrival) {
    this.arrival = arrival;
    this.#host.requestUpdate();
  }
}
