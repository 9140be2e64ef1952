/** Asks all servers on the store to read their configuration again, and reports what each answered. */
import {setTimeout as sleep} from 'node:timers/promises';
import {z} from 'zod';
import type {Config} from '../config/config.ts';
import {goneAfter, newRequest, type ProcessReport, type ReloadStore} from '../reload/reloads.ts';
import type {With} from './admin.ts';

/** Milliseconds between two reads of the store. */
const pollInterval = 100;

/**
 * - `state`: `silent` if the server did not answer in time
 * - `digest`: of the configuration that it has in force
 * - `changes`: what the reload changed
 * - `faults`: why it refused what it read
 * - `need_restart`: settings that it cannot read again, and has another value of than whoever asks
 */
export const reloadAnswer = z.object({
  server: z.string(),
  state: z.enum(['reloaded', 'refused', 'silent']),
  digest: z.string(),
  changes: z.array(z.string()),
  faults: z.array(z.string()),
  need_restart: z.array(z.string()),
});
export type ReloadAnswer = z.infer<typeof reloadAnswer>;

/**
 * Resolves when all servers have answered, or the time is over. A server that stops meanwhile is left out.
 * @param mayShorten whether a configuration is also taken that keeps leads for a shorter time, or ends encryption
 * @param wait milliseconds
 */
export async function reloadServers(
  {store, config}: With<ReloadStore, 'config'>,
  {mayShorten, wait}: {mayShorten: boolean; wait: number},
): Promise<ReloadAnswer[]> {
  const deadline = performance.now() + wait;
  const request = newRequest(mayShorten);
  await store.askForReload(request);
  for (;;) {
    const reports = await store.processes(Date.now() - goneAfter);
    if (reports.every((one) => one.request === request) || performance.now() > deadline)
      return reports.map((report) => answerIn(report, request, config));
    await sleep(pollInterval);
  }
}

function answerIn(report: ProcessReport, request: string, config: Config): ReloadAnswer {
  const isSilent = report.request !== request;
  const state = isSilent ? 'silent' : report.faults.length > 0 ? 'refused' : 'reloaded';
  return {
    server: report.name,
    state,
    digest: report.digest,
    changes: state === 'reloaded' ? [...report.changes] : [],
    faults: state === 'refused' ? [...report.faults] : [],
    need_restart: state === 'reloaded' ? changedSettings(report, config) : [],
  };
}

/** What the server cannot read again, and has another value than this process. */
function changedSettings({needRestart, environment}: ProcessReport, {environment: own}: Config): string[] {
  const differs = (name: string) => environment[name] !== own[name];
  // These digests have a key that is made from the data key: with another one, all of them differ.
  const names = differs('DATA_KEY') ? ['DATA_KEY'] : Object.keys({...environment, ...own}).filter(differs);
  return [...new Set([...needRestart, ...names])];
}
