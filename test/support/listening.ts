/** Servers of tests, on this machine. */
import {once} from 'node:events';
import type {AddressInfo, Server} from 'node:net';

/** Lets a server listen, on a free port unless one is given. `url` has no slash at its end. */
export async function listen(server: Server, port = 0, host = '127.0.0.1') {
  await once(server.listen(port, host), 'listening');
  const {port: own} = server.address() as AddressInfo;
  return {port: own, url: `http://${host}:${own}`};
}

/** Closes a server with all its connections, unless it was closed before. */
export async function closeAtOnce(server: Server & {closeAllConnections(): void}): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
