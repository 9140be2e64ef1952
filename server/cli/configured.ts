/** What commands read of the server's configuration. What cannot be read ends the process with words. */
import {ConfigError, readConfig, type Config} from '../config/config.ts';
import type {Partner} from '../config/partners.ts';
import {readVersions, type EmbedVersion} from '../versions/embed-versions.ts';
import {fail, say} from './output.ts';

/** The configuration of the server. If it is not valid, this prints what is wrong and ends the process. */
export function configured(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

/** The versions of the form, withdrawn ones included. If they cannot be read, this prints why and ends the process. */
export function configuredVersions(config: Config): EmbedVersion[] {
  try {
    return readVersions(config);
  } catch (error) {
    say((error as Error).message);
    process.exit(1);
  }
}

/** If there is no such partner, this says so, and which there are. The operator may see them all. */
export function partnerNamed(key: string, {partners}: Config): Partner | undefined {
  const found = partners.find((partner) => partner.key === key);
  if (!found)
    fail(`There is no partner "${key}". The partners are: ${partners.map((one) => one.key).join(', ')}`);
  return found;
}
