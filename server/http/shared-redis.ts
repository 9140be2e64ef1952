/**
 * The connection to the Redis that several processes share. A Redis that is stopped, frozen or refuses to write
 * must never hold a visitor up: each command has a time limit, and after a few failures in a row nobody asks any
 * more until a new connection has worked.
 */
import type {Logger} from 'pino';
import {createClient, defineScript, ErrorReply} from 'redis';

/** Milliseconds. */
const commandLimit = 250;
/** Milliseconds for connecting, signing in and one write. */
const connectLimit = 1_000;
/** Commands that fail one after the other before the connection is given up. */
const mostFailures = 3;
/** Milliseconds before the first attempt to connect again; each next one waits twice as long, up to the longest. */
const firstPause = 50;
const longestPause = 2_000;

/**
 * Adds to several counters in one step and returns for each the count and the milliseconds it has left. ARGV holds
 * for each key: what to add, how long a new counter lives in milliseconds, and 1 if every addition begins that
 * time anew.
 */
const addToCounts = defineScript({
  SCRIPT: `
    local result = {}
    for i, key in ipairs(KEYS) do
      local by, window, renew = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), ARGV[3 * i] == '1'
      local count = redis.call('INCRBY', key, by)
      local left = redis.call('PTTL', key)
      if renew or left < 0 then
        redis.call('PEXPIRE', key, window)
        left = window
      end
      result[2 * i - 1] = count
      result[2 * i] = left
    end
    return result`,
  parseCommand(parser, keys: string[], values: string[]) {
    parser.pushKeysLength(keys);
    parser.push(...values);
  },
  transformReply: (reply: number[]) => reply,
});

const createSharedClient = (url: string) =>
  createClient({
    url,
    scripts: {addToCounts},
    disableOfflineQueue: true,
    // A lost connection is replaced below, for a frozen Redis keeps its connections and would never be noticed.
    socket: {connectTimeout: connectLimit, reconnectStrategy: false},
  });
export type RedisClient = ReturnType<typeof createSharedClient>;

export type SharedRedis = {
  /** The result of `work`, or undefined when Redis is away, fails or takes too long. Never rejects. */
  ask<Result>(work: (client: RedisClient) => Promise<Result>): Promise<Result | undefined>;
  close(): void;
};

type State =
  | {stage: 'connecting'}
  | {stage: 'ready'; client: RedisClient; failures: number}
  | {stage: 'away'; retry: NodeJS.Timeout; pause: number}
  | {stage: 'closed'};

/** Connects by itself, now and after every failure. What changes is logged once. */
export function connectRedis(url: string, log: Logger): SharedRedis {
  let state: State = {stage: 'connecting'};
  let saidAway = false;

  async function connect(pause: number) {
    const client = createSharedClient(url);
    client.on('error', (error: Error) => leave(client, error));
    client.on('end', () => leave(client, new Error('the connection ended')));
    try {
      // A replica, or one whose memory is full, takes connections but no writes.
      const works = client
        .connect()
        .then(() => client.addToCounts(['lead-prequal:probe'], ['0', '1000', '0']));
      await within(connectLimit, works);
    } catch (error) {
      discard(client);
      if (state.stage !== 'closed') wait(pause, error);
      return;
    }
    // It may have been closed meanwhile.
    if (isClosed()) {
      discard(client);
      return;
    }
    state = {stage: 'ready', client, failures: 0};
    if (saidAway) log.info('Redis is back: limits and quotas are shared again');
    saidAway = false;
  }

  const isClosed = () => state.stage === 'closed';

  function wait(pause: number, error: unknown) {
    if (!saidAway) {
      const {code, message} = error as NodeJS.ErrnoException;
      log.warn({reason: code ?? message}, 'Redis is away: limits and quotas count in memory');
    }
    saidAway = true;
    const next = Math.min(pause * 2, longestPause);
    state = {stage: 'away', pause, retry: setTimeout(() => void connect(next), pause).unref()};
  }

  /** Ends the connection with all that still waits for it, so that nothing piles up on a frozen Redis. */
  function leave(client: RedisClient, error: unknown) {
    if (state.stage !== 'ready' || state.client !== client) return;
    wait(firstPause, error);
    discard(client);
  }

  void connect(firstPause);
  return {
    async ask(work) {
      if (state.stage !== 'ready') return undefined;
      const asked = state;
      try {
        const result = await within(commandLimit, work(asked.client));
        asked.failures = 0;
        return result;
      } catch (error) {
        asked.failures += 1;
        // One that is full or became a replica refuses every write in words and answers every read: the reads between
        // them would hide the failures, and limits would compare numbers that stopped counting.
        if (error instanceof ErrorReply || asked.failures >= mostFailures) leave(asked.client, error);
        return undefined;
      }
    },
    close() {
      if (state.stage === 'away') clearTimeout(state.retry);
      const last = state;
      state = {stage: 'closed'};
      if (last.stage === 'ready') discard(last.client);
    },
  };
}

function discard(client: RedisClient) {
  if (client.isOpen) client.destroy();
}

/** @throws Error when `work` takes longer than so many milliseconds */
function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const {promise, reject} = Promise.withResolvers<never>();
  const tooLong = new Error('Redis took too long');
  // A reply may have arrived while this process was busy: it is read before setImmediate runs.
  const timer = setTimeout(() => setImmediate(reject, tooLong), milliseconds);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
