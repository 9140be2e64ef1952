/** A mail server that keeps the e-mails that it gets. A script can make it refuse, and a raw one can say anything. */
import {once} from 'node:events';
import {createServer, type Socket} from 'node:net';
import {buffer} from 'node:stream/consumers';
import PostalMime, {type Email} from 'postal-mime';
import {SMTPServer, type SMTPServerOptions} from 'smtp-server';
import {listen} from './listening.ts';

export type Received = {
  /** As it came over the line. */
  raw: string;
  parsed: Email;
  from: string;
  to: string[];
  /** Whether the connection was encrypted. */
  encrypted: boolean;
  user: string | undefined;
};

export type MailServer = {
  port: number;
  received: Received[];
  /** How many connections were made so far. */
  connections(): number;
  /** Calls `work` with the socket of each connection from now on. */
  onConnection(work: (socket: Socket) => void): void;
  /** Breaks all connections. */
  close(): Promise<void>;
};

/** The user and the password that the server takes. */
export const mailAccess = {user: 'mail user', password: 'mail:p@ss%word'};

/** The error with which a hook refuses a command. */
export const refusal = (responseCode: number, text = 'refused') =>
  Object.assign(new Error(text), {responseCode});

/** @param options hooks such as `onRcptTo`, and the certificate, without which the server offers no STARTTLS */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: Received[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth({username, password}, _session, callback) {
      const known = username === mailAccess.user && password === mailAccess.password;
      callback(known ? null : refusal(535, `no user ${username} with ${password}`), {user: username});
    },
    onData(stream, {envelope, secure, user}, callback) {
      void buffer(stream)
        .then(async (bytes) => {
          received.push({
            raw: bytes.toString(),
            parsed: await PostalMime.parse(bytes),
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({address}) => address),
            encrypted: secure,
            user: user as string | undefined,
          });
          callback();
        })
        // A client that ends in the middle of an e-mail has sent none.
        .catch(callback);
    },
    ...options,
  });
  // Clients that give up reset their connections.
  server.on('error', () => undefined);
  server.server.on('connection', () => (connections += 1));
  const {port} = await listen(server.server);
  return {
    port,
    received,
    connections: () => connections,
    onConnection: (work) => void server.server.on('connection', work),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A server that writes what `talk` writes, which may be nothing. */
export async function startRawServer(
  talk: (socket: Socket) => void,
): Promise<Pick<MailServer, 'port' | 'close'>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    talk(socket);
  });
  const {port} = await listen(server);
  return {
    port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
