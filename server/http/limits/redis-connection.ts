/**
 * The connection to the Redis that several processes share. A Redis that is stopped, frozen or read-only must not
 * delay visitors. So each command has a time limit, and after a few failures in a row the connection is closed and
 * no command is sent until a new connection works.
 */
import type {Emit} from '../../observe/observations.ts';
import {isShortage, noDescriptors} from '../../observe/file-descriptors.ts';
import type {RedisClient} from './redis-client.ts';

/** The time limit of a command, in milliseconds. */
const commandTimeout = 250;
/** Milliseconds for connecting, signing in and one write. */
const connectTimeout = 1_000;
/** After this many failed commands in a row, the connection is closed. */
const maxFailures = 3;
/** Milliseconds before the first attempt to reconnect. The delay doubles with each attempt, up to the maximum. */
const firstDelay = 50;
const maxDelay = 2_000;

/** The client has 478 files. Loading them takes a quarter of a start, so only servers with a Redis do it. */
const loadClient = () => import('./redis-client.ts');

export type SharedRedis = {
  /** Runs a command. Resolves to undefined when Redis is not connected, fails or takes too long. Never rejects. */
  run<Result>(work: (client: RedisClient) => Promise<Result>): Promise<Result | undefined>;
  close(): void;
};

type State =
  | {stage: 'connecting'}
  | {stage: 'ready'; client: RedisClient; failures: number}
  | {stage: 'disconnected'; retry: NodeJS.Timeout}
  | {stage: 'closed'};

/** Connects, and reconnects after every failure. Emits an observation when the connection is lost and one when it is back. */
export function connectRedis(url: string, emit: Emit): SharedRedis {
  let state: State = {stage: 'connecting'};
  let emittedLoss = false;

  async function connect(delay: number) {
    const {createSharedClient} = await loadClient();
    const client = createSharedClient(url, connectTimeout);
    client.on('error', (error: Error) => disconnect(client, error));
    client.on('end', () => disconnect(client, new Error('the connection ended')));
    try {
      await connectAndWrite(client);
    } catch (error) {
      discard(client);
      if (!isClosed()) retryAfter(delay, error);
      return;
    }
    if (isClosed()) {
      discard(client);
      return;
    }
    state = {stage: 'ready', client, failures: 0};
    if (emittedLoss) emit({type: 'redis-recovered'});
    emittedLoss = false;
  }

  const isClosed = () => state.stage === 'closed';

  function retryAfter(delay: number, error: unknown) {
    if (!emittedLoss) {
      emit({type: 'redis-lost', reason: reasonOf(error)});
    }
    emittedLoss = true;
    const nextDelay = Math.min(delay * 2, maxDelay);
    state = {stage: 'disconnected', retry: setTimeout(() => void connect(nextDelay), delay).unref()};
  }

  /** Closes the connection together with its waiting commands, so that they do not pile up while Redis is frozen. */
  function disconnect(client: RedisClient, error: unknown) {
    if (state.stage !== 'ready' || state.client !== client) return;
    retryAfter(firstDelay, error);
    discard(client);
  }

  void connect(firstDelay);
  return {
    async run(work) {
      if (state.stage !== 'ready') return undefined;
      const used = state;
      try {
        const result = await withTimeout(commandTimeout, work(used.client));
        used.failures = 0;
        return result;
      } catch (error) {
        used.failures += 1;
        // A Redis that is full or has become a replica refuses every write with an error reply and answers every
        // read. The reads in between would reset the count of failures, and limits would use counters that no
        // longer change. So one error reply is enough to disconnect.
        const {ErrorReply} = await loadClient();
        if (error instanceof ErrorReply || used.failures >= maxFailures) disconnect(used.client, error);
        return undefined;
      }
    },
    close() {
      if (state.stage === 'disconnected') clearTimeout(state.retry);
      const last = state;
      state = {stage: 'closed'};
      if (last.stage === 'ready') discard(last.client);
    },
  };
}

/** Checks Redis as a start does: emits an observation if Redis cannot be used, and nothing if it can. */
export async function tryRedis(url: string, emit: Emit): Promise<void> {
  const {createSharedClient} = await loadClient();
  const client = createSharedClient(url, connectTimeout);
  client.on('error', () => undefined);
  try {
    await connectAndWrite(client);
  } catch (error) {
    emit({type: 'redis-lost', reason: reasonOf(error)});
  } finally {
    discard(client);
  }
}

/** A replica accepts connections but no writes, and so does a Redis whose memory is full. So a write is tried, too. */
const connectAndWrite = (client: RedisClient) =>
  withTimeout(
    connectTimeout,
    client.connect().then(() => client.incrementCounter('lead-prequal:probe', 1_000, false)),
  );

const reasonOf = (error: unknown) => {
  const {code, message} = error as NodeJS.ErrnoException;
  return isShortage(error) ? noDescriptors : (code ?? message);
};

function discard(client: RedisClient) {
  if (client.isOpen) client.destroy();
}

/** @throws Error when `work` takes longer than `milliseconds` */
function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const {promise, reject} = Promise.withResolvers<never>();
  const tooLong = new Error('Redis took too long');
  // While this process was busy, a reply may have arrived that was not read yet. Node reads arrived replies before it
  // runs `setImmediate`.
  const timer = setTimeout(() => setImmediate(reject, tooLong), milliseconds);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
