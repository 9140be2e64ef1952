/**
 * Limits open connections, and what their clients may have left unread. When there are too many connections, idle ones are
 * closed before those with requests, so that an attacker who only holds connections open cannot lock out clients that
 * send requests.
 *
 * The operating system keeps what a client has not read: on Linux up to 4 MB for each connection, and for minutes after
 * the connection was closed. Only a reset frees that memory at once. Nothing says what a client has read, so all bytes
 * that a connection has had count until it is closed. That is why no connection stays open for very many of them.
 */
import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {networkOf, networksAround, readAddress} from '../config/addresses.ts';
import type {Emit} from '../observe/observations.ts';

export type ConnectionLimits = {
  /** Open connections in all. */
  connections: number;
  /** Open connections of one address; a /64 counts as one address of IPv6, and the networks around it have limits, too. */
  connectionsPerAddress: number;
  /** Requests in flight on one connection: those whose response is not sent, or not read by the client yet. */
  requestsPerConnection: number;
  /**
   * Bytes that all open connections have had together. When there are more, those that had more than their share are
   * reset, and first the one whose last request is the longest ago.
   */
  unread: number;
  /** Bytes after which a connection ends with its next response. The client opens another one. */
  bytesPerConnection: number;
  /**
   * Milliseconds. While a request is in flight, before the first one, and after a large response, a connection is closed
   * when nothing was sent or received for this long. Otherwise the keep-alive of the server applies.
   */
  silence: number;
};

export const connectionLimits: ConnectionLimits = {
  connections: 2_000,
  connectionsPerAddress: 200,
  requestsPerConnection: 16,
  unread: 48 * 1024 * 1024,
  bytesPerConnection: 256 * 1024,
  silence: 20_000,
};

type Connection = {
  socket: Socket;
  /** The groups that the connection counts in: all connections, and those of its networks if its address has a limit. */
  groups: readonly Group[];
  /** The responses of the requests in flight. */
  inFlight: Set<ServerResponse>;
  /** Bytes that were sent until the connection became idle for the last time. */
  sent: number;
  /** Bytes that count as unread. */
  unread: number;
  /** When the last request began or ended, in milliseconds of `performance.now()`. */
  lastActivity: number;
};

/** Sets keep the order of insertion, so the least recently active connection comes first. */
type Group = {
  all: Set<Connection>;
  /** Connections without a request in flight: their clients have sent nothing more, or only a part of the headers. */
  idle: Set<Connection>;
};

/** Connections that are idle for longer than this, in milliseconds, are closed before all others. */
const idleTime = 1_000;

/** Bytes. Clients read a response of this size so soon that nothing must be done about those who do not. */
const largeResponse = 65_536;

export type ConnectionGuard = {
  /** Counts a request until its response was sent. Returns false for a request to ignore: its connection is closed. */
  track(request: IncomingMessage, response: ServerResponse): boolean;
  /** The response that is sent on the connection now, or next: that of the earliest request that waits for one. */
  currentResponse(socket: Duplex): ServerResponse | undefined;
  /** Ends each connection with the last response in flight. Once the port is closed, others end with the next one. */
  endWithNext(): void;
};

/** @param isUnlimited whether `connectionsPerAddress` does not apply to an address, because it is a reverse proxy's */
export function guardConnections(
  server: Server,
  emit: Emit,
  isUnlimited: (address: string) => boolean,
  limits: ConnectionLimits,
): ConnectionGuard {
  const total: Group = {all: new Set(), idle: new Set()};
  const byNetwork = new Map<string, Group>();
  const bySocket = new WeakMap<Duplex, Connection>();
  let unread = 0;

  function countUnread(connection: Connection, bytes: number) {
    unread += bytes - connection.unread;
    connection.unread = bytes;
  }

  /** Resets connections until those that are left have had few enough bytes. */
  function limitUnread() {
    for (const connection of total.all) {
      if (unread <= limits.unread) return;
      if (connection.unread <= limits.unread / total.all.size || !waitsForClient(connection)) continue;
      emit({type: 'connections-exceeded', limit: 'unread responses'});
      remove(connection);
      countUnread(connection, 0);
      connection.socket.resetAndDestroy();
    }
  }

  function groupOf(network: string): Group {
    const group = byNetwork.get(network) ?? {all: new Set(), idle: new Set()};
    byNetwork.set(network, group);
    return group;
  }

  function open(socket: Socket, networks: readonly string[]) {
    const groups = [total, ...networks.map(groupOf)];
    const connection: Connection = {socket, groups, inFlight: new Set(), sent: 0, unread: 0, lastActivity: 0};
    bySocket.set(socket, connection);
    touch(connection);
    // Node calls this after the last response of a connection. Its own function would destroy the socket, so that the
    // response could not be taken back from a client that does not read it.
    socket.destroySoon = () => {
      socket.end();
      socket.setTimeout(limits.silence);
    };
    socket.once('close', () => {
      remove(connection);
      countUnread(connection, 0);
      for (const network of networks) if (byNetwork.get(network)?.all.size === 0) byNetwork.delete(network);
    });
  }

  server.on('connection', (socket: Socket) => {
    const {remoteAddress: address} = socket;
    // The client has already disconnected.
    if (address === undefined) return void socket.destroy();
    const around = isUnlimited(address) ? [] : networksAround(networkOf(readAddress(address) ?? ''));
    for (const {network, times} of around) {
      const group = byNetwork.get(network);
      if (!group || group.all.size < limits.connectionsPerAddress * times) continue;
      emit({type: 'connections-exceeded', limit: 'connections of one address'});
      if (!makeRoom(group)) return void socket.destroy();
    }
    if (total.all.size >= limits.connections) {
      emit({type: 'connections-exceeded', limit: 'connections'});
      if (!makeRoom(total)) return void socket.destroy();
    }
    open(
      socket,
      around.map(({network}) => network),
    );
  });

  // When this time is over, Node looks whether the client has read anything since the beginning, and if so waits once
  // more. So half of the limit makes sure that the whole limit holds.
  server.setTimeout(limits.silence / 2);
  server.on('timeout', (socket: Socket) => {
    const connection = bySocket.get(socket);
    const [current] = connection?.inFlight ?? [];
    const left = (connection?.lastActivity ?? 0) + limits.silence - performance.now();
    // The client has nothing to read: it waits for a response, or was not sent anything yet.
    const isWaiting = current ? !current.writableEnded : socket.bytesWritten === 0;
    if (isWaiting && left > 0) return void socket.setTimeout(left);
    if (connection) remove(connection);
    socket.resetAndDestroy();
  });

  return {
    track({socket}, response) {
      const connection = bySocket.get(socket);
      // Node parses all requests of a packet, even after the connection was closed because of an earlier one of them. And
      // after the last response of a connection no other could be sent, so a lead would be stored that nobody is told of.
      if (!connection || socket.destroyed || socket.writableEnded) return false;
      const {inFlight} = connection;
      if ([...inFlight].some(({shouldKeepAlive}) => !shouldKeepAlive)) return false;
      if (inFlight.size >= limits.requestsPerConnection) {
        emit({type: 'connections-exceeded', limit: 'requests of one connection'});
        remove(connection);
        stopParsing(socket);
        socket.resetAndDestroy();
        return false;
      }
      inFlight.add(response);
      touch(connection);
      if (!server.listening || socket.bytesWritten > limits.bytesPerConnection)
        response.shouldKeepAlive = false;
      // The response is complete, and all of it was given to the socket.
      response.once('prefinish', () => {
        if (socket.destroyed) return;
        countUnread(connection, socket.bytesWritten);
        limitUnread();
      });
      response.once('close', () => {
        inFlight.delete(response);
        if (socket.destroyed) return;
        touch(connection);
        if (inFlight.size > 0) return;
        // What was handed to the system may be unread.
        const {bytesWritten} = socket;
        if (bytesWritten - connection.sent > largeResponse) socket.setTimeout(limits.silence);
        connection.sent = bytesWritten;
      });
      return true;
    },
    currentResponse(socket) {
      // A response leaves the set when it is closed, which is a moment after it was sent.
      return [...(bySocket.get(socket)?.inFlight ?? [])].find(({writableFinished}) => !writableFinished);
    },
    endWithNext() {
      for (const {inFlight} of total.all) {
        const last = [...inFlight].at(-1);
        if (last && !last.headersSent) last.shouldKeepAlive = false;
      }
    },
  };
}

function remove(connection: Connection) {
  for (const {all, idle} of connection.groups) {
    all.delete(connection);
    idle.delete(connection);
  }
}

/** Notes that a connection is active now, which puts it last in the order of its groups. */
function touch(connection: Connection) {
  remove(connection);
  connection.lastActivity = performance.now();
  for (const {all, idle} of connection.groups) {
    all.add(connection);
    if (connection.inFlight.size === 0) idle.add(connection);
  }
}

/**
 * Makes Node stop parsing the requests of a connection. A thousand requests may arrive in one packet of 64 KiB, and
 * Node creates objects for all of them, even after the connection was closed, and has no public way to stop that: such a
 * packet takes some 90 ms of processor time without this hook and 14 ms with it, and without it 300 connections that
 * repeat it block all other clients for seconds. Node calls `onIncoming`, which is private, after the headers of each
 * request, and the return value 2 means that no further request follows. A later version of Node without this hook would
 * only be slower.
 */
function stopParsing({parser}: Socket & {parser?: {onIncoming?: () => number} | null}) {
  if (parser) parser.onIncoming = () => 2;
}

/** The connection is idle, or each request in flight has an incomplete body or a response that is not read yet. */
const waitsForClient = ({inFlight}: Connection) =>
  [...inFlight].every(({req, writableEnded}) => !req.complete || writableEnded);

function longestWaitingForClient({all}: Group): Connection | undefined {
  for (const connection of all) if (waitsForClient(connection)) return connection;
  return undefined;
}

/** Closes one connection of the group. Returns false if it can close none, because all wait for the server. */
function makeRoom(group: Group): boolean {
  const [longestIdle] = group.idle;
  const wasLong = longestIdle !== undefined && longestIdle.lastActivity < performance.now() - idleTime;
  const connection = wasLong ? longestIdle : longestWaitingForClient(group);
  if (!connection) return false;
  remove(connection);
  const {socket} = connection;
  // An idle client on a slow line may still read the end of a small response, which a reset would take away.
  if (socket.bytesWritten > largeResponse) socket.resetAndDestroy();
  else socket.destroy();
  return true;
}
