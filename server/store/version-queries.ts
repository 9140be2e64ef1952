/** The queries that count requests for versions of the form, and page views, for both databases. */
import type {RequestStore} from '../versions/request-counts.ts';
import {tables} from './columns.ts';
import {statement, type Database} from './database.ts';

/** The maximum number of counts that one transaction changes, so that leads do not wait long for it. */
const batchSize = 100;

const useText = `
  SELECT version, origin, MAX(day) AS "lastDay",
    CAST(SUM(CASE WHEN day >= $1 THEN requests ELSE 0 END) AS BIGINT) AS requests
  FROM version_requests GROUP BY version, origin ORDER BY version, origin`;

const viewsText = `
  SELECT day, partner, stage, CAST(SUM(requests) AS BIGINT) AS times
  FROM page_views WHERE day >= $1 GROUP BY day, partner, stage ORDER BY day`;

/** Adds to the counts of a table, whose key says what is counted. */
function adder<Key extends string>({write}: Database, table: 'version_requests' | 'page_views') {
  const key = tables[table].primaryKey as readonly string[] as readonly Key[];
  const places = key.map((_, index) => `$${index + 1}`).join(', ');
  const text = `
    INSERT INTO ${table} (${key.join(', ')}, requests) VALUES (${places}, $${key.length + 1})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET requests = ${table}.requests + excluded.requests`;
  return async (counts: readonly (Record<Key, string | number> & {requests: number})[]) => {
    const rows = counts.map((count) => [...key.map((name) => count[name]), count.requests]);
    // Sorted: processes that add to the same rows lock them in the same order, and so cannot deadlock.
    rows.sort((one, other) => (one.join(' ') < other.join(' ') ? -1 : 1));
    for (let first = 0; first < rows.length; first += batchSize)
      await write(...rows.slice(first, first + batchSize).map((row) => statement(text, ...row)));
  };
}

export const versionQueries = (database: Database): RequestStore => ({
  addRequests: adder(database, 'version_requests'),
  versionUse: (since) => database.read(statement(useText, since)),
  addViews: adder(database, 'page_views'),
  viewDays: (since) => database.read(statement(viewsText, since)),
});
