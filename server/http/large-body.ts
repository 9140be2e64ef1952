/** Bodies that are larger than any lead, or whose length is not known before they end. */
import type {IncomingMessage, ServerResponse} from 'node:http';
import {limits} from '../../contract/api.ts';

/** Milliseconds for a client to read its answer before the connection is cut. */
const timeToRead = 1_000;

/** True when the headers of a request promise more bytes than any body may have. */
export const isDeclaredTooLarge = ({headers}: IncomingMessage) =>
  Number(headers['content-length'] ?? 0) > limits.bodyBytes;

/**
 * Ends the connection after the answer to a request with a large body. When an answer has gone, Node reads the rest
 * of a body to its end, so that the next request can follow on the same connection: for a body without end that is
 * work without end. Of a small body Node may read the rest. Called before anybody reads the body.
 */
export function endAfterLargeBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['transfer-encoding'] === undefined && !isDeclaredTooLarge(request)) return;
  response.setHeader('Connection', 'close');
  // Node leaves a body alone of which somebody has begun to read. The little that arrives waits in a buffer.
  request.read(0);
  const {socket} = request;
  // Node would close the socket at once. While bytes wait in it that resets the connection, and a client that is
  // still sending would lose its answer. So the server ends its own side, and gives the client time to read.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), timeToRead).unref();
  };
}

/** Called when the whole body was read after all: the connection can be used again, and later ends as any other. */
export function keepAfterBody(response: ServerResponse): void {
  // Only where it was set: a header that is removed, Node does not add by itself any more, nor Keep-Alive with it.
  if (!response.hasHeader('Connection')) return;
  response.removeHeader('Connection');
  if (response.socket) Reflect.deleteProperty(response.socket, 'destroySoon');
}
