import assert from 'node:assert/strict';
import {ConfigError, readConfig} from '../../server/config/config.ts';

/** The faults that the configuration is refused for, a line each; empty if it is accepted. */
export function wrongIn(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split('\n  ').slice(1);
  }
  return [];
}
