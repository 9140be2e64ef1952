/** The queries that count requests for versions of the form, for both databases. */
import type {RequestStore} from '../versions/request-counts.ts';
import {statement, type Database} from './database.ts';

/** The maximum number of counts that one transaction changes, so that leads do not wait long for it. */
const batchSize = 100;

const addText = `
  INSERT INTO version_requests (day, version, origin, requests) VALUES ($1, $2, $3, $4)
  ON CONFLICT (day, version, origin) DO UPDATE SET requests = version_requests.requests + excluded.requests`;

const useText = `
  SELECT version, origin, MAX(day) AS "lastDay",
    CAST(SUM(CASE WHEN day >= $1 THEN requests ELSE 0 END) AS BIGINT) AS requests
  FROM version_requests GROUP BY version, origin ORDER BY version, origin`;

type Count = Parameters<RequestStore['addRequests']>[0][number];
const keyOf = ({day, version, origin}: Count) => `${day} ${version} ${origin}`;
const valuesOf = ({day, version, origin, requests}: Count) => [day, version, origin, requests];

export function versionQueries({read, write}: Database): RequestStore {
  return {
    async addRequests(counts) {
      // Sorted: processes that add to the same rows lock them in the same order, and so cannot deadlock.
      const sorted = counts.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      for (let first = 0; first < sorted.length; first += batchSize) {
        const batch = sorted.slice(first, first + batchSize);
        await write(...batch.map((count) => statement(addText, ...valuesOf(count))));
      }
    },
    versionUse: (since) => read(statement(useText, since)),
  };
}
