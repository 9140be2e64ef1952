/** An upstream with the API of the specification. A script can make it reply differently. */
import {randomUUID} from 'node:crypto';
import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http';
import {text} from 'node:stream/consumers';
import type {LeadApiSettings} from '../../server/config/destinations.ts';
import {writeConfig} from './config-file.ts';
import {basic} from './http.ts';
import {closeAtOnce, listen} from './listening.ts';
import {amounts} from './sample-leads.ts';
import {acme, inFile} from './test-server.ts';

export type Exchange = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
};
export type Reply = (response: ServerResponse, exchange: Exchange) => void | Promise<void>;

export const json =
  (status: number, body: unknown): Reply =>
  (response) => {
    response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));
  };

export const failures = {
  'an error of its own': json(500, {error: 'sorry'}),
  'too many requests': json(429, {}),
  'bad credentials': json(401, {}),
  'nothing found': json(404, {}),
  'a reset': (response) => void response.socket?.destroy(),
  'a page of HTML': (response) => {
    response.writeHead(200, {'content-type': 'text/html'}).end('<!doctype html><title>Welcome</title>');
  },
  'half of its JSON': (response) => {
    response.writeHead(200, {'content-type': 'application/json'}).end('{"id": "1", "rollover_amount": 5');
  },
  'a body cut off': (response) => {
    response.writeHead(200, {'content-length': '500'});
    response.write('{"id": "1"', () => response.socket?.destroy());
  },
  'a body of 200 kB': json(200, {id: '1', ...amounts, padding: 'x'.repeat(200_000)}),
  'an empty body': (response) => void response.writeHead(200).end(),
  'a redirect': (response) => void response.writeHead(307, {location: '/elsewhere'}).end(),
  null: json(200, null),
  'a list': json(200, []),
  'wrong types': json(201, {id: [5], rollover_amount: '5'}),
  'a body of 10 MB': (response) => {
    // A body without end. The client stops reading long before that.
    response.on('error', () => undefined);
    response.writeHead(200, {'content-type': 'application/json'}).end(Buffer.alloc(10_000_000, ' '));
  },
} satisfies Record<string, Reply>;

export type FakeUpstream = {
  settings: LeadApiSettings;
  /** The requests that it got so far. */
  exchanges: Exchange[];
  /** The external ids of the leads that came with the right credentials, in order. */
  sent(): string[];
  /** The external ids of the leads that it accepted. It accepts none while the script tells it what to reply. */
  taken(): string[];
  /** Breaks all connections, including those that wait for a reply. */
  close(): Promise<void>;
};

export const upstreamAccess = {user: 'upstream-user', password: 'upstream-password', cid: 'upstream-cid'};

/** The settings of a destination of kind `lead-api` that nothing was said about. */
export const leadApi = {
  type: 'lead-api',
  attributionInNotes: false,
  onLostReply: 'send',
} as const satisfies Partial<LeadApiSettings>;

export type Script = {create?: Reply; read?: Reply; access?: typeof upstreamAccess};

/**
 * @param script replies to use instead of those of the specification, and accepted credentials. It may change any time
 * @param port the port of an earlier upstream, to start again on the same port
 */
export async function startFakeUpstream(script: Script = {}, port = 0): Promise<FakeUpstream> {
  const sent: string[] = [];
  const taken: string[] = [];
  const exchanges: Exchange[] = [];
  const leads = new Map<string, Exchange['body']>();

  const create: Reply = (response, exchange) => {
    const id = `upstream-${randomUUID()}`;
    leads.set(id, exchange.body);
    taken.push(String(exchange.headers['idempotency-key']));
    return json(201, {id})(response, exchange);
  };
  const read: Reply = (response, exchange) => {
    const lead = leads.get(exchange.path.split('/').at(-1) ?? '');
    const reply = lead ? json(200, {first_name: lead['first_name'], ...amounts}) : json(404, {});
    return reply(response, exchange);
  };

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const {method = '', url: path = '', headers} = request;
      const exchange = {method, path, headers, body: JSON.parse(body || '{}') as Exchange['body']};
      exchanges.push(exchange);
      const known = headers.authorization === basic(script.access ?? upstreamAccess).authorization;
      if (known && method === 'POST') sent.push(String(headers['idempotency-key']));
      const own = method === 'POST' ? (script.create ?? create) : (script.read ?? read);
      return (known ? own : json(401, {}))(response, exchange);
    });
  });
  const {url} = await listen(server, port);

  return {
    settings: {...leadApi, url: `${url}/base`, ...(script.access ?? upstreamAccess)},
    exchanges,
    sent: () => [...sent],
    taken: () => [...taken],
    close: () => closeAtOnce(server),
  };
}

/** The settings of a server whose callers and pages get answers from it, as from its destination `default`. */
export const upstreamSettings = (
  folder: string,
  {settings: {url, cid, user, password}}: FakeUpstream,
  more: object = {},
): Record<string, string> => ({
  CONFIG_FILE: writeConfig(
    folder,
    [{answer_from: 'default'}],
    {default: {type: 'lead-api', url, cid, credentials: 'DEFAULT', ...more}},
    {callers: [{...inFile(acme), answer_from: 'default'}]},
  ),
  CREDENTIALS_DEFAULT_USER: user,
  CREDENTIALS_DEFAULT_PASSWORD: password,
});
