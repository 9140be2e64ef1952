/**
 * Checks the database for damaged pages while the server runs. Otherwise damage would stay unnoticed until a query
 * needs a damaged page.
 */
import {execFile, type ChildProcess} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {join} from 'node:path';

/** Milliseconds after which the server looks again whether a check is due. */
const interval = 500;
/** Milliseconds after which a file is checked again even if it has not changed, because disks may lose data. */
const maxPause = 3_600_000;
/** The pause after a long check is this many times as long as the check, so that checks use about 5 % of a core. */
const pauseFactor = 20;
/** Milliseconds. The pause after a check that took less than `short` is `shortPause`, so that damage is found soon. */
const [short, shortPause] = [1_000, 2_000];
/** Like `pauseFactor`, while damage is suspected, or was found by the last check. */
const pauseFactorWhenSuspected = 2;

const script = join(import.meta.dirname, 'damage-check.ts');

export type DamageWatch = {
  /** The damage that the last check found; undefined if there is none. */
  found(): string | undefined;
  /** To be called when a query fails with an error that damage may have caused. */
  suspect(): void;
  /** Ends a running check. */
  stop(): Promise<void>;
};

/**
 * Checks soon after the start, after a change of the main file, after a suspicion, and every hour. The main file
 * changes when the server moves commits from the log to it, which is often under load, or when another program writes
 * to it.
 */
export function watchForDamage(path: string): DamageWatch {
  let found: string | undefined;
  let suspected = false;
  let stopped = false;
  let check: {process: ChildProcess; ended: Promise<void>} | undefined;
  /** Of the last check: when the file had changed last before it, when the check ended, and how many ms it took. */
  let [checkedChange, endedAt, took] = [-1, -Infinity, 0];

  function start() {
    const startedAt = performance.now();
    suspected = false;
    const {promise: ended, resolve} = Promise.withResolvers<void>();
    const child = execFile(process.execPath, [script, path], {env: {}}, (error, output) => {
      check = undefined;
      endedAt = performance.now();
      took = endedAt - startedAt;
      if (!error) found = readOutcome(output, found);
      resolve();
    });
    child.unref();
    check = {process: child, ended};
  }

  async function tick() {
    const {mtimeMs} = await stat(path);
    if (check || stopped) return;
    const pause = performance.now() - endedAt;
    const minPause = took < short ? shortPause : took * pauseFactor;
    const isDue =
      pause > maxPause ||
      (mtimeMs !== checkedChange && pause > minPause) ||
      ((suspected || found !== undefined) && pause > took * pauseFactorWhenSuspected);
    if (!isDue) return;
    checkedChange = mtimeMs;
    start();
  }

  // An error is ignored here: store-watch.ts notices a missing file by its trial write.
  const timer = setInterval(() => void tick().catch(() => undefined), interval).unref();
  return {
    found: () => found,
    suspect: () => {
      suspected = true;
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      check?.process.kill('SIGKILL');
      await check?.ended;
    },
  };
}

/** The damage that a check found. If the output is not JSON, the check has no outcome, and `before` still counts. */
function readOutcome(output: string, before: string | undefined): string | undefined {
  try {
    return (JSON.parse(output) as {damage?: string}).damage;
  } catch {
    return before;
  }
}
