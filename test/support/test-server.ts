/** Starts a real server on a free port, with a real database in its own folder. */
import {join} from 'node:path';
import {defaultPolicy} from '../../calculator/policy.ts';
import {sha256} from '../../server/config/callers.ts';
import type {LeadApiSettings} from '../../server/config/destinations.ts';
import type {Config} from '../../server/config/config.ts';
import {usualTimings, type Timings} from '../../server/config/timings.ts';
import {onePartner, type Partner} from '../../server/config/partners.ts';
import {startServer} from '../../server/server.ts';
import {createEncryptor} from '../../server/store/encryption.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {logTo} from './observation-log.ts';
import {fetchFrom, type FetchPath} from './http.ts';
import {makeTemporaryFolder} from './temporary-folder.ts';

/** A caller, with the password by which it signs in. */
export const caller = <Fields extends {user: string; password: string; cids: readonly string[]}>(
  fields: Fields,
) => ({...fields, password_sha256: [sha256(fields.password).toString('hex')]});
/** The entry of a caller in `lead-prequal.json`, which has no password. */
export const inFile = ({user, password_sha256, cids}: ReturnType<typeof caller>) => ({
  user,
  password_sha256,
  cids,
});

export const acme = caller({user: 'acme', password: 'acme-password-1', cids: ['1001', '1002']});
/** Another user of the same client. */
export const acmeToo = caller({user: 'acme-too', password: 'acme-password-2', cids: ['1001']});
export const globex = caller({user: 'globex', password: 'globex-password', cids: ['2001']});

export const dataKey = 'a-data-key-for-tests-that-is-long-enough';
/** For stores with this key. */
export const testEncryptor = createEncryptor([dataKey]);

export const listedOrigin = 'https://www.partner.example';
export const otherOrigin = 'https://other.example';

export const partners: Config['partners'] = [
  onePartner({key: 'acme', origins: [listedOrigin], cid: '1001'}),
  onePartner({key: 'contact-only', origins: [otherOrigin], lead_types: ['standard'], cid: '2001'}),
];

/** The leads of callers and of pages go to this upstream. */
export function through(
  settings: LeadApiSettings,
  [first, ...others] = partners,
  callers: Config['callers'] = [acme, acmeToo, globex],
): Partial<Config> {
  const answered = (partner: Partner) => ({...partner, answerFrom: 'default'});
  return {
    destinations: new Map([['default', settings]]),
    partners: [answered(first), ...others.map(answered)],
    callers: callers.map((each) => ({...each, answer_from: 'default'})),
  };
}

export const baseConfig = (folder: string): Config => ({
  host: '127.0.0.1',
  port: 0,
  publicUrl: 'https://leads.example.com',
  callers: [acme, acmeToo, globex],
  partners,
  configFile: 'lead-prequal.json',
  tokenKeys: ['a-token-key-for-tests-that-is-long-enough'],
  formerEvidenceWords: [],
  databasePath: join(folder, 'data', 'leads.sqlite'),
  databaseUrl: undefined,
  dataKeys: [dataKey],
  dataKeyFile: undefined,
  erasuresFile: join(folder, 'leads.sqlite.erasures'),
  retention: {retainDays: undefined, keepConsentYears: 5, graceDays: 30},
  policy: defaultPolicy,
  destinations: new Map(),
  alerts: undefined,
  confirmations: true,
  proofOfWork: 0,
  rateLimit: 100_000,
  redisUrl: undefined,
  trustProxy: 0,
  signInExempt: [],
  embedFolder: join(folder, 'embed'),
  releasesFolder: join(folder, 'releases'),
  withdrawnVersions: [],
  snippetsPage: true,
  admin: undefined,
  drainSeconds: 0,
  metrics: undefined,
  logLevel: 'debug',
  environment: {},
  warnings: [],
  notes: [],
});

export type TestServer = {
  url: string;
  port: number;
  metricsPort: number | undefined;
  config: Config;
  /** The lines that the server logged so far. */
  logLines: string[];
  fetch: FetchPath;
  /** Reads its configuration again, which differs so from the one that it has, or cannot be read. */
  reload(changes: Partial<Config> | Error): Promise<void>;
  close(): Promise<void>;
};

/** How the configuration differs; a function may make what must stand before the start. */
export type Prepare = Partial<Config> | ((folder: string) => Partial<Config>);

/** @param timings how times of the delivery differ */
export async function startTestServer(
  prepare: Prepare = {},
  timings: Partial<Timings> = {},
): Promise<TestServer> {
  const folder = makeTemporaryFolder();
  const changes = typeof prepare === 'function' ? prepare(folder.path) : prepare;
  const config = {...baseConfig(folder.path), ...changes};
  let read = () => config;
  const logLines: string[] = [];
  const log = logTo(logLines, config.logLevel);
  const store = config.databaseUrl
    ? undefined
    : await openSqliteStore(config.databasePath, createEncryptor(config.dataKeys), log.emit);
  const server = await startServer(
    config,
    log.emit,
    store,
    {...usualTimings, leadsPerSecond: 1_000, ...timings},
    () => read(),
  );
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    port: server.port,
    metricsPort: server.metricsPort,
    config,
    logLines,
    fetch: fetchFrom(url),
    reload(next) {
      const before = read;
      read = () => {
        if (next instanceof Error) throw next;
        return {...before(), ...next};
      };
      return server.reload().finally(() => {
        if (next instanceof Error) read = before;
      });
    },
    async close() {
      await server.close();
      log.flush();
      folder.remove();
    },
  };
}
