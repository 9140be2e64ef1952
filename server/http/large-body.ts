/** Closes the connection after a request whose body is too large, or whose length is not known before its end. */
import type {IncomingMessage, ServerResponse} from 'node:http';
import {limits} from '../../contract/api.ts';

/** Milliseconds that a client has to read the response, before the connection is closed. */
const timeToRead = 1_000;

/** True when Content-Length exceeds the limit. */
export const isDeclaredTooLarge = ({headers}: IncomingMessage) =>
  Number(headers['content-length'] ?? 0) > limits.bodyBytes;

/**
 * Closes the connection after the response, if the body is too large or its length is not declared. Otherwise Node
 * would read the rest of the body before the next request on the same connection, and an endless body would keep Node
 * busy. Must be called before anything reads the body.
 */
export function closeAfterLargeBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['transfer-encoding'] === undefined && !isDeclaredTooLarge(request)) return;
  response.setHeader('Connection', 'close');
  // After this call, Node does not read the rest of the body by itself. Bytes that arrive wait in a small buffer.
  request.read(0);
  const {socket} = request;
  // If the rest of the body waits unread when the socket is closed, the system resets the connection, and a client that
  // is still sending does not get the response. So the server closes its own side, and gives the client time to read.
  response.once('finish', () => {
    // A timeout of the socket would begin anew with each byte that the client sends.
    if (response.hasHeader('Connection')) setTimeout(() => socket.resetAndDestroy(), timeToRead).unref();
  });
}

/** Undoes `closeAfterLargeBody` when the whole body was read after all, so that the connection can be used again. */
export function keepOpenAfterBody(response: ServerResponse): void {
  // Node adds the headers Connection and Keep-Alive by itself, but not after Connection was removed. So it is removed
  // only if `closeAfterLargeBody` has set it.
  if (response.hasHeader('Connection')) response.removeHeader('Connection');
}
