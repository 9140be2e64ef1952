/**
 * The statements that create the tables of columns.ts in a new database, or upgrade an older one. They all run in one
 * transaction, so an interrupted upgrade changes nothing.
 */
import type {Emit} from '../observe/observations.ts';
import {deliveryStates, type DeliveryReason} from '../leads/deliveries.ts';
import {list} from './database.ts';
import {tables, type Column, type Index, type RowOf, type Table} from './columns.ts';

/** The SQL in which the two databases differ. */
export type Dialect = {
  types: Readonly<Record<Column['type'], string>>;
  /** The options at the end of CREATE TABLE. */
  tableOptions: (hasLargeRows: boolean) => string;
  /** An expression for the value of a key, in a column with a JSON object. */
  jsonText: (column: string, key: string) => string;
  /** Statements that make foreign keys checked by each statement. In version 1.0.0 they were checked at the commit. */
  checkAtOnce: (tables: readonly string[]) => string;
  /**
   * Statements that replace the CHECK constraint with the texts that a column may hold. `before`: the lists that it may have had
   * so far.
   */
  allowTexts: (
    table: string,
    column: string,
    before: readonly (readonly string[])[],
    now: readonly string[],
  ) => string;
};

/** The schema version of release 1.0.0, the first release. */
export const oldestVersion = 3;

/**
 * The schema version of the oldest server that can serve the tables as they are now. Raise it when a change removes something
 * that the statements of that server need: test/server/store/statements.test.ts fails then.
 */
export const oldestServer = 23;

const namedTables: readonly [string, Table][] = Object.entries(tables);
const isSince =
  (version: number) =>
  ([, {since}]: readonly [string, {since?: number}]) =>
    since === version;
const entriesOf = <Item extends {since?: number}>(items: Readonly<Record<string, Item>> = {}) =>
  Object.entries(items);

/** The highest `since` in columns.ts. */
export const currentVersion = Math.max(
  ...namedTables
    .flatMap(([, table]) => [table, ...Object.values(table.columns), ...Object.values(table.indexes ?? {})])
    .map(({since = 0}) => since),
);

/** The upgrades of existing rows, by schema version. Each runs after the new tables and columns of its version were added. */
const dataSteps: Readonly<Record<number, (dialect: Dialect) => readonly string[]>> = {
  7: fillDeliveries,
  8: rebuildDeliveries,
  13: takeNewContents,
  // A delivery may tell that a consent was revoked.
  16: ({allowTexts}) => [allowTexts('deliveries', 'content', [contentsOf13], contentsOf16)],
  18: keepStops,
  19: holdEventsOfHeld,
  // All personal data is encrypted. The column is renamed, so that an older server fails instead of storing unencrypted data, even
  // if the upgrade did not notice that server.
  20: () => ['ALTER TABLE leads RENAME COLUMN lead TO clear_lead'],
  21: nameReasons,
  22: takeRequests,
  // A delivery may tell what became of a lead.
  23: ({allowTexts}) => [allowTexts('deliveries', 'content', [contentsOf16], contentsOf23)],
};

/** The tables that an upgrade creates again, by schema version, because no column can be added to a primary key. */
const rebuilt: Readonly<Record<number, string>> = {8: 'deliveries'};

/** The version and the mark that were found in a database. */
export type Found = {
  /** The schema version, 0 if the database is empty. */
  version: number;
  /** If the tables have a newer version: the schema version of the oldest server that can serve them. */
  oldestServer?: number;
  mark?: StoreMark | undefined;
};

/**
 * The reason for which no server may start on a store: `store copy` of versions 1.6 to 1.8 has moved its leads elsewhere, or was
 * copying leads to it and did not finish.
 */
export type StoreMark = Pick<RowOf<'store_mark'>, 'mark' | 'place'>;

/** Reads `oldestServer` from tables of a newer version than `currentVersion`. */
export const selectOldestServer = 'SELECT oldest_server FROM schema_compatibility';
/** Reads `mark` from tables of version `markedSince` or newer. */
export const selectMark = 'SELECT mark, place FROM store_mark';
export const markedSince = tables.store_mark.since;

export const whyMarked = ({mark, place}: StoreMark) =>
  mark === 'moved'
    ? `Its leads were moved to ${place}: let DATABASE_URL or DATABASE_PATH name that`
    : `It is a copy of ${place} that is not complete: let DATABASE_URL or DATABASE_PATH name ${place}, and copy that into an empty database`;

/** Whether the tables are not too new for this server. */
export const canServe = ({version, oldestServer: oldest = version}: Found) => oldest <= currentVersion;

/** The database is empty. A server that has just started may be creating the tables. */
export class NoTables extends Error {}

/** For commands, because only the server creates and upgrades tables. @throws Error */
export function refuseOtherVersion(found: Found) {
  const starts = startsWith(found);
  if (starts === 'the tables as they are') return;
  if (starts === 'creating the tables')
    throw new NoTables('The database is empty: start the server, which makes its tables');
  throw new Error(
    'The database is that of an older version: stop all servers, back it up, then start the server once, which upgrades it',
  );
}

/** @param before the schema version that the database had when the server opened it, 0 if it was empty */
export function emitUpgrade(before: number, emit: Emit) {
  if (before >= currentVersion) return;
  emit(
    before === 0 ? {type: 'database-created'} : {type: 'database-upgraded', from: before, to: currentVersion},
  );
}

/** What a start does with the tables of a database. */
export type StartsWith = 'creating the tables' | 'bringing the tables up' | 'the tables as they are';

/** @throws Error when the database has a mark, was made by a newer version that this one cannot serve, or before 1.0.0 */
export function startsWith(found: Found): StartsWith {
  const {version, oldestServer: oldest = version} = found;
  if (found.mark) throw new Error(whyMarked(found.mark));
  if (!canServe(found)) {
    throw new Error(
      `The database was made by a newer version. Its tables have version ${version} and need a server for version ` +
        `${oldest} or newer, and this one is for version ${currentVersion}: start the newer server again, or restore ` +
        'the backup from before the upgrade',
    );
  }
  if (version === 0) return 'creating the tables';
  if (version < oldestVersion) {
    throw new Error('The database was made before version 1.0.0, and only later ones can be brought up');
  }
  return version < currentVersion ? 'bringing the tables up' : 'the tables as they are';
}

/**
 * @param version the schema version of the database, 0 if it is empty
 * @returns the statements that upgrade the database to the current version, in order
 * @throws Error as `startsWith`
 */
export function statementsFrom(version: number, dialect: Dialect): string[] {
  if (startsWith({version}) === 'creating the tables')
    return [...namedTables.flatMap(([name, table]) => createTable(name, table, dialect)), markOldestServer];
  const versions = Array.from({length: currentVersion - version}, (_, index) => version + 1 + index);
  const statements = versions.flatMap((next) => [
    ...namedTables
      .filter(isSince(next))
      // Drops tables that are left over: restoring an old dump over newer tables replaces only the tables that the dump has.
      .flatMap(([name, table]) => [
        `DROP TABLE IF EXISTS ${name}`,
        ...createTable(name, asOf(next, table), dialect),
      ]),
    ...namedTables.flatMap(([name, {columns, since}]) =>
      since === next || rebuilt[next] === name
        ? []
        : entriesOf(columns)
            .filter(isSince(next))
            .map(([column, {type, oneOf}]) => {
              const allowed = oneOf ? ` CHECK (${isOneOf(column, oneOf)})` : '';
              return `ALTER TABLE ${name} ADD COLUMN ${column} ${dialect.types[type]}${allowed}`;
            }),
    ),
    ...(dataSteps[next]?.(dialect) ?? []),
    // Indexes come last, because creating an index for existing rows is faster than updating it with each new row.
    ...namedTables.flatMap(([name, {indexes, since}]) =>
      entriesOf(indexes)
        .filter(([, index]) => {
          const begun = index.since ?? since ?? 0;
          // A table that was created anew has lost its indexes.
          return begun === next || (rebuilt[next] === name && begun < next);
        })
        .map(createIndex(name)),
    ),
  ]);
  return [...statements, markOldestServer];
}

const markOldestServer = `INSERT INTO schema_compatibility VALUES (1, ${oldestServer})
  ON CONFLICT (id) DO UPDATE SET oldest_server = excluded.oldest_server`;

/**
 * A table as an upgrade to `version` creates it: without the columns of later versions, which their upgrades add, and
 * without indexes, which are created after the rows are inserted.
 */
function asOf(version: number, {columns, primaryKey, ...table}: Table): Table {
  const first = Object.fromEntries(Object.entries(columns).filter(([, {since = 0}]) => since <= version));
  const keyThen = primaryKey.filter((column) => Object.hasOwn(first, column));
  return {...table, columns: first, primaryKey: keyThen, indexes: {}};
}

/** The condition of a column that holds only some texts. */
export const isOneOf = (column: string, texts: readonly string[]) =>
  `${column} IN (${list(texts.map((text) => `'${text}'`))})`;

function createTable(
  name: string,
  {columns, primaryKey, indexes, hasLargeRows = false}: Table,
  {types, tableOptions}: Dialect,
) {
  const [only, ...others] = primaryKey;
  const definitions = Object.entries(columns).map(
    ([column, {type, null: isNull, oneOf, check, references}]) => {
      const isKey = column === only && others.length === 0;
      const allowed = oneOf ? isOneOf(column, oneOf) : check;
      return [
        `${column} ${types[type]}`,
        isKey ? ' PRIMARY KEY' : isNull ? '' : ' NOT NULL',
        references ? ` REFERENCES ${references} (id)` : '',
        allowed ? ` CHECK (${allowed})` : '',
      ].join('');
    },
  );
  if (others.length > 0) definitions.push(`PRIMARY KEY (${list(primaryKey)})`);
  return [
    `CREATE TABLE ${name} (${list(definitions)}) ${tableOptions(hasLargeRows)}`,
    ...entriesOf(indexes).map(createIndex(name)),
  ];
}

const createIndex =
  (table: string) =>
  ([name, {on, where}]: readonly [string, Index]) =>
    `CREATE INDEX ${name} ON ${table} (${list(on)})${where ? ` WHERE ${where}` : ''}`;

/** The destination of leads that version 1.0.0 delivered: it did not store the name. No configured name looks like this. */
export const unknownDestination = '(before 1.1)';

/** The upgrade to version 7: `deliveries` replaces `outbox` and `leads.upstream_id`, and campaigns get columns. */
function fillDeliveries({jsonText, checkAtOnce}: Dialect): string[] {
  const deliveryColumns = `lead_id, destination, gives_answer, state, attempts, ambiguous, ambiguous_counted,
    next_attempt_at, leased_until, last_error, remote_id, settled_at`;
  const campaign = ['utm_source', 'utm_medium', 'utm_campaign'];
  return [
    // Rows whose lead was deleted by hand are left out.
    `INSERT INTO deliveries (${deliveryColumns})
      SELECT lead_id, upstream, 1, state, attempts, ambiguous, ambiguous,
        next_attempt_at, leased_until, last_error, upstream_id, NULL
      FROM outbox JOIN leads ON id = lead_id ORDER BY lead_id`,
    // Leads that have an upstream's id and are not in the outbox. Their deliveries have ended, with amounts or because
    // an operator ended them. Version 1.0.0 did not store when they ended and how many attempts there were. Most ended
    // within seconds after the lead was created, so the time of the lead is used, and 1 attempt.
    `INSERT INTO deliveries (${deliveryColumns})
      SELECT id, '${unknownDestination}', 1, CASE status WHEN 'refused' THEN 'dropped' ELSE 'delivered' END, 1, 0, 0,
        created_at, 0, NULL, upstream_id, created_at
      FROM leads WHERE upstream_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outbox WHERE lead_id = id) ORDER BY id`,
    'DROP TABLE outbox',
    `UPDATE leads SET ${list(campaign.map((column) => `${column} = ${jsonText('attribution', column)}`))}
      WHERE attribution LIKE '%"utm_%'`,
    'ALTER TABLE leads DROP COLUMN upstream_id',
    checkAtOnce(['idempotency_keys', 'same_leads', 'consents']),
  ];
}

/**
 * The upgrade to version 8: a delivery may take other contents than the lead, so the content is a part of its key. The
 * deliveries of earlier versions all take the lead to an upstream.
 */
function rebuildDeliveries(dialect: Dialect): string[] {
  const table = asOf(8, tables.deliveries);
  const kept = Object.keys(asOf(7, tables.deliveries).columns);
  return [
    // A renamed table would keep the names of its constraints, which the new table must have.
    `CREATE TABLE earlier_deliveries AS SELECT ${list(kept)} FROM deliveries`,
    'DROP TABLE deliveries',
    ...createTable('deliveries', table, dialect),
    `INSERT INTO deliveries (${list(kept)}, content, happened_at)
      SELECT ${list(kept)}, 'lead', created_at FROM earlier_deliveries JOIN leads ON id = lead_id ORDER BY lead_id`,
    'DROP TABLE earlier_deliveries',
    // Indexes of version 7 that version 8 replaces by others.
    'DROP INDEX IF EXISTS leads_partner',
    'DROP INDEX IF EXISTS leads_campaign',
  ];
}

/** The contents of deliveries that each version of the schema allows. These lists never change. */
const contentsOf8 = ['lead', 'created', 'answered', 'refused', 'held'];
const contentsOf11 = [...contentsOf8, 'confirmation'];
const contentsOf13 = [...contentsOf11, 'erased'];
const contentsOf16 = [...contentsOf13, 'revoked'];
const contentsOf23 = [...contentsOf16, 'outcome'];

/**
 * The upgrade to version 13: a delivery may be a confirmation, may tell of an erasure, and may be skipped. Existing data is
 * unencrypted.
 */
function takeNewContents({allowTexts}: Dialect): string[] {
  return [
    allowTexts('deliveries', 'content', [contentsOf8, contentsOf11], contentsOf13),
    allowTexts(
      'deliveries',
      'state',
      [deliveryStates.filter((state) => state !== 'skipped')],
      deliveryStates,
    ),
    `INSERT INTO data_keys SELECT 0, created_at FROM leads ORDER BY id LIMIT 1`,
  ];
}

/**
 * The upgrade to version 18: the known stops and decisions become the first rows of their history. Events about stops and
 * erasures that were given up, or held because of an earlier address, wait again. Destinations that replied 410 (Gone) are
 * recognised by the reason of their pause, because nothing else was stored.
 */
function keepStops(): string[] {
  const insert = 'INSERT INTO stops (id, kind, digest, scope, lead_id, asked_at, entered_at, way, reason)';
  const columnsOf = (kind: string) => `digest || ' ' || scope || ' ${kind}', '${kind}', digest, scope, NULL`;
  return [
    `${insert} SELECT ${columnsOf('stop')}, since, since, NULL, NULL FROM suppressed`,
    `${insert} SELECT ${columnsOf('allow')}, decided_at, decided_at, NULL, reason FROM suppressed WHERE decided_at IS NOT NULL`,
    `UPDATE deliveries SET state = 'waiting', leased_until = 0
      WHERE settled_at IS NULL AND state IN ('failed', 'held') AND content IN ('erased', 'revoked')`,
    `UPDATE paused_destinations SET is_gone = 1
      WHERE reason LIKE 'The receiver answered 410%' OR reason LIKE 'The chat room answered 410%'`,
  ];
}

/**
 * The upgrade to version 19: mailboxes and rooms are no longer told that a lead is held. Such deliveries are now held like those
 * to other destinations; if an operator has already released the lead, they send the lead.
 */
function holdEventsOfHeld(): string[] {
  return [
    `UPDATE deliveries SET content = 'created', leased_until = 0, last_error = NULL, failing_since = NULL, attempts = 0,
        ambiguous = 0, ambiguous_counted = 0, recipients = NULL,
        state = CASE WHEN EXISTS (SELECT 1 FROM deliveries AS other WHERE other.lead_id = deliveries.lead_id
          AND other.content IN ('lead', 'created') AND other.state NOT IN ('held', 'dropped')) THEN 'waiting' ELSE 'held' END
      WHERE content = 'held' AND settled_at IS NULL`,
  ];
}

/**
 * The upgrade to version 21: the reason for which a delivery is held or waits is stored as a code. Versions before 2.0 stored
 * these sentences, and nothing for leads that a bot may have sent.
 */
function nameReasons(): string[] {
  const sentences: Readonly<Record<Exclude<DeliveryReason, 'suspect'>, string>> = {
    suppressed:
      'Somebody with this number took the consent back before: "lead-prequal consent allow" sends it, with a reason',
    elsewhere:
      'The destination has another address or type than when this was stored: "lead-prequal destinations accept" sends it to the new one',
    former:
      'The destination had the lead at another address, and the one of now must not hear of it: tell the former one by hand, then drop this',
  };
  return [
    "UPDATE deliveries SET reason = 'suspect' WHERE state = 'held' AND last_error IS NULL",
    ...Object.entries(sentences).map(
      ([code, sentence]) =>
        `UPDATE deliveries SET reason = '${code}', last_error = NULL WHERE last_error = '${sentence}'`,
    ),
  ];
}

/** The upgrade to version 22: there are other requests besides those to erase. */
function takeRequests(): string[] {
  return [
    `INSERT INTO privacy_requests (lead_id, kind, asked_at, entered_at, way)
      SELECT lead_id, 'erase', requested_at, requested_at, 'link' FROM erasure_requests`,
    'DELETE FROM erasure_requests',
  ];
}
