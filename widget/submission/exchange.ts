/** One request to the server and its whole answer. */
import {paths} from '../../contract/api.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import {problemTypePrefix} from '../../contract/problems.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {Promise} from '../page/builtins.ts';

/** The builds write it in this place (build/later-files.ts). */
declare const formVersion: string | undefined;

/** The version of the form. The sources have none. */
export const builtVersion = typeof formVersion === 'string' ? formVersion : undefined;

export type Reply = {
  readonly status: number;
  readonly body: unknown;
  /** Seconds after which the server asks to try again, if it sends any. */
  readonly retryAfter: number | undefined;
};

/** The URL of one of the server's paths, for the partner. */
export const addressOf = ({origin, partner}: Endpoint, path: string) =>
  `${origin}${path}?partner=${encodeURIComponent(partner)}`;

/** Milliseconds until the form gives up a request, counted up to the end of the answer. */
const timeout = 30_000;

/**
 * @param id the lead that the request is about; empty when a new lead is sent
 * @throws a `TypeError` when there is no answer, another error when it takes too long or `signal` is aborted
 */
export function exchange(
  endpoint: Endpoint,
  id: string,
  init: RequestInit,
  signal?: AbortSignal,
): Promise<Reply> {
  const url = addressOf(endpoint, paths.embedLeads + (id && `/${id}`));
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    // The page may have replaced `fetch` by one that does not listen to `signal`, or never settles.
    const giveUp = () => {
      controller.abort();
      reject(new Error('given up'));
    };
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    const timer = setTimeout(giveUp, timeout);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    read(endpoint, url, {...init, signal: controller.signal})
      .then(resolve, reject)
      .finally(end);
  });
}

async function read(endpoint: Endpoint, url: string, init: RequestInit): Promise<Reply> {
  const response = await endpoint.fetch(url, init);
  const body: unknown = await response.json().catch((error: Error) => {
    // In WebKit it is no `SyntaxError`, but only has its name.
    if (error.name !== 'SyntaxError') throw error;
  });
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  return {status: response.status, body, retryAfter};
}

/** The page has replaced what the form calls. `fetch` rejects with a `TypeError`, too, when the network has failed. */
export const isOfPage = (error: unknown) => /not a (function|constructor)/.test(String(error));

/**
 * @returns the answer of the server, or nothing if the reply is not one. A proxy between the form and the server may
 *   send a page of its own, even with status 200.
 */
export const answerIn = ({status, body}: Reply): EmbedAnswer | undefined =>
  status < 300 && isObject(body) && typeof body['id'] === 'string' && typeof body['status'] === 'string'
    ? (body as EmbedAnswer)
    : undefined;

export function problemCode(body: unknown): string {
  const type = isObject(body) ? body['type'] : undefined;
  return typeof type === 'string' && type.startsWith(problemTypePrefix)
    ? type.slice(problemTypePrefix.length)
    : 'bad-answer';
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
