/** What commands read of the server's configuration. */
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

/** @throws Failure that says which partners there are, if this is none of them. The operator may see them all */
export function partnerNamed(key: string, {partners}: Config): Partner {
  const found = partners.find((partner) => partner.key === key);
  if (found) return found;
  throw new Failure(
    `There is no partner "${key}". The partners are: ${partners.map((one) => one.key).join(', ')}`,
  );
}
