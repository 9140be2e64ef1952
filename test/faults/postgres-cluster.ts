/** Starts a PostgreSQL for a test, in a temporary folder, which may be stopped and killed. */
import {execFile, execFileSync} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {chmodSync, globSync, writeFileSync} from 'node:fs';
import {after, before} from 'node:test';
import {promisify} from 'node:util';
import pg from 'pg';
import type {Certificate} from '../support/certificates.ts';
import {freePort} from '../support/free-port.ts';
import {notInstalled, skipUnless} from '../support/installed.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';

export type Cluster = {
  url: string;
  /** Resolves to the URL of a new database in it. */
  createDatabase(): Promise<string>;
  start(): void;
  /** `immediate` is like a crash: there is no checkpoint, and the next start recovers. */
  stop(mode: 'fast' | 'immediate'): void;
  /** As `start` and `stop`, while the test goes on sending. */
  startMeanwhile(): Promise<unknown>;
  stopMeanwhile(mode: 'fast' | 'immediate'): Promise<unknown>;
  remove(): void;
};

/** The folder of the programs of the newest PostgreSQL that is installed. */
export function binaries(): string {
  const [newest] = globSync('/usr/lib/postgresql/*/bin').sort().reverse();
  if (!newest) throw new Error(notInstalled('postgresql'));
  return newest;
}

/** Why a test that starts its own PostgreSQL is skipped; false if it is installed. */
export const withoutBinaries = skipUnless(
  'REQUIRE_STORES',
  globSync('/usr/lib/postgresql/*/bin').length === 0 && notInstalled('postgresql'),
);

/** @param tls with a certificate, it takes connections with TLS alone */
export async function startCluster(tls?: Certificate): Promise<Cluster> {
  const bin = binaries();
  const folder = makeTemporaryFolder();
  const data = `${folder.path}/data`;
  const port = await freePort();
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const asPostgres = (program: string, rest: string[]): [string, string[]] => {
    const path = `${bin}/${program}`;
    return isRoot ? ['runuser', ['-u', 'postgres', '--', path, ...rest]] : [path, rest];
  };
  const run = (program: string, ...rest: string[]) =>
    void execFileSync(...asPostgres(program, rest), {stdio: 'ignore', cwd: '/'});
  const runMeanwhile = (program: string, ...rest: string[]) =>
    promisify(execFile)(...asPostgres(program, rest), {cwd: '/'});
  if (isRoot) execFileSync('chown', ['postgres', folder.path]);
  else chmodSync(folder.path, 0o700);
  run(
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '--encoding',
    'UTF8',
    '--locale',
    'C.UTF-8',
    '--no-sync',
  );
  if (tls) {
    const write = (name: string, text: string) => {
      writeFileSync(`${data}/${name}`, text, {mode: 0o600});
      if (isRoot) execFileSync('chown', ['postgres', `${data}/${name}`]);
    };
    write('server.crt', tls.cert);
    write('server.key', tls.key);
    writeFileSync(`${data}/pg_hba.conf`, 'hostssl all all all trust\n');
  }
  const options = `-c ssl=${tls ? 'on' : 'off'} -p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder.path}`;
  const starting = ['-D', data, '-w', '-l', `${folder.path}/log`, '-o', options, 'start'];
  const stopping = (mode: string) => ['-D', data, '-w', '-m', mode, 'stop'];
  const cluster: Cluster = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async createDatabase() {
      const [client, name] = [new pg.Client({connectionString: cluster.url}), `d${randomUUID()}`];
      await client.connect();
      await client.query(`CREATE DATABASE "${name}"`);
      await client.end();
      return cluster.url.replace(/postgres$/, name);
    },
    start: () => run('pg_ctl', ...starting),
    stop: (mode) => run('pg_ctl', ...stopping(mode)),
    startMeanwhile: () => runMeanwhile('pg_ctl', ...starting),
    stopMeanwhile: (mode) => runMeanwhile('pg_ctl', ...stopping(mode)),
    remove() {
      cluster.stop('immediate');
      folder.remove();
    },
  };
  cluster.start();
  return cluster;
}

/** Starts one before the tests of this suite and removes it after them; it is there once they run. */
export function useCluster(): Cluster {
  const cluster = {} as Cluster;
  before(async () => Object.assign(cluster, await startCluster()));
  after(() => cluster.remove());
  return cluster;
}
