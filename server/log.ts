import {pino, type DestinationStream, type Logger} from 'pino';

/**
 * Lines leave in chunks, at least once a second, off the event loop: a write a request would cost a fifth of
 * the throughput. A crash may lose the last second of the log, never a lead.
 * @param file standard output when absent
 */
const logDestination = (file?: string): DestinationStream =>
  pino.destination({dest: file ?? 1, sync: false, minLength: 4_096, periodicFlush: 1_000});

/** Lines carry no process id and no host name: whoever collects them knows where they came from. */
export const createLog = (level: string, file?: string): Logger =>
  pino({level, base: null}, logDestination(file));
