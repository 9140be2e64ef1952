/** What a configuration says, and what its errors say, without files: the text of the file stands in `CONFIG`. */
import assert from 'node:assert/strict';
import {ConfigError, readConfig} from '../../server/config/config.ts';
import type {FileFields} from './config-file.ts';

type Settings = Readonly<Record<string, string>>;

/** Of a partner, what the file must say. */
export const partner = {key: 'acme', origins: ['https://www.partner.example']};

/** The smallest environment with which a server starts. @param file its text, or keys beside the only partner */
export const settingsWith = (
  file: string | FileFields = {},
  more: Settings = {},
): Record<string, string> => ({
  PUBLIC_URL: 'https://leads.example.com',
  DATA_KEY: 'a-data-key-for-tests-that-is-long-enough',
  CONFIG: typeof file === 'string' ? file : JSON.stringify({partners: [partner], ...file}),
  ...more,
});

export const readWith = (...given: Parameters<typeof settingsWith>) => readConfig(settingsWith(...given));

/** The faults that the configuration is refused for, a line each; empty if it is accepted. */
export function wrongIn(environment: Settings, isBeforeStart = false): readonly string[] {
  try {
    readConfig(environment, isBeforeStart);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

/** As `wrongIn`, without the places in the file, which json-places.test.ts checks. */
export const wrongWith = (...given: Parameters<typeof settingsWith>) =>
  wrongIn(settingsWith(...given)).map((line) => line.replaceAll(/CONFIG:\d+:\d+: /g, ''));
