/**
 * Keeps a line that repeats from filling the log. The first of its kind is written at once and whole; those that
 * follow are counted, and one line every few seconds says how many there were.
 */
import type {Logger} from 'pino';

/** Milliseconds over which repeated lines are counted before their number is written. */
const countInterval = 10_000;
/** Kinds of line that are counted apart; lines of further kinds are counted together. */
const mostKinds = 50;
const otherKinds = 'other kinds';

export type LogSampler = {
  /**
   * @param kind lines of the same kind count as repeats. It comes from a small set, such as the reason of an
   *   error, and never from what a caller sends.
   */
  write(level: 'error' | 'warn' | 'info', kind: string, fields: object, message: string): void;
  /** Writes the numbers that are still open, before the process ends. */
  flush(): void;
};

/** @param interval milliseconds between two lines that say how often a line came */
export function createLogSampler(log: Logger, interval: number = countInterval): LogSampler {
  type Repeats = {count: number; writeCount: () => void; timer: NodeJS.Timeout};
  const repeating = new Map<string, Repeats>();

  const countAgain = (kind: string) => setTimeout(endInterval, interval, kind).unref();

  function endInterval(kind: string) {
    const repeats = repeating.get(kind)!;
    if (repeats.count > 0) {
      repeats.writeCount();
      repeats.count = 0;
      repeats.timer = countAgain(kind);
      // A kind that was silent for a whole interval is forgotten: its next line is written whole again.
    } else repeating.delete(kind);
  }

  return {
    write(level, kind, fields, message) {
      const known = repeating.has(kind) || repeating.size < mostKinds ? kind : otherKinds;
      const repeats = repeating.get(known);
      if (repeats) {
        repeats.count += 1;
        return;
      }
      log[level](fields, message);
      const started: Repeats = {
        count: 0,
        writeCount: () => {
          const seconds = interval / 1_000;
          log[level]({kind: known, repeated: started.count, seconds}, `${message} (repeated)`);
        },
        timer: countAgain(known),
      };
      repeating.set(known, started);
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
