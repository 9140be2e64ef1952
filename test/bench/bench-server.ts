/** What the servers under measurement share: the store that the command line names, and saying where they are. */
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {LeadStore} from '../../server/store/lead-store.ts';
import {openPostgresStore} from '../../server/store/postgres-store.ts';
import {openSqliteStore} from '../../server/store/sqlite-store.ts';

/** `location`: a path or a postgres:// URL; `upstream`: its URL, or empty; the others as the stores take them. */
export type StoreArguments = {location: string; upstream: string; maxBatch: number; commitDelay: number};

const isUrl = (location: string) => location.startsWith('postgres:');

export function storeArguments(): StoreArguments {
  return JSON.parse(process.argv[2]!) as StoreArguments;
}

export function openBenchStore(): Promise<LeadStore> {
  const {location, maxBatch, commitDelay} = storeArguments();
  const options = {maxBatch, commitDelay};
  return isUrl(location) ? openPostgresStore(location, options) : openSqliteStore(location, options);
}

/** What the bare servers answer to every read: of the size of a real one. */
export const result = {
  first_name: 'Ana',
  rollover_amount: 120_000,
  sba_qualified_amount: 560_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 0,
  total_qualified_amount: 830_000,
};

export const upstreamUrl = () => storeArguments().upstream;

/** Tells the parent process the port, and ends with it. */
export function ready(server: Server) {
  server.on('listening', () => process.send!((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit(0));
}
