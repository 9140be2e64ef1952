/** Runs `node server/lead-prequal.cjs serve` like an operator does, as a process with its own environment. */
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {before} from 'node:test';
import {configIn, writeConfig, type FileFields} from './config-file.ts';
import {suiteOwner} from './opened.ts';
import {makeTemporaryFolder} from './temporary-folder.ts';
import {dataKey} from './test-server.ts';

/**
 * A complete configuration, whose file and leads are in the folder. A file that is there stays: servers are started again.
 * @param fields of `lead-prequal.json`
 */
export const serviceSettings = (folder: string, fields?: FileFields): Record<string, string> => ({
  PUBLIC_URL: 'http://127.0.0.1',
  CONFIG_FILE:
    !fields && existsSync(configIn(folder))
      ? configIn(folder)
      : writeConfig(folder, undefined, undefined, fields),
  DATABASE_PATH: join(folder, 'leads.sqlite'),
  DATA_KEY: dataKey,
});

/** Starts the process and returns at once. */
export function spawnMain(
  environment: Record<string, string>,
  folder: string,
  command: readonly string[] = [],
  code = join(import.meta.dirname, '../..'),
) {
  const launcher = join(code, 'server/lead-prequal.cjs');
  const [program = '', ...rest] = [...command, process.execPath, launcher, 'serve'];
  return spawn(program, rest, {
    cwd: folder,
    env: {PATH: process.env['PATH'] ?? '', ...environment},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the process until it ends by itself. */
export async function runService(environment: Record<string, string>, folder: string) {
  const child = spawnMain(environment, folder);
  const [[code], output, errors] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return {code, output, errors};
}

export type RunningService = {
  url: string;
  /** The id of the process that was started: the server, or the command that runs it. */
  pid: number;
  /** The lines that it printed so far. */
  lines: string[];
  /** Resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<{code: number | null; signal: NodeJS.Signals | null}>;
};

/**
 * Resolves when the server accepts requests.
 * @param command a command that runs the server, such as a tracer with its arguments
 * @param code the folder of another version of the server
 * @throws Error with the output, when the server ends before that
 */
export async function startService(
  environment: Record<string, string>,
  folder: string,
  command: readonly string[] = [],
  code?: string,
): Promise<RunningService> {
  const child = spawnMain({PORT: '0', ...environment}, folder, command, code);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({input: stream}).on('line', (line) => lines.push(line));
  }
  const port = await readyPort(child, lines);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    lines,
    async end(signal) {
      const {exitCode, signalCode} = child;
      if (exitCode !== null || signalCode !== null) return {code: exitCode, signal: signalCode};
      const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      child.kill(signal);
      const [code, by] = await exited;
      return {code, signal: by};
    },
  };
}

/** Starts a service before the first test of this suite, and ends it after the last. Only tests may use its members. */
export function useService(settings: Record<string, string> = {}): RunningService {
  const folder = makeTemporaryFolder();
  const owner = suiteOwner();
  owner.after(() => folder.remove());
  const service = {} as RunningService;
  before(async () => {
    Object.assign(service, await startService({...serviceSettings(folder.path), ...settings}, folder.path));
    owner.after(() => service.end('SIGTERM'));
  });
  return service;
}

/** @returns the port on which the server says that it listens */
export function readyPort(child: ChildProcess, lines: readonly string[]): Promise<number> {
  const {promise, resolve, reject} = Promise.withResolvers<number>();
  child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${lines.join('\n')}`)));
  createInterface({input: child.stdout!}).on('line', (line) => {
    if (!line.includes('"msg":"ready"')) return;
    resolve((JSON.parse(line) as {port: number}).port);
  });
  return promise;
}
