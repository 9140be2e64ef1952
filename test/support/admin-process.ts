/** `lead-prequal admin` as a process, for tests. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';

const launcher = join(import.meta.dirname, '../../server/lead-prequal.cjs');

/** Runs until it ends. `ready` has its port. Whoever calls kills `child`. */
export function runAdmin(settings: Record<string, string>) {
  const env = {PATH: process.env['PATH'], ...settings};
  // Not in the folder of the tests, whose lead-prequal.env would be read.
  const options = {cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']};
  const child = spawn(process.execPath, [launcher, 'admin'], options);
  const lines: string[] = [];
  const ready = Promise.withResolvers<number>();
  createInterface({input: child.stdout}).on('line', (line) => {
    lines.push(line);
    if (line.includes('pages are ready')) ready.resolve((JSON.parse(line) as {port: number}).port);
  });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  void ended.then(() => ready.reject(new Error(lines.join('\n'))));
  ready.promise.catch(() => undefined);
  return {child, lines, ended, errors: text(child.stderr), ready: ready.promise};
}
