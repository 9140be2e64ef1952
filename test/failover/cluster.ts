/**
 * Two PostgreSQL under Patroni, with synchronous replication, an etcd that says which one is the primary, and an HAProxy
 * that leads there. All listen on loopback, with their files in a temporary folder. The etcd stands for the three that an
 * operator runs: it is not what is tested.
 */
import {execFile, execFileSync, spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {binaries} from '../faults/postgres-cluster.ts';
import {until} from '../faults/load.ts';
import {freePort} from '../support/free-port.ts';
import {need} from '../support/installed.ts';
import type {Owner} from '../support/opened.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';

const scope = 'leads';
export const nodes = ['one', 'two'] as const;
export type NodeName = (typeof nodes)[number];
export const otherThan = (node: NodeName): NodeName => (node === 'one' ? 'two' : 'one');

/**
 * The settings of docs/scale.md. `ttl` is the smallest that newer versions of Patroni accept, and the largest part of the gap
 * after a crash. Without the strict mode, writing goes on while the standby is away: a lead that is acknowledged then is on
 * one machine, and Patroni does not promote the other one before it has caught up.
 */
export const patroniSettings = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: false,
};
export const haproxySettings = [
  'option httpchk OPTIONS /primary',
  'http-check expect status 200',
  'timeout check 2s',
  'default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
];

export type FailoverCluster = {
  /** Leads through HAProxy to the primary of the moment. */
  url: string;
  /** Resolves to the primary, once there is one. */
  primary(): Promise<NodeName>;
  isPrimary(node: NodeName): Promise<boolean>;
  /** Whether this one has all that is committed, and would be promoted. */
  isSynchronousStandby(node: NodeName): Promise<boolean>;
  /** As if its machine lost its power: ends Patroni and PostgreSQL with SIGKILL. */
  kill(node: NodeName): void;
  start(node: NodeName): void;
  /** As if its machine hung: stops Patroni and PostgreSQL with SIGSTOP. Returns what lets them go on. */
  freeze(node: NodeName): () => void;
  switchOver(from: NodeName): Promise<void>;
};

/** The process and all that it has started. */
function familyOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
  } catch {
    return [];
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** @param owner the test after which all of it ends */
export async function startFailoverCluster(owner: Owner): Promise<FailoverCluster> {
  const bin = binaries();
  const folder = makeTemporaryFolder();
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], {encoding: 'utf8'}));
  // PostgreSQL refuses to run as root.
  const postgres = {uid: idOf('-u'), gid: idOf('-g')};
  chownSync(folder.path, postgres.uid, postgres.gid);
  const own = (path: string) => chownSync(path, postgres.uid, postgres.gid);
  const ports = {etcd: 0, peer: 0, haproxy: 0, one: 0, two: 0, patroniOne: 0, patroniTwo: 0};
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  const restPorts = {one: ports.patroniOne, two: ports.patroniTwo};
  const running = new Map<string, ChildProcess>();
  const dataOf = (node: NodeName) => join(folder.path, node, 'data');
  const fileOf = (node: NodeName) => join(folder.path, `${node}.yml`);

  function run(name: string, program: string, words: string[], user = {}) {
    const log = openSync(join(folder.path, `${name}.log`), 'a');
    running.set(
      name,
      spawn(need(program), words, {
        stdio: ['ignore', log, log],
        cwd: folder.path,
        env: {PATH: process.env['PATH'], HOME: folder.path},
        ...user,
      }),
    );
    closeSync(log);
  }

  /** The process that all of PostgreSQL's processes belong to; undefined if it does not run. */
  function postmasterOf(node: NodeName): number | undefined {
    try {
      const pid = Number(readFileSync(join(dataOf(node), 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
      // After a kill the file stays, and another process may have the id.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataOf(node)) ? pid : undefined;
    } catch {
      return undefined;
    }
  }
  const machineOf = (node: NodeName) =>
    [running.get(node)?.pid, postmasterOf(node)].flatMap((pid) => (pid ? familyOf(pid) : []));

  function writeSettings(node: NodeName) {
    mkdirSync(join(folder.path, node), {mode: 0o700});
    own(join(folder.path, node));
    const [address, rest] = [`127.0.0.1:${ports[node]}`, `127.0.0.1:${restPorts[node]}`];
    // JSON is YAML, too.
    const settings = {
      scope,
      name: node,
      restapi: {listen: rest, connect_address: rest},
      etcd3: {host: `127.0.0.1:${ports.etcd}`},
      bootstrap: {
        dcs: {...patroniSettings, postgresql: {use_pg_rewind: true, use_slots: true}},
        initdb: [{encoding: 'UTF8'}, {'auth-local': 'trust'}, {'auth-host': 'trust'}],
      },
      postgresql: {
        listen: address,
        connect_address: address,
        data_dir: dataOf(node),
        bin_dir: bin,
        pgpass: join(folder.path, node, 'pgpass'),
        authentication: {superuser: {username: 'postgres'}, replication: {username: 'replicator'}},
        pg_hba: [
          'local all all trust',
          'host all all 127.0.0.1/32 trust',
          'host replication all 127.0.0.1/32 trust',
        ],
        parameters: {unix_socket_directories: join(folder.path, node), shared_buffers: '64MB'},
      },
    };
    writeFileSync(fileOf(node), JSON.stringify(settings));
    own(fileOf(node));
  }

  const start = (node: NodeName) => run(node, 'patroni', [fileOf(node)], postgres);

  /** Asks Patroni, as HAProxy does. */
  const isHealthyAs = (role: string) => (node: NodeName) =>
    fetch(`http://127.0.0.1:${restPorts[node]}/${role}`, {
      method: 'OPTIONS',
      signal: AbortSignal.timeout(2_000),
    }).then(
      ({ok}) => ok,
      () => false,
    );
  const [isPrimary, isSynchronousStandby] = [isHealthyAs('primary'), isHealthyAs('synchronous')];

  owner.after(async () => {
    for (const node of nodes) {
      const pid = postmasterOf(node);
      signalAll(machineOf(node), 'SIGCONT');
      running.get(node)?.kill('SIGKILL');
      // An immediate shutdown removes its shared memory, which SIGKILL would leave behind.
      if (pid) signalAll([pid], 'SIGQUIT');
      await until(() => postmasterOf(node) === undefined);
    }
    for (const child of running.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    folder.remove();
  });

  const [client, peer] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.peer}`];
  run('etcd', 'etcd', [
    ...['--name', 'etcd', '--data-dir', join(folder.path, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `etcd=${peer}`,
    ],
  ]);
  for (const node of nodes) writeSettings(node);
  start('one');
  await until(() => isPrimary('one'));
  start('two');
  await until(() => isSynchronousStandby('two'));

  const haproxyFile = join(folder.path, 'haproxy.cfg');
  writeFileSync(
    haproxyFile,
    `defaults
  mode tcp
  timeout connect 3s
  timeout client 30m
  timeout server 30m

listen postgres
  bind 127.0.0.1:${ports.haproxy}
${haproxySettings.map((line) => `  ${line}\n`).join('')}
${nodes.map((node) => `  server ${node} 127.0.0.1:${ports[node]} check port ${restPorts[node]}\n`).join('')}`,
  );
  run('haproxy', 'haproxy', ['-db', '-f', haproxyFile]);

  return {
    url: `postgres://postgres@127.0.0.1:${ports.haproxy}/postgres`,
    async primary() {
      let found: NodeName | undefined;
      await until(async () => {
        const are = await Promise.all(nodes.map(isPrimary));
        found = nodes.find((_, index) => are[index]);
        return found !== undefined;
      });
      return found!;
    },
    isPrimary,
    isSynchronousStandby,
    kill: (node) => signalAll(machineOf(node), 'SIGKILL'),
    start,
    freeze(node) {
      const pids = machineOf(node);
      signalAll(pids, 'SIGSTOP');
      return () => signalAll(pids, 'SIGCONT');
    },
    async switchOver(from) {
      const to = ['--primary', from, '--candidate', otherThan(from), '--force'];
      await promisify(execFile)('patronictl', ['-c', fileOf(from), 'switchover', scope, ...to]);
    },
  };
}
