/** A log in memory, which tests can read. */
import {pino} from 'pino';
import {createObservationLog, type ObservationLog} from '../../server/observe/observation-log.ts';

/** @param lines each log line is added to it */
export const logTo = (lines: string[], level = 'info'): ObservationLog =>
  createObservationLog(pino({level}, {write: (line: string) => void lines.push(line)}));

/** For parts of the server whose observations a test does not look at. */
export const ignoreObservations = () => undefined;
