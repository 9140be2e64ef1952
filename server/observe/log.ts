/**
 * The log: one JSON object per line, made by pino and written to standard output or a file.
 *
 * While the log cannot be written, for example because a disk or a pipe is full, lines wait in memory, up to a limit.
 * Further lines are dropped and counted. Nothing else in the server waits for the log.
 *
 * Pino's own output is not used, because it keeps the process alive while the log cannot be written: it retries the
 * last write to a full disk for ever, and its thread cannot be stopped while it writes to a full pipe.
 */
import {fstatSync, openSync, write as writeFile, writeSync} from 'node:fs';
import {pino, type Logger} from 'pino';

/** Bytes that may wait to be written. Further lines are dropped. */
const maxWaiting = 1024 * 1024;
/** When this many bytes wait, they are written at once. */
const chunk = 4_096;
/** Milliseconds between writes of less than a chunk, and between attempts after a failed write. */
const interval = 1_000;

type LogOutput = {
  write(line: string): void;
  /** @param done called when all lines are written, when writing fails, or after a second */
  flush(done?: () => void): void;
};

/** Writes all or some of the bytes. `written` is the number of bytes that were written, 0 after an error. */
type Send = (bytes: Buffer, done: (error: Error | null | undefined, written: number) => void) => void;

/** Milliseconds after which a write counts as stuck, because the reader of the log does not read. */
const writeLimit = 1_000;

function sendTo(fd: number): {send: Send; inThread: boolean} {
  const stat = fstatSync(fd);
  if (fd === 1 && (stat.isFIFO() || stat.isSocket())) {
    // Without a listener, an error would end the process. It is ignored here, because the callback gets it as well.
    process.stdout.on('error', () => undefined);
    // This write returns at once. A write by `fs` would block a thread until the reader of the pipe reads.
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
 * Lines are written in chunks, at least once a second and off the event loop, because one write for each request would
 * cost a fifth of the throughput. A crash may lose the last second of the log, but never a lead. Lines have no process
 * id and host name, because programs that collect logs add the source of each line.
 * @param file a path, or the number of an open file; standard output when absent
 */
export function createLog(level: string, file: string | number = 1): Logger {
  const fd = typeof file === 'string' ? openSync(file, 'a') : file;
  const reportDropped = (lines: number) => {
    log.warn({lines}, `${lines} lines of the log were dropped while it could not be written`);
  };
  const log = pino({level, base: null}, createLogOutput(fd, reportDropped));
  return log;
}

/**
 * @param fd of an open file, 1 for standard output
 * @param onRecovery called with the number of lines that were dropped, when lines can be written again
 */
function createLogOutput(fd: number, onRecovery: (dropped: number) => void): LogOutput {
  const {send, inThread} = sendTo(fd);
  let lines: string[] = [];
  /** The rest of the lines that are being written. */
  let unsent: Buffer = Buffer.alloc(0);
  /** Bytes in `lines` and `unsent` together. */
  let bytesWaiting = 0;
  let dropped = 0;
  /** The last write failed, so lines wait for the timer. */
  let failing = false;
  /** When the current write began, in milliseconds of `performance.now()`. */
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
    writingSince = performance.now();
    send(unsent, (error, written) => {
      writingSince = undefined;
      unsent = unsent.subarray(written);
      bytesWaiting -= written;
      failing = Boolean(error);
      if (failing) return endFlush();
      if (dropped > 0) {
        const count = dropped;
        dropped = 0;
        onRecovery(count);
      }
      if (unsent.length > 0 || bytesWaiting >= chunk || onFlushed.length > 0) sendWaiting();
    });
  }

  setInterval(sendWaiting, interval).unref();

  // At the end of the process, waiting lines are written synchronously, until a write fails. Those that
  // a thread is writing then are left to that thread, for which the process waits.
  process.on('exit', () => {
    const isWriting = writingSince !== undefined;
    // A thread that is stuck in a write would keep the process alive for ever. Only SIGKILL ends such a process.
    if (inThread && performance.now() - (writingSince ?? Infinity) >= writeLimit)
      process.kill(process.pid, 'SIGKILL');
    try {
      let bytes = Buffer.concat([isWriting ? Buffer.alloc(0) : unsent, Buffer.from(lines.join(''))]);
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
    } catch {
      // The log cannot be written, and the process is ending.
    }
  });

  return {
    write(line) {
      const size = Buffer.byteLength(line);
      if (bytesWaiting + size > maxWaiting) {
        dropped += 1;
        return;
      }
      lines.push(line);
      bytesWaiting += size;
      if (bytesWaiting >= chunk && !failing) sendWaiting();
    },
    flush(done) {
      if (done) {
        const finish = () => {
          clearTimeout(timer);
          onFlushed = onFlushed.filter((other) => other !== finish);
          done();
        };
        const timer = setTimeout(finish, writeLimit);
        onFlushed.push(finish);
      }
      sendWaiting();
    },
  };
}
