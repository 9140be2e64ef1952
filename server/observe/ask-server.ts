/** Asks the server of this configuration how it is, over its own addresses. */
import {paths} from '../../contract/api.ts';
import type {Config} from '../config/config.ts';

/** Milliseconds to wait for a reply. */
const patience = 2_000;

/**
 * - `ok`, `degraded`: what `/health` says
 * - `refusing`: it answers, and takes no leads now
 * - `away`: nothing answers there
 */
export type ServerState = 'ok' | 'degraded' | 'refusing' | 'away';

/** @param host on which the server listens */
export function localUrl(host: string, port: number): string {
  // The addresses that stand for all addresses of the machine are no addresses to connect to.
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${target.includes(':') ? `[${target}]` : target}:${port}`;
}

/** The reply of our own server, or undefined if there is none in time. */
export const ask = (url: string): Promise<{ok: boolean; text: string} | undefined> =>
  fetch(url, {redirect: 'error', signal: AbortSignal.timeout(patience)})
    .then(async (response) => ({ok: response.ok, text: await response.text()}))
    .catch(() => undefined);

export async function askState({host, port}: Config): Promise<ServerState> {
  const reply = await ask(`${localUrl(host, port)}${paths.health}`);
  if (!reply) return 'away';
  if (!reply.ok) return 'refusing';
  return reply.text === JSON.stringify({status: 'ok'}) ? 'ok' : 'degraded';
}
