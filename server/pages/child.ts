/**
 * The operators' pages as a child process of the server. A process of their own leaves the server's event loop to visitors
 * (in one process, the slowest creates took ten times as long while somebody looked at pages).
 */
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import type {Emit} from '../observe/observations.ts';

const command = join(import.meta.dirname, '../lead-prequal.cjs');
/** Milliseconds. Each wait before a new start is twice the one before. After a run of `settled`, the first one is due again. */
const waits = {first: 1_000, longest: 60_000, settled: 60_000};

export type PagesChild = {
  /** From now on, nobody starts it again. Whoever stops a service may send the signal to all of its processes. */
  letEnd(): void;
  /** Resolves when it has ended. */
  end(): Promise<void>;
};

/** Starts the child, and again whenever it ends, until somebody lets it end. */
export function startPagesChild(emit: Emit): PagesChild {
  let child: ChildProcess | undefined;
  let nextStart: NodeJS.Timeout | undefined;
  let [wait, mayEnd] = [waits.first, false];

  function start() {
    const startedAt = performance.now();
    const startAgain = (reason: string) => {
      child = undefined;
      if (mayEnd) return;
      if (performance.now() - startedAt >= waits.settled) wait = waits.first;
      emit({type: 'pages-ended', reason, seconds: wait / 1_000});
      nextStart = setTimeout(start, wait);
      wait = Math.min(2 * wait, waits.longest);
    };
    try {
      // It is in a process group of its own, so that Ctrl+C in a terminal reaches it through the server alone. The channel
      // closes when the server ends, however that ends, and then the child ends, too.
      // Signing in by a passkey uses what Node calls experimental. Operators can do nothing about that.
      const started = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', command, 'admin'], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        detached: true,
      });
      // What could not be started does not exit. Any other error is about a signal to a child that is ending.
      started.on('error', ({message}) => started.pid === undefined && startAgain(message));
      started.once('exit', (status, signal) => startAgain(signal ?? `status ${status}`));
      if (started.pid !== undefined) child = started;
    } catch (error) {
      // Some errors, such as a lack of memory, are thrown at once.
      startAgain((error as Error).message);
    }
  }

  function letEnd() {
    mayEnd = true;
    clearTimeout(nextStart);
  }

  start();
  return {
    letEnd,
    async end() {
      letEnd();
      if (!child) return;
      const ended = once(child, 'exit').catch(() => undefined);
      child.kill('SIGTERM');
      await ended;
    },
  };
}
