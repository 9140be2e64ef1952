/**
 * What the server's statements may need of PostgreSQL, for operators who think of another engine (docs/scale.md). A
 * statement of a test run that needs more fails, with the name of what it needs (test/support/postgres.ts).
 */
import pg from 'pg';
import {tables} from '../../server/store/columns.ts';

/** Another engine must have all of it. */
export const commonGround: readonly {words: string; why: string}[] = [
  {
    words: `SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET UNION ALL AS JOIN CROSS LEFT ON AND OR NOT IN LIKE LOWER
      EXISTS IS NULL CASE WHEN THEN ELSE END CAST COALESCE COUNT SUM MIN MAX INSERT INTO VALUES UPDATE SET DELETE TEXT
      BIGINT = <> < > <= >= + - * / ||`,
    why: 'SQL that all engines and SQLite have; BIGINT because a time is in milliseconds',
  },
  {words: 'WITH RECURSIVE', why: 'finds each destination with waiting deliveries by one look into an index'},
  {words: 'MATERIALIZED', why: 'claimed rows are chosen once, before they are changed'},
  {words: 'RETURNING', why: 'the rows that a statement has changed'},
  {words: 'CONFLICT DO NOTHING excluded', why: 'ON CONFLICT: the first row, or the last, counts'},
  {
    words: 'FOR OF SKIP LOCKED',
    why: 'processes claim deliveries at once, and an erasure waits for an answer',
  },
  {words: 'LATERAL', why: 'one look into an index for each key, whatever the plan was made for'},
  {words: 'substr', why: 'the reference of a lead is the end of its id, which has an index'},
  {words: ':: jsonb -> jsonb_to_recordset', why: 'one statement inserts the leads of a batch'},
  {words: 'jsonb_array_elements_text', why: 'a list of ids as one parameter'},
  {
    words: 'pg_try_advisory_xact_lock pg_advisory_xact_lock hashtextextended bool_and',
    why: 'one process at a time stores leads with the same key; without these locks, see tryLock in accept.ts',
  },
  {
    words: 'KEY SHARE LOCK TABLE EXCLUSIVE MODE',
    why: 'whoever revokes a consent waits for leads that are being stored; without LOCK TABLE, a lead beside it leaves',
  },
  {
    words: 'CURRENT_TIMESTAMP',
    why: 'the time of the database, by which all processes write digests of leads',
  },
  {words: 'BYTEA', why: 'encrypted blobs'},
  {
    words: 'to_regclass text coalesce false current_setting has_schema_privilege current_schema',
    why: 'only `check-start` asks what a start would do with a database',
  },
];

const allowed = new Set(commonGround.flatMap(({words}) => words.split(/\s+/)));
const columnsAndTables = new Set([
  'schema_version',
  // A column of `leads` in the statements of versions before 2.0.
  'lead',
  ...Object.entries(tables).flatMap(([name, {columns}]) => [name, ...Object.keys(columns)]),
]);

/** The words and signs of a statement that are neither in `commonGround` nor names. Functions are never names. */
export function outside(text: string): string[] {
  const sql = text.replaceAll(/'(?:[^']|'')*'/g, ' ').replaceAll(/"[^"]*"|\$\d+/g, ' ');
  const given = [
    ...sql.matchAll(/\b(?:AS|RECURSIVE|WITH)\s+([a-z]\w*)|\b([a-z]\w*)\s+AS\s+(?:MATERIALIZED\s+)?\(/g),
  ];
  const names = new Set([...columnsAndTables, ...given.map(([, after, before]) => after ?? before)]);
  const found = [...sql.matchAll(/([A-Za-z_]\w*)(\s*\(|\.)?|[^\w\s(),.;]+/g)].flatMap((match) => {
    const [sign, word, next] = match;
    if (word === undefined) return allowed.has(sign) ? [] : [sign];
    if (allowed.has(word) || next === '.') return [];
    const isColumnList = /(?:INTO|AS|RECURSIVE)\s+$/.test(sql.slice(0, match.index));
    const isCall = next !== undefined && !isColumnList;
    return names.has(word) && !isCall ? [] : [word];
  });
  return [...new Set(found)];
}

/**
 * Told apart by the file that sends it, as in statement-recorder.ts: tests and upgrades send statements of their own, and
 * so does `store copy`, which locks tables, and reads through cursors in the order of bytes.
 */
const sender = /(?<!\/test)\/server\/store\/(?!postgres\/start|transfer)/;
const seen = new Set<string>();

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;

/** From now on, a statement of the server that leaves the common ground fails, also if the database would take it. */
export function keepCommonGround() {
  const {query} = pg.Client.prototype as {query: Query};
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    const [config] = parameters as [{text?: string} | string];
    const text = typeof config === 'string' ? undefined : config.text;
    if (text !== undefined && !seen.has(text) && sender.test(new Error().stack?.split('\n')[2] ?? '')) {
      const words = outside(text);
      if (words.length > 0)
        return Promise.reject(
          new Error(`${words.join(', ')} is not in test/support/common-ground.ts: ${text}`),
        );
      seen.add(text);
    }
    return query.apply(this, parameters);
  } as typeof pg.Client.prototype.query;
}
