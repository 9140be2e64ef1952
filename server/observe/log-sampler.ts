/**
 * Keeps repeated lines from filling the log. The first line of a kind is written at once. The following ones are
 * counted, and one line every few seconds says how many there were.
 */
import type {Logger} from 'pino';

/** Milliseconds after which the number of repeated lines is written. */
const interval = 10_000;
/** The maximum number of kinds that are counted separately. All further kinds are counted together. */
const maxKinds = 50;
const otherKinds = 'other kinds';

export type LogSampler = {
  /**
   * @param kind lines of the same kind are repeats. It must be one of a small number of values, such as the reason of
   *   an error, and not something that a client sent.
   */
  write(level: 'error' | 'warn' | 'info', kind: string, fields: object, message: string): void;
  /** Writes how many lines were left out since the last count was written. Called before the process ends. */
  flush(): void;
};

export function createLogSampler(log: Logger): LogSampler {
  type Repeats = {count: number; writeCount: () => void; timer: NodeJS.Timeout};
  const repeating = new Map<string, Repeats>();

  function start(kind: string, level: 'error' | 'warn' | 'info', message: string) {
    const repeats: Repeats = {
      count: 0,
      writeCount() {
        const seconds = interval / 1_000;
        log[level]({kind, repeated: repeats.count, seconds}, `${message} (repeated)`);
      },
      timer: setTimeout(endInterval, interval).unref(),
    };
    function endInterval() {
      if (repeats.count > 0) {
        repeats.writeCount();
        repeats.count = 0;
        repeats.timer = setTimeout(endInterval, interval).unref();
        // An interval passed without a line of this kind, so the next one is written at once.
      } else repeating.delete(kind);
    }
    repeating.set(kind, repeats);
  }

  return {
    write(level, kind, fields, message) {
      const known = repeating.has(kind) || repeating.size < maxKinds ? kind : otherKinds;
      const repeats = repeating.get(known);
      if (repeats) {
        repeats.count += 1;
        return;
      }
      log[level](fields, message);
      start(known, level, message);
    },
    flush() {
      for (const {count, writeCount, timer} of repeating.values()) {
        clearTimeout(timer);
        if (count > 0) writeCount();
      }
      repeating.clear();
    },
  };
}
