import type {Response} from 'express';

/** What `response.json` does, without its look at what the client has cached: these answers never are. */
export function replyJson(response: Response, status: number, body: unknown) {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
