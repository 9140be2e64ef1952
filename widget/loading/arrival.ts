/**
 * Waits for the later file `rest`. Events of the form that occur before the file has arrived are kept, and handled in the same
 * order afterwards.
 */
import type {ReactiveControllerHost} from 'lit';
import type {FormEvent, TouchedForm} from '../submission/touched-form.ts';
import {inTime} from '../page/in-time.ts';
import {nextTask} from '../page/next-task.ts';

/**
 * - `initial`: the file was not requested yet, or a request failed for which nobody waited
 * - `pending`: the file is on its way
 * - `awaited`: the file is on its way, and the visitor has pressed a button and waits for it
 * - `failed`: the file did not arrive, although the visitor or the first screen waited for it. The next press of the
 *   button loads it again, and so does typing.
 * - `complete`: the file has arrived
 */
export type ArrivalState = 'initial' | 'pending' | 'awaited' | 'failed' | 'complete';

export class Arrival {
  state: ArrivalState = 'initial';
  /** Undefined until the file has arrived. */
  form: TouchedForm | undefined;

  readonly #host: ReactiveControllerHost;
  readonly #request: () => Promise<() => TouchedForm>;
  readonly #onFailed: (wasAwaited: boolean) => void;
  #loading: Promise<TouchedForm | undefined> | undefined;
  /** The first screen waits for the file. */
  #isNeeded = false;
  /** The events of the form before the file has arrived. */
  #events: FormEvent[] = [];
  /** The last action that the visitor started. It may be waiting for the file. */
  #awaited: ((form: TouchedForm) => unknown) | undefined;

  /**
   * @param request loads the file, and returns a function that makes the form. If loading takes too long, it is not called
   * @param onFailed is called each time that the state becomes `failed`. `wasAwaited`: the visitor has pressed a button
   */
  constructor(
    host: ReactiveControllerHost,
    request: () => Promise<() => TouchedForm>,
    onFailed: (wasAwaited: boolean) => void,
  ) {
    this.#host = host;
    this.#request = request;
    this.#onFailed = onFailed;
  }

  /**
   * Loads the file once, even if nobody waits for it. If that fails, the next call tries again.
   *
   * @returns undefined if the file does not arrive
   */
  load(): Promise<TouchedForm | undefined> {
    if (this.state === 'initial') this.state = 'pending';
    this.#loading ??= inTime(this.#request()).then(
      async (create) => {
        // On a slow phone, running the file, making the form from it, and the next step would be one long task.
        await nextTask();
        const form = create();
        this.form = form;
        this.#events.forEach((event) => form.handle(event));
        this.#enter('complete');
        return form;
      },
      () => {
        this.#loading = undefined;
        this.#fail();
        return undefined;
      },
    );
    return this.#loading;
  }

  /** Loads the file for the first screen. */
  async need() {
    this.#isNeeded = true;
    await this.load();
  }

  /**
   * Runs the action now, or once the file has arrived and is painted. Until then, the form shows that it is waiting. The waiting
   * action is cancelled by `reset()`, and by a visitor who types, goes to another field, or presses the button again.
   */
  async run<Result>(action: (form: TouchedForm) => Result) {
    this.#awaited = action;
    if (this.form) return await action(this.form);
    const loading = this.load();
    this.#enter('awaited');
    const form = await loading;
    await nextTask();
    return form && this.#awaited === action ? await action(form) : undefined;
  }

  /** Passes an event on to the touched form: now, or in the order of the events as soon as the file has arrived. */
  handle(event: FormEvent) {
    const isInField = (event.target as Element | null)?.matches('input, textarea');
    // When the visitor returns to the browser's window, the field gets the focus again, without a `relatedTarget`. That is not a
    // new action, so the visitor still waits.
    if (isInField && (event.type === 'input' || (event.type === 'focusin' && event.relatedTarget)))
      this.#stopWaiting();
    if (this.form) return this.form.handle(event);
    // The notice of the failure gets the focus, and its `focusin` must not load the file again. Typing and the button load it.
    if (this.state === 'failed' && event.type !== 'input') return;
    // A `pointerdown` is not kept, because the press may have ended long before the file arrives.
    if (event.type !== 'pointerdown') this.#events.push(event);
    void this.load();
  }

  /** Empties the form, and drops the events and the action that wait for the file. */
  reset() {
    this.form?.reset();
    this.#events = [];
    this.#stopWaiting();
    if (this.state === 'failed' && !this.#isNeeded) this.state = 'initial';
  }

  /**
   * Called when the network connection is back: removes a notice that asks the visitor to check it, and loads the file again.
   *
   * @returns whether there was such a notice
   */
  reconnect(): boolean {
    if (this.form) return this.form.submission.reconnect();
    const hadNotice = this.state === 'failed';
    if (hadNotice) {
      this.#enter('initial');
      void this.load();
    }
    return hadNotice;
  }

  /** Shows a failure only if the visitor or the first screen waits, because each further touch of the form tries again anyway. */
  #fail() {
    if (this.state === 'failed') return;
    const wasAwaited = this.state === 'awaited';
    const isMissed = wasAwaited || this.#isNeeded;
    this.#awaited = undefined;
    this.#enter(isMissed ? 'failed' : 'initial');
    if (isMissed) this.#onFailed(wasAwaited);
  }

  /** Cancels the waiting action, because the form must not change while the visitor does something else. */
  #stopWaiting() {
    this.#awaited = undefined;
    if (this.state === 'awaited') this.#enter('pending');
  }

  #enter(state: ArrivalState) {
    this.state = state;
    this.#host.requestUpdate();
  }
}
