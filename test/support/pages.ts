/** The operators' pages on a real listener, over an empty store, and somebody who is signed in without a passkey. */
import {randomUUIDv7} from 'node:crypto';
import {once} from 'node:events';
import {Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage} from 'node:http';
import {buffer} from 'node:stream/consumers';
import type {Status} from '../../server/admin/status.ts';
import {readConfig, type Config} from '../../server/config/config.ts';
import {connectionLimits} from '../../server/http/connections.ts';
import {closeListener, createListener} from '../../server/http/listener.ts';
import type {AttachedStore} from '../../server/leads/ports.ts';
import type {OperatorStore, Role} from '../../server/leads/operators.ts';
import type {Observation} from '../../server/observe/observations.ts';
import {createPages} from '../../server/pages/app.ts';
import {digestOf, newSecret} from '../../server/leads/operators.ts';
import type {Route} from '../../server/pages/visit.ts';
import {operate, statusOf, type Operated} from './operator.ts';
import {listen} from './listening.ts';
import type {Owner} from './opened.ts';

export const pagesUrl = 'https://admin.leads.example';
export const ownHost = new URL(pagesUrl).host;
const hour = 3_600_000;

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: Buffer;
  text: string;
};
export type Ask = {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string> | [string, string][];
};

/** What a browser sends with the forms of the pages themselves. */
export const ownForm = {origin: pagesUrl, 'sec-fetch-site': 'same-origin'};

type SessionChanges = {expiresAt?: number; beganAt?: number; zone?: string};

/** Signs somebody in without a passkey, who becomes an operator if there is none of this name. @returns the secret of the cookie */
export async function beginSession(
  store: OperatorStore,
  role: Role,
  name = `${role} ${randomUUIDv7()}`,
  changes: SessionChanges = {},
): Promise<string> {
  const [now, secret] = [Date.now(), newSecret()];
  const known = (await store.operators(now)).find((each) => each.name === name);
  const operator = known?.id ?? randomUUIDv7();
  const invitation = {digest: digestOf(newSecret()), expiresAt: now + hour};
  if (!known) await store.addOperator({id: operator, name, role, createdAt: now}, invitation);
  await store.beginSession({
    digest: digestOf(secret),
    operator,
    zone: 'America/New_York',
    agent: 'Firefox',
    beganAt: now,
    expiresAt: now + hour,
    ...changes,
  });
  return secret;
}

/** The cookie of a session, as a browser takes it from a test. @param url of the pages */
export const browserCookie = (secret: string, url: string) => ({
  name: '__Host-operator',
  value: secret,
  domain: new URL(url).hostname,
  path: '/',
  secure: true,
  httpOnly: true,
  sameSite: 'Strict' as const,
});

export type ServedPages = Operated & {
  store: AttachedStore;
  config: Config;
  port: number;
  observations: Observation[];
  /** Sends exactly these headers, with the Host of `ADMIN_URL` unless they have another. */
  ask: (path: string, ask?: Ask) => Promise<Answer>;
  /** @returns the cookie of a new session. @param changes of the session */
  sessionOf: (role: Role, name?: string, changes?: SessionChanges) => Promise<string>;
};

export async function servePages(
  t: Owner,
  routes: readonly Route[],
  options: Parameters<typeof operate>[2] & {status?: () => Promise<Status>} = {},
): Promise<ServedPages> {
  const settings = {ADMIN_URL: pagesUrl, ...options.settings};
  const operated = await operate(t, [], {...options, settings});
  const {store} = await operated.admin();
  const config = readConfig(operated.settings);
  const observations: Observation[] = [];
  const emit = (observation: Observation) => void observations.push(observation);
  const status = options.status ?? (() => statusOf({store, config}));
  const app = createPages({admin: () => ({store, config}), status, routes, emit});
  const server = createListener(app, {emit, trustProxy: config.trustProxy, limits: connectionLimits});
  const {port} = await listen(server);
  t.after(() => closeListener(server, 1_000, emit));
  const agent = new Agent({keepAlive: true, maxSockets: 16});
  t.after(() => agent.destroy());
  return {
    ...operated,
    store,
    config,
    port,
    observations,
    ask: (path, asked) => askPort(port, path, asked, agent),
    sessionOf: async (...of) => `__Host-operator=${await beginSession(store, ...of)}`,
  };
}

/** `fetch` cannot choose the Host. */
export async function askPort(
  port: number,
  path: string,
  {method = 'GET', headers = {}, form}: Ask = {},
  agent?: Agent,
): Promise<Answer> {
  const body = form && String(new URLSearchParams(form));
  const type = {'content-type': 'application/x-www-form-urlencoded'};
  const sent = {host: ownHost, ...(body !== undefined && type), ...headers};
  const request = httpRequest({port, host: '127.0.0.1', agent, path, method, headers: sent});
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  const {statusCode: status = 0, headers: got, rawHeaders} = response;
  return {status, headers: got, rawHeaders, body: bytes, text: bytes.toString()};
}
