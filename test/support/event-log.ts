/** A log in memory, which tests can read. */
import {pino} from 'pino';
import {createEventLog, type EventLog} from '../../server/observe/event-log.ts';

/** @param lines each log line is added to it */
export const logTo = (lines: string[], level = 'info'): EventLog =>
  createEventLog(pino({level}, {write: (line: string) => void lines.push(line)}));

/** For parts of the server whose events a test does not look at. */
export const ignoreEvents = () => undefined;
