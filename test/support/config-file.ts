/** `lead-prequal.json` of a test. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {FileInput} from '../../server/config/file.ts';
import {acme, inFile, listedOrigin} from './test-server.ts';

/** Keys of the file, as they are read: a test may also write wrong ones. */
export type FileFields = {[Key in keyof FileInput]?: unknown};

export const configIn = (folder: string): string => join(folder, 'lead-prequal.json');

/** Whether it is a webhook or a room on this machine, as far as the file says where it is. */
const isHere = (destination: {type?: string; url?: string}) =>
  ['webhook', 'chat'].includes(destination.type ?? '') && !destination.url?.startsWith('https:');

/**
 * Writes the file. A partner is acme, with its origin, unless it says otherwise, and receivers are on this machine. Nothing
 * slows down or refuses scripts that send leads.
 * @returns its path
 */
export function writeConfig(
  folder: string,
  partners: readonly object[] = [{}],
  destinations: Readonly<Record<string, object>> = {},
  fields: FileFields = {},
): string {
  const path = configIn(folder);
  const content = {
    partners: partners.map((each) => ({key: 'acme', origins: [listedOrigin], cid: '1001', ...each})),
    destinations: Object.fromEntries(
      Object.entries(destinations).map(([name, each]) => [
        name,
        isHere(each) ? {internal: true, ...each} : each,
      ]),
    ),
    callers: [inFile(acme)],
    proof_of_work: 0,
    rate_limit: 1_000_000,
    ...fields,
  };
  writeFileSync(path, JSON.stringify(content));
  return path;
}
