import {once} from 'node:events';
import {createServer} from 'node:net';
import {listen} from './listening.ts';

/** @returns a port that no program listens on, for programs that cannot choose one themselves */
export async function freePort(): Promise<number> {
  const server = createServer();
  const {port} = await listen(server);
  await once(server.close(), 'close');
  return port;
}
