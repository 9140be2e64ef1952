import {restoreLater} from './browser-page.ts';
import {isReadingReply} from './fake-server.ts';

/**
 * Controls all timers of a second and more: they run when the test lets the time pass. Shorter timers stay real. After the
 * test, all are real again.
 */
export class Clock {
  readonly #setTimeout = window.setTimeout.bind(window);
  readonly #now = Date.now.bind(Date);
  #offset = 0;
  #due: {at: number; run: () => void}[] = [];

  constructor() {
    const start = this.#now();
    // Real time does not count, because a busy machine needs more of it.
    Date.now = () => start + this.#offset;
    const faked = (run: () => void, milliseconds = 0) => {
      if (milliseconds < 1_000) return this.#setTimeout(run, milliseconds);
      this.#due.push({at: Date.now() + milliseconds, run});
      return 0;
    };
    window.setTimeout = faked as typeof window.setTimeout;
    restoreLater(() => this.restore());
  }

  /** Lets so many milliseconds pass, and runs all timers that are due by then. */
  async pass(milliseconds: number) {
    this.#offset += milliseconds;
    const due = this.#due.filter(({at}) => at <= Date.now());
    this.#due = this.#due.filter((timer) => !due.includes(timer));
    for (const {run} of due) run();
    await this.settled();
  }

  /** Waits until the form has read all replies and has rendered them. */
  async settled() {
    for (let quiet = 0; quiet < 5; quiet++) {
      await new Promise((resolve) => this.#setTimeout(resolve));
      if (isReadingReply()) quiet = 0;
    }
  }

  restore() {
    window.setTimeout = this.#setTimeout;
    Date.now = this.#now;
  }
}
