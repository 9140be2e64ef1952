/** Starts Debian's PgBouncer, which is older than 1.21, in session mode before a PostgreSQL, with a minimal configuration. */
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import pg from 'pg';
import {freePort} from '../support/free-port.ts';
import {need} from '../support/installed.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';

/** @param databaseUrl the URL of a PostgreSQL that accepts everybody */
export async function startPgBouncer(databaseUrl: string) {
  const folder = makeTemporaryFolder();
  const {hostname, port} = new URL(databaseUrl);
  const ownPort = await freePort();
  writeFileSync(`${folder.path}/users.txt`, '"postgres" ""\n');
  writeFileSync(
    `${folder.path}/pgbouncer.ini`,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = trust
auth_file = ${folder.path}/users.txt
pool_mode = session
default_pool_size = 90
`,
  );
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', 'postgres', folder.path]);
  const program = [need('pgbouncer'), `${folder.path}/pgbouncer.ini`];
  const [command = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...program] : program;
  const child = spawn(command, rest, {stdio: 'ignore', cwd: '/'});
  const url = `postgres://postgres@127.0.0.1:${ownPort}/postgres`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error('PgBouncer has ended');
    const client = new pg.Client({connectionString: url});
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return {
    url,
    async stop() {
      // SIGINT lets clients finish, SIGTERM does not.
      child.kill('SIGTERM');
      await once(child, 'exit');
      folder.remove();
    },
  };
}
