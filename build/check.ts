/**
 * `npm run check`: everything that a change must pass besides the tests. Its parts run at the same time, as many as the
 * machine has cores, because most of them use one core only. Each part's output is printed when the part has ended.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {text} from 'node:stream/consumers';

/** The longest ones first, so that no core waits for one that began late. */
const parts: readonly (readonly string[])[] = [
  ['npm', 'run', '--silent', 'lint'],
  ['prettier', '--check', '--log-level', 'warn', '.'],
  ['npm', 'run', '--silent', 'typecheck'],
  ['node', 'build/check-sizes.ts'],
  ['npm', 'run', '--silent', 'docs', '--', '--check'],
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
