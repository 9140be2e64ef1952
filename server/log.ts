import {openSync} from 'node:fs';
import {pino, type Logger} from 'pino';
import {createLogDestination, type LogLimits} from './log-destination.ts';

/**
 * Lines leave in chunks, at least once a second, off the event loop: a write a request would cost a fifth of
 * the throughput. A crash may lose the last second of the log, never a lead. Lines carry no process id and no host
 * name: whoever collects them knows where they came from.
 * @param file a path, or the number of an open file; standard output when absent
 */
export function createLog(level: string, file: string | number = 1, limits?: LogLimits): Logger {
  const fd = typeof file === 'string' ? openSync(file, 'a') : file;
  const sayDropped = (lines: number) => {
    log.warn({lines}, `${lines} lines of the log were dropped while it could not be written`);
  };
  const log = pino({level, base: null}, createLogDestination(fd, sayDropped, limits));
  return log;
}
