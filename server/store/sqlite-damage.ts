/** Looks for damaged pages while the server runs, so that it does not say that all is well until somebody trips over one. */
import {execFile, type ChildProcess} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {join} from 'node:path';

/** Milliseconds between two looks at the time when the file last changed. */
const interval = 500;
/** Milliseconds after which the file is read again even if nothing happened to it: a disk may lose what it holds. */
const longestPause = 3_600_000;
/** A long look is followed by so many times its own length without one: at most a twentieth of one core. */
const restFactor = 20;
/** Milliseconds. A look that took less than `short` is followed by `shortRest` without one. */
const [short, shortRest] = [1_000, 2_000];
/** After a query that could not read a page, the next look comes sooner. */
const restFactorWhenSuspected = 2;

const script = join(import.meta.dirname, 'sqlite-look.ts');

export type DamageWatch = {
  /** What the last look found; undefined where nothing is damaged. */
  found(): string | undefined;
  /** A query failed in a way that a damaged page would explain. */
  suspect(): void;
  /** Ends a look that is under way. */
  stop(): Promise<void>;
};

/**
 * Looks soon after the start, after the main file has changed, after a suspicion, and once an hour. The file
 * changes when the server moves its log there, which is often under load, or when somebody else writes to it.
 */
export function watchForDamage(path: string): DamageWatch {
  let found: string | undefined;
  let suspected = false;
  let stopped = false;
  let look: {process: ChildProcess; ended: Promise<void>} | undefined;
  /** The file's time of change when the last look began, and when that look ended and how long it took. */
  let [seen, endedAt, took] = [-1, -Infinity, 0];

  function start() {
    const startedAt = performance.now();
    suspected = false;
    const {promise: ended, resolve} = Promise.withResolvers<void>();
    const child = execFile(process.execPath, [script, path], {env: {}}, (error, output) => {
      look = undefined;
      endedAt = performance.now();
      took = endedAt - startedAt;
      if (!error) found = readOutcome(output, found);
      resolve();
    });
    child.unref();
    look = {process: child, ended};
  }

  async function tick() {
    const {mtimeMs} = await stat(path);
    if (look || stopped) return;
    const rested = performance.now() - endedAt;
    const rest = took < short ? shortRest : took * restFactor;
    const reason =
      rested > longestPause ||
      (mtimeMs !== seen && rested > rest) ||
      ((suspected || found !== undefined) && rested > took * restFactorWhenSuspected);
    if (!reason) return;
    seen = mtimeMs;
    start();
  }

  // A file that is gone is for the trial write to notice.
  const timer = setInterval(() => void tick().catch(() => undefined), interval).unref();
  return {
    found: () => found,
    suspect: () => {
      suspected = true;
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      look?.process.kill('SIGKILL');
      await look?.ended;
    },
  };
}

/** What a look found. One that failed or was cut off says nothing: what the one before it found still counts. */
function readOutcome(output: string, before: string | undefined): string | undefined {
  try {
    return (JSON.parse(output) as {damage?: string}).damage;
  } catch {
    return before;
  }
}
