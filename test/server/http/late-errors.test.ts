/** An error that arrives when the response has begun already. */
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {suite, test, type TestContext} from 'node:test';
import express, {Router, type Request, type RequestHandler, type Response} from 'express';
import {errorReplies} from '../../../server/http/problem-replies.ts';
import {StoreUnavailable} from '../../../server/leads/store-errors.ts';
import {listen} from '../../support/listening.ts';

/** A server like server/server.ts, where an error that leaves the routes ends the process. */
async function serve(t: TestContext, handler: RequestHandler) {
  const left: unknown[] = [];
  const app = express();
  app.use(
    Router().get('/', handler),
    errorReplies(() => undefined),
  );
  const server = createServer((request, response) => {
    app(request as Request, response as Response, (error: unknown) => left.push(error));
  });
  const {url} = await listen(server);
  t.after(() => server.close());
  return {left, url};
}

const late = new StoreUnavailable('a request has waited for 12 s');

suite('an error after the response has begun', () => {
  test('changes nothing about a complete response, and does not leave the routes', async (t) => {
    const handled = Promise.withResolvers<void>();
    const {left, url} = await serve(t, (_request, response, next) => {
      response.status(201).end('stored');
      next(late);
      // The error passes from router to router in later turns.
      setImmediate(() => setImmediate(() => setImmediate(handled.resolve)));
    });
    const response = await fetch(url);
    assert.deepEqual([response.status, await response.text()], [201, 'stored']);
    await handled.promise;
    assert.deepEqual(left, []);
  });

  test('cuts off a response of which only a part was sent', async (t) => {
    const {left, url} = await serve(t, (_request, response, next) => {
      response.write('a part', () => next(late));
    });
    const response = await fetch(url);
    await assert.rejects(response.text());
    assert.deepEqual(left, []);
  });
});
