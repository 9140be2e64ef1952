/**
 * `npm run check`: everything that a change must pass besides the tests. Its parts run at the same time, as many as the
 * machine has cores, because most of them use one core only. Each part's output is printed when the part has ended.
 *
 * ESLint keeps what it found in a file until that file changes. Some rules look at the types of other files, so a change
 * there can cause an error that only a clean checkout, as CI has, reports. `npx eslint .` always checks all files.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';

/** What earlier runs found out about files that have not changed since. In a clean checkout everything is checked. */
const cache = '.cache';
const byContent = (tool: string) => [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  join(cache, tool),
];
const typecheck = (room: string) => [
  ...['tsc', '-p', room, '--incremental'],
  ...['--tsBuildInfoFile', join(cache, `types-${room === '.' ? 'others' : room}`)],
];

/** The longest ones first, so that no core waits for one that began late. */
const parts: readonly (readonly string[])[] = [
  ['eslint', '--max-warnings', '0', ...byContent('eslint'), '.'],
  ['prettier', '--check', '--log-level', 'warn', ...byContent('prettier'), '.'],
  typecheck('.'),
  typecheck('server'),
  ['node', 'build/check-sizes.ts'],
  ['npm', 'run', '--silent', 'docs', '--', '--check'],
  typecheck('widget'),
  typecheck('form'),
];

async function run([command = '', ...options]: readonly string[]) {
  const part = spawn(command, options, {stdio: ['ignore', 'pipe', 'pipe']});
  const [out, errors, [code]] = await Promise.all([
    text(part.stdout),
    text(part.stderr),
    once(part, 'close') as Promise<[number | null]>,
  ]);
  process.stdout.write(out);
  process.stderr.write(errors);
  if (code === 0) return;
  console.error(`Failed: ${[command, ...options].join(' ')}`);
  process.exitCode = 1;
}

const waiting = [...parts];
async function runNext(): Promise<void> {
  const part = waiting.shift();
  if (!part) return;
  await run(part);
  return runNext();
}
await Promise.all(Array.from({length: availableParallelism()}, runNext));
