/** The Redis that `TEST_REDIS_URL` names. */
const {TEST_REDIS_URL, REQUIRE_STORES: required} = process.env;

export const redisUrl = TEST_REDIS_URL;

/** Why tests with Redis are skipped; false where they run. */
export const withoutRedis = redisUrl ? false : 'TEST_REDIS_URL does not say where a Redis is';
if (withoutRedis && required === '1') throw new Error(`REQUIRE_STORES is set, but ${withoutRedis}`);
