/** Finds out when a certificate ended or will begin, because Node's error does not say so. */
import type {buildConnector} from 'undici';
import {codeOf} from './destination.ts';

/** Milliseconds. */
const patience = 3_000;

/**
 * Connects once more, without a check of the certificate, and sends nothing.
 * @param error of the attempt that failed
 * @param connect makes connections that accept any certificate
 * @returns such as `it ended on 2026-11-20`; undefined for any other error, and if nothing answers in time
 */
export async function certificatePeriod(
  error: unknown,
  {protocol, hostname, port}: URL,
  connect: buildConnector.connector,
): Promise<string | undefined> {
  const code = codeOf(error);
  if (!['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].includes(code)) return undefined;
  const {promise, resolve} = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(resolve, patience, undefined);
  connect({protocol, hostname, port, servername: hostname}, (_error, socket) => {
    socket?.on('error', () => undefined);
    if (socket && 'getPeerCertificate' in socket) {
      const {valid_from: begins, valid_to: ends} = socket.getPeerCertificate();
      const [words, time] = code === 'CERT_HAS_EXPIRED' ? ['ended', ends] : ['begins', begins];
      const at = Date.parse(time);
      resolve(Number.isNaN(at) ? undefined : `it ${words} on ${new Date(at).toISOString().slice(0, 10)}`);
    } else resolve(undefined);
    socket?.destroy();
  });
  return promise.finally(() => clearTimeout(timer));
}
