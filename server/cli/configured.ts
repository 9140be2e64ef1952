/** Reads parts of the configuration for commands. */
import type {Config} from '../config/config.ts';
import type {Partner} from '../config/partners.ts';
import {readAllVersions, type EmbedVersion} from '../versions/embed-versions.ts';
import {Failure} from './output.ts';

/**
 * All versions, withdrawn ones and releases of the plugin for WordPress alone included.
 * @throws Failure that says why they cannot be read
 */
export function configuredVersions(config: Config): EmbedVersion[] {
  try {
    return readAllVersions(config);
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

/** @throws Failure that lists all partners if there is none with this key. The operator may see them all */
export function partnerNamed(key: string, {partners}: Config): Partner {
  const found = partners.find((partner) => partner.key === key);
  if (found) return found;
  throw new Failure(
    `There is no partner "${key}". The partners are: ${partners.map((one) => one.key).join(', ')}`,
  );
}
