/**
 * Where lines of the log go: a file, a terminal, or the reader of a pipe, any of which may take nothing for a while.
 * Lines then wait, up to a limit, and further ones are dropped and counted. Nothing else of the server waits for it.
 *
 * It is not pino's own destination, because that one keeps the process alive when a log cannot be written: its last
 * write tries a full disk again without end, and its thread in a full pipe can never be ended.
 */
import {fstatSync, write as writeFile, writeSync} from 'node:fs';

export type LogLimits = {
  /** Bytes that may wait. */
  waiting: number;
  /** Bytes that are worth a write before the interval is over. */
  chunk: number;
  /** Milliseconds after which lines leave although they are few, and after which a write that failed is tried again. */
  interval: number;
};

const usualLimits: LogLimits = {waiting: 1024 * 1024, chunk: 4_096, interval: 1_000};

export type LogDestination = {
  write(line: string): void;
  /** @param done called once all lines are written, or after a second, when they cannot be */
  flush(done?: () => void): void;
};

/** Writes some of the bytes and says how many; none when there was an error. */
type Send = (bytes: Buffer, done: (error: Error | null | undefined, written: number) => void) => void;

/** Milliseconds after which a write counts as stuck. */
const patience = 1_000;

function sendTo(fd: number): {send: Send; inThread: boolean} {
  const stat = fstatSync(fd);
  if (fd === 1 && (stat.isFIFO() || stat.isSocket())) {
    // Errors come to the callback as well.
    process.stdout.on('error', () => undefined);
    // Node writes to pipes without waiting. A write from one of its threads would wait until somebody reads.
    return {
      send: (bytes, done) => process.stdout.write(bytes, (error) => done(error, error ? 0 : bytes.length)),
      inThread: false,
    };
  }
  return {
    send: (bytes, done) => writeFile(fd, bytes, (error, written) => done(error, error ? 0 : written)),
    inThread: true,
  };
}

/**
 * @param fd of an open file, 1 for standard output
 * @param onRecovery called with the number of lines that were dropped, when lines can be written again
 */
export function createLogDestination(
  fd: number,
  onRecovery: (dropped: number) => void,
  {waiting, chunk, interval}: LogLimits = usualLimits,
): LogDestination {
  const {send, inThread} = sendTo(fd);
  let lines: string[] = [];
  /** Lines that were handed to a write, without what it has written already. */
  let unsent: Buffer = Buffer.alloc(0);
  /** Bytes of both. */
  let waitingNow = 0;
  let dropped = 0;
  /** The last write failed: lines wait for the timer. */
  let failing = false;
  /** When the write under way began, in milliseconds since 1970. */
  let writingSince: number | undefined;
  let onFlushed: (() => void)[] = [];

  function endFlush() {
    const calls = onFlushed;
    onFlushed = [];
    for (const call of calls) call();
  }

  function sendWaiting() {
    if (writingSince !== undefined) return;
    if (unsent.length === 0) {
      unsent = Buffer.from(lines.join(''));
      lines = [];
    }
    if (unsent.length === 0) return endFlush();
    writingSince = Date.now();
    send(unsent, (error, written) => {
      writingSince = undefined;
      unsent = unsent.subarray(written);
      waitingNow -= written;
      failing = Boolean(error);
      if (failing) return endFlush();
      if (dropped > 0) {
        const count = dropped;
        dropped = 0;
        onRecovery(count);
      }
      if (unsent.length > 0 || waitingNow >= chunk || onFlushed.length > 0) sendWaiting();
    });
  }

  setInterval(sendWaiting, interval).unref();

  // What waits when the process ends is written as far as that is possible at once.
  process.on('exit', () => {
    if (writingSince !== undefined) {
      // A thread that is stuck in a write would keep the process from ending.
      if (inThread && Date.now() - writingSince >= patience) process.kill(process.pid, 'SIGKILL');
      return;
    }
    try {
      let bytes = Buffer.concat([unsent, Buffer.from(lines.join(''))]);
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
    } catch {
      // It cannot be written.
    }
  });

  return {
    write(line) {
      const size = Buffer.byteLength(line);
      if (waitingNow + size > waiting) {
        dropped += 1;
        return;
      }
      lines.push(line);
      waitingNow += size;
      if (waitingNow >= chunk && !failing) sendWaiting();
    },
    flush(done) {
      if (done) {
        const timer = setTimeout(finish, patience);
        function finish() {
          clearTimeout(timer);
          onFlushed = onFlushed.filter((other) => other !== finish);
          done!();
        }
        onFlushed.push(finish);
      }
      sendWaiting();
    },
  };
}
