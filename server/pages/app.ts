/** The operators' pages as an Express app: what each request meets, and which page answers it. */
import express, {type Express, type Request, type RequestHandler, type Response} from 'express';
import {DateTime} from 'luxon';
import type {Admin} from '../admin/admin.ts';
import {refuseRestored} from '../admin/repairing.ts';
import type {Status} from '../admin/status.ts';
import {createAddressReader} from '../http/client-address.ts';
import {formBody} from '../http/form-body.ts';
import {liveEndpoint} from '../http/health.ts';
import {requestContext} from '../http/request-context.ts';
import {isLeadId} from '../leads/lead-ids.ts';
import type {Emit} from '../observe/observations.ts';
import {guard, isLinked, seenIn, session} from './guard.ts';
import {script, styles} from './layout.ts';
import {actorOf, createAccessLog} from './access-log.ts';
import {errorPages, notFound, sendReply, sendText} from './replies.ts';
import {decryptText, encryptText} from './secrets.ts';
import {signInRoutes, signOut} from './sign-in.ts';
import type {Route, Visit} from './visit.ts';
import {yourRoutes} from './you.ts';

export type PagesParts = {
  /** The store, and the configuration in force. */
  admin: () => Pick<Admin, 'store' | 'config'>;
  status: () => Promise<Status>;
  /** Is told that somebody has changed something, so that what `status` has read is of before. */
  changed?: () => void;
  routes: readonly Route[];
  emit: Emit;
};

/** @throws Error without `ADMIN_URL` */
export function createPages({admin, status, changed, routes, emit}: PagesParts): Express {
  const {admin: pages, trustProxy} = admin().config;
  if (!pages) throw new Error('ADMIN_URL is missing');
  const store = () => admin().store;
  const accessLog = createAccessLog();
  const app = express();
  for (const name of ['etag', 'x-powered-by']) app.disable(name);
  for (const name of ['case sensitive routing', 'strict routing']) app.enable(name);
  app.use(requestContext(emit, createAddressReader(trustProxy)), liveEndpoint(), guard(pages.url));
  for (const file of [styles, script]) app.get(file.path, sendFile(file));
  app.use(signInRoutes({admin, emit}));
  // The body is read first and the session looked up after it: a slow client could otherwise go on after its session ended.
  app.use(bodyOfPost, session(store));

  const visitOf = (request: Request, response: Response, {method, action}: Route): Visit => {
    const [seen, {store, config}] = [seenIn(response), admin()];
    const isPost = method === 'POST';
    const query = textsIn({...request.query, ...request.params});
    const from = isLinked(request) && {from: 'another site'};
    const page = isPost ? undefined : {...query, ...from};
    const actor = actorOf(seen);
    const note = accessLog.of(store, {actor, action}, page);
    const noteAccess: Admin['noteAccess'] = (filter, ...leads) => note({...filter, ...from}, ...leads);
    return {
      seen,
      admin: {store, config, noteAccess, actor},
      now: DateTime.now().setZone(seen.zone),
      query,
      form: isPost ? fieldsIn(request.body as URLSearchParams) : new URLSearchParams(),
      status,
      encrypt: (text) => encryptText(config.tokenKeys, seen.digest, text),
      decrypt: (encrypted) => decryptText(config.tokenKeys, seen.digest, encrypted),
    };
  };
  const answer =
    (route: Route): RequestHandler =>
    async (request, response) => {
      await refuseRestored(admin());
      const {id} = request.params;
      if (typeof id === 'string' && isLeadId(id)) request.leadId = id;
      const reply = await route.run(visitOf(request, response, route));
      if (route.method === 'POST') changed?.();
      await sendReply(request, response, reply);
    };
  for (const route of [...routes, ...yourRoutes]) {
    app[route.method === 'POST' ? 'post' : 'get'](route.path, only(route), answer(route));
  }
  app.post('/sign-out', signOut(store));
  app.use(() => {
    throw notFound();
  });
  app.use(errorPages(emit));
  return app;
}

const bodyOfPost: RequestHandler = (request, response, next) =>
  request.method === 'POST' ? formBody(request, response, next) : next();

/** To all others, the page does not exist. */
const only =
  ({roles}: Route): RequestHandler =>
  (_request, response, next) => {
    if (!roles.includes(seenIn(response).role)) throw notFound();
    next();
  };

const sendFile =
  ({path, digest, text}: typeof styles): RequestHandler =>
  (request, response) => {
    const isPinned = request.query['v'] === digest;
    response.set('Cache-Control', isPinned ? 'public, max-age=31536000, immutable' : 'no-cache');
    return sendText(request, response, path.endsWith('.js') ? 'js' : 'css', text);
  };

/** PostgreSQL takes no text with a NUL, neither to store it nor to look for it. */
const withoutNul = ([name, text]: readonly [string, string]): [string, string] => [
  name,
  text.replaceAll('\0', ''),
];

const fieldsIn = (body: URLSearchParams) => new URLSearchParams([...body].map(withoutNul));

/** Those that are there once, and not empty. */
const textsIn = (parameters: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter((pair): pair is [string, string] => typeof pair[1] === 'string')
      .map(withoutNul)
      .filter(([, text]) => text !== ''),
  );
