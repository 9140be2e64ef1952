/**
 * A root folder of its own for programs, as an image or a new machine has it: there are the programs of this machine
 * (/usr, read-only), Node and npm, and otherwise only what a test puts there. It is no container: the network is that of
 * the machine.
 */
import {execFileSync, spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {text} from 'node:stream/consumers';
import {missing, need, skipUnless} from '../support/installed.ts';

/** Why such a root cannot be made here; false if it can. */
export const noScratchRoot = (): string | false =>
  skipUnless('REQUIRE_CLIENTS', process.getuid?.() !== 0 && 'only root can give files to another user') ||
  missing('bwrap');

const npmFolder = () => dirname(dirname(realpathSync(need('npm'))));

/** What every machine has, and how this one reaches the registry of packages. */
const machinesFiles = ['resolv.conf', 'hosts', 'nsswitch.conf', 'ssl/certs/ca-certificates.crt'];

export function makeScratchRoot(root: string) {
  const folders = 'dev etc opt proc root tmp usr/local/bin usr/local/lib var/lib';
  for (const folder of folders.split(' ')) mkdirSync(join(root, folder), {recursive: true});
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name));
  for (const file of machinesFiles.filter((name) => existsSync(join('/etc', name)))) {
    mkdirSync(dirname(join(root, 'etc', file)), {recursive: true});
    copyFileSync(join('/etc', file), join(root, 'etc', file));
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  cpSync(npmFolder(), join(root, 'usr/local/lib/node_modules/npm'), {recursive: true});
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
}

export type Surroundings = {
  environment?: Readonly<Record<string, string>>;
  folder?: string;
  /** `<uid>:<gid>`. It has no capabilities, and cannot get any. */
  user?: string;
  /** Only the mounts can be written. */
  readOnly?: boolean;
  /** What is mounted where: a folder or a file of this machine, by its path in the root. */
  mounts?: Readonly<Record<string, string>>;
};

/** How `npm ci` reaches the registry from here, and the packages that npm has on this machine already. */
export function registry(): Surroundings {
  const npmConfig = (name: string) => execFileSync('npm', ['config', 'get', name], {encoding: 'utf8'}).trim();
  const cache = npmConfig('cache');
  mkdirSync(cache, {recursive: true});
  const environment = {
    npm_config_registry: npmConfig('registry'),
    npm_config_cafile: '/etc/ssl/certs/ca-certificates.crt',
  };
  return {environment, mounts: {'/root/.npm': cache}};
}

/** The pipe through which bwrap says which process it has started. */
const infoPipe = 3;

/** Starts a program, which is the first process that it can see: the one with the number 1. */
export function spawnIn(
  root: string,
  command: readonly string[],
  surroundings: Surroundings = {},
): ChildProcess {
  const {environment = {}, folder = '/', user = '0:0', readOnly = false, mounts = {}} = surroundings;
  const bind = readOnly ? '--ro-bind' : '--bind';
  const variables = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
    HOME: '/root',
    ...environment,
  };
  const [uid = '', gid = ''] = user.split(':');
  const options = [
    ...['--unshare-pid', '--as-pid-1', '--die-with-parent', '--info-fd', String(infoPipe)],
    ...[bind, root, '/', '--ro-bind', '/usr', '/usr', bind, join(root, 'usr/local'), '/usr/local'],
    ...Object.entries(mounts).flatMap(([path, source]) => ['--bind', source, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--chdir', folder, '--clearenv'],
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  const asUser =
    user === '0:0'
      ? []
      : [
          ...['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups'],
          ...['--no-new-privs', '--bounding-set=-all', '--'],
        ];
  return spawn(need('bwrap'), [...options, '--', ...asUser, ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
}

/** The number that the started process has on this machine, by which it gets a signal. */
export async function processId(child: ChildProcess): Promise<number> {
  const info = JSON.parse(await text(child.stdio[infoPipe] as NodeJS.ReadableStream)) as {
    'child-pid': number;
  };
  return info['child-pid'];
}

/** Runs a program to its end. */
export async function runIn(root: string, command: readonly string[], surroundings: Surroundings = {}) {
  const child = spawnIn(root, command, surroundings);
  const [[code], output, errors] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return {code, output, errors};
}

/** Copies what git knows of the repository, with changes that are not committed. */
export function cloneInto(folder: string) {
  const repository = join(import.meta.dirname, '../..');
  const files = execFileSync('git', ['ls-files', '-z'], {cwd: repository, encoding: 'utf8'}).split('\0');
  for (const file of files.filter((name) => name !== '' && !name.startsWith('test/')))
    cpSync(join(repository, file), join(folder, file));
}

/**
 * Runs commands of a guide in `/opt/lead-prequal`, without those for which systemd or Debian's packages would have to be there.
 * @returns what they print
 */
export async function followIn(root: string, block: string) {
  const lines = block.split('\n').filter((line) => !/^(git clone|systemctl|apt) /.test(line));
  const script = ['set -e', 'cd /opt/lead-prequal', ...lines].join('\n');
  const {code, output, errors} = await runIn(root, ['/bin/sh', '-c', script], registry());
  if (code !== 0) throw new Error(`${block}\n${output}${errors}`);
  return output + errors;
}
