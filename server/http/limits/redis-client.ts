/** The Redis client, with the one script that limits and quotas run in Redis. */
import {createClient, defineScript} from '@redis/client';

export {ErrorReply} from '@redis/client';

/** Adds one. Returns the new value and the milliseconds until it expires. Arguments: the lifetime, and 1 if increments restart it. */
const incrementCounter = defineScript({
  SCRIPT: `
    local count = redis.call('INCR', KEYS[1])
    local window, renew = tonumber(ARGV[1]), ARGV[2] == '1'
    local left = redis.call('PTTL', KEYS[1])
    if renew or left < 0 then
      redis.call('PEXPIRE', KEYS[1], window)
      left = window
    end
    return {count, left}`,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, window: number, renew: boolean) {
    parser.pushKey(key);
    parser.push(String(window), renew ? '1' : '0');
  },
  transformReply: ([count = 0, left = 0]: number[]) => ({count, left}),
});

/** @param connectTimeout milliseconds for connecting, signing in and one write */
export const createSharedClient = (url: string, connectTimeout: number) =>
  createClient({
    url,
    scripts: {incrementCounter},
    disableOfflineQueue: true,
    // `connectRedis` (redis-connection.ts) reconnects instead. The client's own strategy acts only when the connection ends, but
    // a connection to a frozen Redis stays open.
    socket: {connectTimeout, reconnectStrategy: false},
  });

export type RedisClient = ReturnType<typeof createSharedClient>;
