/**
 * Which connections the server keeps. When there are too many, those that use none of the server's work are closed
 * first, so that strangers who only hold connections open cannot lock out clients that send requests.
 */
import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {networkOf, readAddress} from './addresses.ts';
import type {LogSampler} from './log-sampler.ts';

export type ConnectionLimits = {
  /** Open connections in all. */
  connections: number;
  /** Open connections of one address; a /64 counts as one address of IPv6. */
  connectionsPerAddress: number;
  /** Requests of one connection that were not answered yet, or whose answers its client has not read yet. */
  requestsPerConnection: number;
};

export const connectionLimits: ConnectionLimits = {
  connections: 2_000,
  connectionsPerAddress: 200,
  requestsPerConnection: 16,
};

type Connection = {
  socket: Socket;
  /** The groups that it counts for: all connections, and those of its address unless the address has no limit. */
  groups: readonly Group[];
  /** Requests under way, by their responses. */
  underWay: Set<ServerResponse>;
  /** When the last request came or was answered, in milliseconds since 1970. */
  since: number;
};

/** Sets keep the order of insertion: the connection of which nothing was heard for longest comes first. */
type Group = {
  all: Set<Connection>;
  /** Those without a request under way: nothing was sent, or headers that are not complete. */
  idle: Set<Connection>;
};

/** A connection that is idle for longer than this, in milliseconds, is closed before all others. */
const idleTime = 1_000;

export type ConnectionGuard = {
  /** Counts a request until its answer has been sent. False when its connection was closed: ignore the request. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
};

/**
 * @param isUnlimited addresses without a limit of their own, such as those of a reverse proxy, through which the
 *   requests of many visitors come
 */
export function guardConnections(
  server: Server,
  sampler: LogSampler,
  isUnlimited: (address: string) => boolean,
  limits: ConnectionLimits = connectionLimits,
): ConnectionGuard {
  const everyone: Group = {all: new Set(), idle: new Set()};
  const byAddress = new Map<string, Group>();
  const bySocket = new WeakMap<Socket, Connection>();

  function open(socket: Socket, key: string | undefined) {
    const own = key === undefined ? undefined : (byAddress.get(key) ?? {all: new Set(), idle: new Set()});
    if (key !== undefined && own) byAddress.set(key, own);
    const groups = own ? [everyone, own] : [everyone];
    const connection: Connection = {socket, groups, underWay: new Set(), since: 0};
    bySocket.set(socket, connection);
    place(connection);
    socket.once('close', () => {
      remove(connection);
      if (key !== undefined && own?.all.size === 0 && byAddress.get(key) === own) byAddress.delete(key);
    });
  }

  server.on('connection', (socket: Socket) => {
    const {remoteAddress: address} = socket;
    // The client has gone already.
    if (address === undefined) return void socket.destroy();
    const key = isUnlimited(address) ? undefined : networkOf(readAddress(address) ?? '');
    const own = key === undefined ? undefined : byAddress.get(key);
    if (own && own.all.size >= limits.connectionsPerAddress) {
      const message =
        'one address has too many connections: its longest idle ones are closed; name it in TRUST_PROXY if it is your proxy';
      sampler.write('warn', 'connections of one address', {}, message);
      if (!makeRoom(own)) return void socket.destroy();
    }
    if (everyone.all.size >= limits.connections) {
      const message = 'too many connections: the longest idle ones are closed';
      sampler.write('warn', 'connections', {}, message);
      if (!makeRoom(everyone)) return void socket.destroy();
    }
    open(socket, key);
  });

  return {
    admit({socket}, response) {
      const connection = bySocket.get(socket);
      // Requests that came in one piece with others are parsed together, also after the connection was closed.
      if (!connection || socket.destroyed) return false;
      const {underWay} = connection;
      if (underWay.size >= limits.requestsPerConnection) {
        const message = 'a client sends more requests than it waits for answers: its connection is closed';
        sampler.write('warn', 'requests of one connection', {}, message);
        remove(connection);
        stopParsing(socket);
        socket.destroy();
        return false;
      }
      underWay.add(response);
      place(connection);
      response.once('close', () => {
        underWay.delete(response);
        if (!socket.destroyed) place(connection);
      });
      return true;
    },
  };
}

function remove(connection: Connection) {
  for (const {all, idle} of connection.groups) {
    all.delete(connection);
    idle.delete(connection);
  }
}

/** Puts a connection at the end of the order, when it is new or something was heard of it. */
function place(connection: Connection) {
  remove(connection);
  connection.since = Date.now();
  for (const {all, idle} of connection.groups) {
    all.add(connection);
    if (connection.underWay.size === 0) idle.add(connection);
  }
}

/**
 * A thousand requests may come in one piece of 64 KiB, and Node makes objects of all of them, also after their
 * connection was closed. With 300 such connections nobody else was served for 5 s. Node asks this hook what follows
 * the headers of a request; 2 means that no further request does. Where a later Node has no such hook, it is only
 * slower.
 */
function stopParsing({parser}: Socket & {parser?: {onIncoming?: () => number} | null}) {
  if (parser) parser.onIncoming = () => 2;
}

/** The server can do nothing for it now: it is idle, a request's body is not complete, or an answer is not read. */
const waitsForClient = ({underWay}: Connection) =>
  [...underWay].every(({req, writableEnded}) => !req.complete || writableEnded);

function longestWaitingForClient({all}: Group): Connection | undefined {
  for (const connection of all) if (waitsForClient(connection)) return connection;
  return undefined;
}

/** Closes one connection of the group. False when the server is at work for each of them. */
function makeRoom(group: Group): boolean {
  const [longestIdle] = group.idle;
  const wasLong = longestIdle !== undefined && longestIdle.since < Date.now() - idleTime;
  const connection = wasLong ? longestIdle : longestWaitingForClient(group);
  if (!connection) return false;
  remove(connection);
  connection.socket.destroy();
  return true;
}
