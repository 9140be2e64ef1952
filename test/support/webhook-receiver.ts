/** A receiver of webhooks that really listens, over http or https. It records requests, and a test says what it answers. */
import {randomBytes} from 'node:crypto';
import {createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse} from 'node:http';
import {createServer as createTlsServer, type ServerOptions} from 'node:https';
import {text} from 'node:stream/consumers';
import type {WebhookSettings} from '../../server/config/destinations.ts';
import type {LeadEvent} from '../../server/leads/lead-event.ts';
import {closeAtOnce, listen} from './listening.ts';

export type Received = {method: string; path: string; headers: IncomingHttpHeaders; body: string};
export type ReceiverReply = (response: ServerResponse, received: Received) => void | Promise<void>;

/** A reply with a status, and perhaps headers and a body. */
export const replyWith =
  (status: number, headers: Record<string, string | string[]> = {}, body = ''): ReceiverReply =>
  (response) =>
    void response.writeHead(status, headers).end(body);

export type WebhookReceiver = {
  port: number;
  /** Settings of a webhook that sends here. The address is private, so the host is one that the operator lists. */
  settings: WebhookSettings;
  /** The secret as an operator writes it: `whsec_…`. */
  secret: string;
  /** All requests so far, in order. */
  received: Received[];
  /** Answers all further requests with this reply. */
  answerWith(reply: ReceiverReply): void;
  /** Resolves as soon as so many requests have come in all. */
  hasReceived(count: number): Promise<void>;
  /** The event that comes next of what `send` does. */
  heardOf(send: () => Promise<unknown>): Promise<LeadEvent>;
  /** The number of connections that were made to it so far. */
  connections(): number;
  /** Breaks all connections. */
  close(): Promise<void>;
};

export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
export const keyOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');

/**
 * @param reply answers each request; 204 if there is none
 * @param tls the certificate and key of an https receiver
 * @param port the port of an earlier receiver, and `secret` its secret, to start again in its place
 */
export async function startWebhookReceiver(
  reply: ReceiverReply = replyWith(204),
  {
    tls,
    host = '127.0.0.1',
    port = 0,
    secret = newSecret(),
  }: {tls?: ServerOptions; host?: string; port?: number; secret?: string} = {},
): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let answer = reply;
  let connections = 0;
  let watchers: (() => void)[] = [];

  const listener: RequestListener = (request, response) => {
    response.on('error', () => undefined);
    text(request).then(
      async (body) => {
        const {method = '', url: path = '', headers} = request;
        const one = {method, path, headers, body};
        received.push(one);
        for (const watch of watchers) watch();
        await answer(response, one);
      },
      // The sender went away before it had sent everything.
      () => undefined,
    );
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', () => (connections += 1));
  const {port: ownPort} = await listen(server, port, host);

  const hasReceived = (count: number) =>
    new Promise<void>((resolve) => {
      const watch = () => {
        if (received.length < count) return;
        watchers = watchers.filter((other) => other !== watch);
        resolve();
      };
      watchers.push(watch);
      watch();
    });

  return {
    port: ownPort,
    secret,
    settings: {
      type: 'webhook',
      url: `${tls ? 'https://localhost' : `http://${host}`}:${ownPort}/hook?token=abc`,
      secrets: [keyOf(secret)],
      isInternal: true,
      perSecond: undefined,
      parallel: undefined,
    },
    received,
    answerWith: (next) => void (answer = next),
    hasReceived,
    async heardOf(send) {
      const count = received.length + 1;
      await send();
      await hasReceived(count);
      return JSON.parse(received.at(-1)!.body) as LeadEvent;
    },
    connections: () => connections,
    close: () => closeAtOnce(server),
  };
}
