/** A real server on a free port, with a real database in a folder of its own. */
import {join} from 'node:path';
import {pino} from 'pino';
import {defaultPolicy} from '../../server/answers/policy.ts';
import type {UpstreamSettings} from '../../server/answers/upstream.ts';
import type {Config} from '../../server/config.ts';
import {usualPace, type Pace} from '../../server/delivery/pace.ts';
import {onePartner} from '../../server/partners.ts';
import {startServer} from '../../server/server.ts';
import {fetchFrom, type FetchPath} from './http.ts';
import {makeTemporaryFolder} from './temporary-folder.ts';

export const acme = {user: 'acme', password: 'acme-password-1', cids: ['1001', '1002']};
/** Another user of the same client. */
export const acmeToo = {user: 'acme-too', password: 'acme-password-2', cids: ['1001']};
export const globex = {user: 'globex', password: 'globex-password', cids: ['2001']};

export const listedOrigin = 'https://www.partner.example';
export const otherOrigin = 'https://other.example';

export const partners: Config['partners'] = [
  onePartner({key: 'acme', origins: [listedOrigin], cid: '1001'}),
  onePartner({key: 'contact-only', origins: [otherOrigin], lead_types: ['standard'], cid: '2001'}),
];

/** Leads of callers and of pages alike go to this upstream. */
export const through = (settings: UpstreamSettings, all: Config['partners'] = partners): Partial<Config> => ({
  upstreams: new Map([['default', settings]]),
  partners: all.map((partner) => ({...partner, upstream: 'default'})) as unknown as Config['partners'],
});

export const baseConfig = (folder: string): Config => ({
  host: '127.0.0.1',
  port: 0,
  publicUrl: 'https://leads.example.com',
  callers: [acme, acmeToo, globex],
  partners,
  tokenKeys: ['a-token-key-for-tests-that-is-long-enough'],
  databasePath: join(folder, 'data', 'leads.sqlite'),
  databaseUrl: undefined,
  databaseStatements: 'named',
  policy: defaultPolicy,
  upstreams: new Map(),
  onAmbiguous: 'send',
  outboxPerSecond: 1_000,
  proofOfWork: 0,
  rateLimit: 100_000,
  redisUrl: undefined,
  trustProxy: 0,
  signInExempt: [],
  embedFolder: join(folder, 'embed'),
  immutableFiles: true,
  logLevel: 'debug',
});

export type TestServer = {
  url: string;
  port: number;
  config: Config;
  /** What the server logged so far, a line each. */
  logLines: string[];
  fetch: FetchPath;
  close(): Promise<void>;
};

/** How the configuration differs; a function may make what must stand before the start. */
export type Prepare = Partial<Config> | ((folder: string) => Partial<Config>);

/** @param pace how times of the delivery differ */
export async function startTestServer(prepare: Prepare = {}, pace: Partial<Pace> = {}): Promise<TestServer> {
  const folder = makeTemporaryFolder();
  const changes = typeof prepare === 'function' ? prepare(folder.path) : prepare;
  const config = {...baseConfig(folder.path), ...changes};
  const logLines: string[] = [];
  const log = pino({level: config.logLevel}, {write: (line: string) => void logLines.push(line)});
  const server = await startServer(config, log, undefined, {...usualPace, ...pace});
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    port: server.port,
    config,
    logLines,
    fetch: fetchFrom(url),
    async close() {
      await server.close();
      folder.remove();
    },
  };
}
