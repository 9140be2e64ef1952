/** What the measured servers share: they open the store that the command line names, and report their port. */
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {LeadStore} from '../../server/leads/ports.ts';
import {openPostgresStore} from '../../server/store/postgres/store.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {testEncryptor} from '../support/test-server.ts';

/**
 * - `location`: a path or a postgres:// URL
 * - `upstream`: its URL, or empty
 * - `oneAtATime`: each lead is given to the store when the previous one is stored, so that no leads share a commit
 */
export type StoreArguments = {location: string; upstream: string; oneAtATime: boolean};

const isUrl = (location: string) => location.startsWith('postgres:');

export function storeArguments(): StoreArguments {
  return JSON.parse(process.argv[2]!) as StoreArguments;
}

export async function openBenchStore(): Promise<LeadStore> {
  const {location, oneAtATime} = storeArguments();
  const open = isUrl(location) ? openPostgresStore : openSqliteStore;
  const store = await open(location, testEncryptor);
  if (!oneAtATime) return store;
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...store,
    accept(entry) {
      const accepted = last.then(() => store.accept(entry));
      last = accepted.catch(() => undefined);
      return accepted;
    },
  };
}

export const upstreamUrl = () => storeArguments().upstream;

/** Sends the port to the parent process, and ends when the parent ends. */
export function ready(server: Server) {
  server.on('listening', () => process.send!((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit(0));
}
