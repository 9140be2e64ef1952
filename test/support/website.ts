/** A website on an origin of its own, such as that of a partner: it answers every request with one page. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

export type Website = Awaited<ReturnType<typeof startWebsite>>;

/** @returns the page, whose HTML a test may change, and its origin */
export async function startWebsite(html = '') {
  const page = {html};
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page.html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    page,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  };
}
