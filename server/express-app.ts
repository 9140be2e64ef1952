/** What a request meets, in this order. */
import {IncomingMessage, ServerResponse} from 'node:http';
import express, {type Express, type Router} from 'express';
import type {Config} from './config/config.ts';
import type {Emit} from './observe/observations.ts';
import {createAddressReader} from './http/client-address.ts';
import type {EvidenceStore} from './leads/evidence.ts';
import {healthEndpoints, liveEndpoint, type Health} from './http/health.ts';
import {openapiPages} from './http/openapi.ts';
import {errorReplies, notFound, refuseWhile} from './http/problem-replies.ts';
import {evidenceKeyList} from './http/public-lists.ts';
import {requestContext} from './http/request-context.ts';

type Parts = {
  /** The routes of the configuration in force. */
  routes: () => Router;
  health: Health;
  store: EvidenceStore;
  isRefusing: () => boolean;
  emit: Emit;
};

export type ExpressApp = {
  handle: Express;
  /**
   * The classes of the requests and responses that an HTTP server makes. They have the methods of Express from the start.
   * Express gives these to all others by changing their prototypes, which makes each later use of them slower.
   */
  messages: {IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse};
};

export function expressApp(
  {trustProxy, publicUrl}: Pick<Config, 'trustProxy' | 'publicUrl'>,
  {routes, health, store, isRefusing, emit}: Parts,
): ExpressApp {
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request) as typeof app.request;
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response) as typeof app.response;
  app.use(requestContext(emit, createAddressReader(trustProxy)));
  app.use(liveEndpoint());
  app.use(refuseWhile(isRefusing));
  // A request meets this once, and stays with the routes that it finds.
  app.use((request, response, next) => routes()(request, response, next));
  app.use(healthEndpoints(health));
  app.use(evidenceKeyList(store));
  app.use(openapiPages(publicUrl));
  app.use(notFound, errorReplies(emit));
  return {handle: app, messages: {IncomingMessage: AppRequest, ServerResponse: AppResponse}};
}
