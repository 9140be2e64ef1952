/** Writes events to the log. */
import type {Logger} from 'pino';
import {lineOf} from './event-lines.ts';
import type {Emit, EventType} from './events.ts';
import {createLogSampler, type LogSampler} from './log-sampler.ts';

export type EventLog = {
  emit: Emit;
  /** Writes how many lines were left out, and calls `done` when the whole log is written. */
  flush(done?: () => void): void;
};

export function createEventLog(log: Logger): EventLog {
  /**
   * Each type of event has a sampler of its own, so that a flood of one event does not suppress the lines of others.
   */
  const samplers = new Map<EventType, LogSampler>();

  function samplerOf(type: EventType): LogSampler {
    const known = samplers.get(type);
    if (known) return known;
    const sampler = createLogSampler(log);
    samplers.set(type, sampler);
    return sampler;
  }

  return {
    emit(event) {
      const line = lineOf(event, log.isLevelEnabled('debug'));
      if (!line) return;
      if ('kind' in line) samplerOf(event.type).write(line.level, line.kind, line.fields, line.message);
      else log[line.level](line.fields, line.message);
    },
    flush(done) {
      for (const sampler of samplers.values()) sampler.flush();
      log.flush(done);
    },
  };
}
