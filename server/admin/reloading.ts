/** Asks all servers that use this store to reload their configuration, and reports the answer of each. */
import {setTimeout as sleep} from 'node:timers/promises';
import {z} from 'zod';
import type {Config} from '../config/config.ts';
import {goneAfter, newRequest, type ProcessReport, type ReloadStore} from '../reload/reloads.ts';
import type {With} from './admin.ts';

/** Milliseconds between two reads of the store. */
const pollInterval = 100;

/**
 * - `state`: `silent` if the server did not answer in time
 * - `digest`: of the configuration that it uses now
 * - `changes`: what the reload changed
 * - `faults`: why it refused the new configuration
 * - `need_restart`: settings that only a restart changes, and whose values differ from those of this process
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
 * Resolves when all servers have answered, or the time is over. A server that stops in the meantime is left out.
 * @param mayShorten whether to accept a configuration that keeps leads for a shorter time, or ends encryption
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

/** Settings that only a restart changes, and whose values differ between the server and this process. */
function changedSettings({needRestart, environment}: ProcessReport, {environment: own}: Config): string[] {
  const differs = (name: string) => environment[name] !== own[name];
  // The digests of the settings are keyed by the data key: with another data key, all of them differ.
  const names = differs('DATA_KEY') ? ['DATA_KEY'] : Object.keys({...environment, ...own}).filter(differs);
  return [...new Set([...needRestart, ...names])];
}
