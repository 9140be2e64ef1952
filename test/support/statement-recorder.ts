/**
 * Loaded into each process and thread of the tests by `node build/statements.ts`. Notes the statements
 * that the server's own code sends to the databases, and their values, in the file that STATEMENTS_FILE names.
 */
import {appendFileSync} from 'node:fs';
import {StatementSync} from 'node:sqlite';
import pg from 'pg';

const file = process.env['STATEMENTS_FILE'] ?? '';

/**
 * Tests send statements of their own, and so do upgrades, and checks of copies, which may be of any version. They are told
 * apart by the file that sends them.
 */
const sender = /(?<!\/test)\/server\/store\/(?!postgres\/start|sqlite\/copy)/;
const isSentByStore = () => sender.test(new Error().stack?.split('\n')[3] ?? '');

/** Only statements that name a table are noted: not BEGIN, COMMIT, SAVEPOINT, SET and PRAGMA. */
const namesTable = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/**
 * Of the values with which a statement is sent, the fixtures get the longest, because they have something in most columns.
 * Values of more characters than this would make the fixtures large, so of these the shortest are taken, and only if the
 * statement was never sent with fewer.
 */
const longest = 4_000;
/** The worth of the values that were noted last, by database and statement. Values of less worth are not noted. */
const worths = new Map<string, number>();

/** JSON has no bytes. */
const asJson = (value: unknown) =>
  value instanceof Uint8Array ? {base64: Buffer.from(value).toString('base64')} : value;

function note(database: 'sqlite' | 'postgres', text: string, sent: readonly unknown[]) {
  if (!namesTable.test(text)) return;
  const values = sent.map(asJson);
  const {length} = JSON.stringify(values);
  const worth = length <= longest ? length : -length;
  if (worth <= (worths.get(database + text) ?? -Infinity)) return;
  worths.set(database + text, worth);
  appendFileSync(file, `${JSON.stringify({database, text, values, worth})}\n`);
}

type Method = (...parameters: unknown[]) => unknown;

/** @param listen is told of each call by the store that did not throw */
function listenTo<Of>(
  prototype: Of,
  name: keyof Of,
  listen: (self: Of, parameters: unknown[], result: unknown) => void,
) {
  const method = prototype[name] as Method;
  prototype[name] = function (this: Of, ...parameters: unknown[]) {
    const isHeard = isSentByStore();
    const result = method.apply(this, parameters);
    if (isHeard) listen(this, parameters, result);
    return result;
  } as Of[keyof Of];
}

for (const name of ['all', 'get'] as const)
  listenTo(StatementSync.prototype, name, ({sourceSQL}, values) => note('sqlite', sourceSQL, values));

listenTo(pg.Client.prototype, 'query', (_client, [query], result) => {
  if (typeof query === 'string' || !(result instanceof Promise)) return;
  const {text, values = []} = query as pg.QueryConfig<unknown[]>;
  result.then(
    () => note('postgres', text, values),
    () => undefined,
  );
});
