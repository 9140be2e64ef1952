/** Writes observations to the log. */
import type {Logger} from 'pino';
import {lineOf} from './log-lines.ts';
import type {Emit, ObservationType} from './observations.ts';
import {createLogSampler, type LogSampler} from './log-sampler.ts';

export type ObservationLog = {
  emit: Emit;
  /** Writes how many lines were left out, and calls `done` when the whole log is written. */
  flush(done?: () => void): void;
};

export function createObservationLog(log: Logger): ObservationLog {
  /**
   * Each type of observation has a sampler of its own, so that many observations of one type do not suppress the lines
   * of others.
   */
  const samplers = new Map<ObservationType, LogSampler>();

  function samplerOf(type: ObservationType): LogSampler {
    const known = samplers.get(type);
    if (known) return known;
    const sampler = createLogSampler(log);
    samplers.set(type, sampler);
    return sampler;
  }

  return {
    emit(observation) {
      const line = lineOf(observation, log.isLevelEnabled('debug'));
      if (!line) return;
      const {level, fields, message = '', kind} = line;
      if (kind === undefined) log[level](fields, line.message);
      else samplerOf(observation.type).write(level, kind, fields, message);
    },
    flush(done) {
      for (const sampler of samplers.values()) sampler.flush();
      log.flush(done);
    },
  };
}
