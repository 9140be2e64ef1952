/** Stores a batch of leads in PostgreSQL: with one statement if possible, else in one transaction. */
import {
  decide,
  isRemembered,
  leadExists,
  keyLifetime,
  rowsOf,
  type Known,
  type Written,
} from '../new-lead.ts';
import type {Outcome} from '../batcher.ts';
import {tables, type TableName} from '../columns.ts';
import {insertText, list, statement, type Row, type Statement} from '../database.ts';
import {reasonOf} from '../../leads/store-errors.ts';
import {held, newTables, encryptRows, selectSuppressed, type NewRows} from '../new-rows.ts';
import type {Encryptor} from '../encryption.ts';
import {refusalOf, type Connections} from './connections.ts';
import {dialect} from './start.ts';

const idOf = ({leads: [{id}]}: NewRows) => id;

/** The rows of several leads as one parameter: a JSON object with a list of rows for each table. */
const asParameter = (
  leads: readonly {readonly [Name in keyof NewRows]: readonly object[]}[],
  names: readonly (keyof NewRows)[],
) => JSON.stringify(Object.fromEntries(names.map((table) => [table, leads.flatMap((rows) => rows[table])])));
const toJson = (rows: ReturnType<typeof encryptRows>) => ({
  ...rows,
  sealed: rows.sealed.map(({blob, ...row}) => ({...row, blob: asHex(blob)})),
});
/** Bytes as text, in the form that PostgreSQL reads from JSON. */
export const asHex = (bytes: Uint8Array) =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;

/** The SQL that reads the rows of one table from the parameter that `asParameter` makes. */
export function input(table: TableName) {
  const columns = Object.entries(tables[table].columns);
  const types = columns.map(([column, {type}]) => `${column} ${dialect.types[type]}`);
  return `jsonb_to_recordset($1::jsonb -> '${table}') AS input(${list(types)})`;
}

/**
 * Finds the leads to hold because of their numbers. FOR KEY SHARE also locks the table until the commit, so that this waits for a
 * transaction that revokes a consent, and the other way round. With a plain read, a lead could be sent at the same moment.
 */
const suppressedText = `
  SELECT input.lead_id, found.is_mailbox, found.asked_at
  FROM jsonb_to_recordset($1::jsonb -> 'senders')
      AS input(lead_id TEXT, "number" TEXT, "both" TEXT, "mailbox" TEXT, "own" TEXT, "wider" TEXT),
    LATERAL (${selectSuppressed((name) => `input."${name}"`)} LIMIT 9 FOR KEY SHARE) AS found`;
const isHeld = (id: string, isMailbox = 0) =>
  `${id} IN (SELECT lead_id FROM suppressing WHERE is_mailbox = ${isMailbox})`;
/** The same rule as `isHeldWith`, in SQL. */
const isDeliveryHeld = `state = 'waiting' AND ${isHeld('lead_id')} AND (content <> 'confirmation' OR ${isHeld('lead_id', 1)})`;
const literal = (value: string | number) => (typeof value === 'number' ? value : `'${value}'`);
/** The columns whose values differ if the lead is held, by table. */
const ifHeld: {[Name in TableName]?: Record<string, string>} = {
  leads: {
    suppressed_at: `CASE WHEN ${isHeld('id')} THEN created_at ELSE suppressed_at END`,
    mailbox_stopped_at: '(SELECT MAX(asked_at) FROM suppressing WHERE suppressing.lead_id = id)',
  },
  deliveries: Object.fromEntries(
    Object.entries(held).map(([column, value]) => [
      column,
      `CASE WHEN ${isDeliveryHeld} THEN ${literal(value)} ELSE ${column} END`,
    ]),
  ),
};

/**
 * Inserts the rows of a table in the order of their keys: two processes that insert the same two rows in different orders would
 * deadlock.
 */
const insertInto = (table: TableName, mayBeHeld: boolean) =>
  insertText(table, (columns) => {
    const values = mayBeHeld ? columns.map((column) => ifHeld[table]?.[column] ?? column) : columns;
    return `SELECT ${list(values)} FROM ${input(table)} ORDER BY ${list(tables[table].primaryKey)}`;
  });

/** Cache of the statements, by the names of their tables. */
const insertTexts = new Map<string, string>();
/**
 * One statement inserts into all these tables, of which `leads` is the first. PostgreSQL checks foreign keys when the whole
 * statement ends, so the order of the tables does not matter. Tables without new rows are not named, because most leads
 * have rows in few tables, and PostgreSQL opens each table that a statement names. It returns the leads that are held because
 * of their numbers.
 */
function insertTextOf(names: readonly TableName[]): string {
  const known = insertTexts.get(names.join());
  if (known !== undefined) return known;
  const mayBeHeld = names.includes('deliveries');
  const [leads, ...others] = names.map((name) => insertInto(name, mayBeHeld));
  const rest = others.map((text, index) => `rest_${index} AS (${text})`);
  const looked = mayBeHeld ? [`suppressing AS MATERIALIZED (${suppressedText})`] : [];
  const parts = [...looked, ...rest];
  const insert = mayBeHeld
    ? `${leads} RETURNING id, CASE WHEN ${isHeld('id')} THEN 1 ELSE 0 END AS is_held,
        CASE WHEN ${isHeld('id', 1)} THEN 1 ELSE 0 END AS is_mailbox, mailbox_stopped_at`
    : String(leads);
  const text = parts.length > 0 ? `WITH ${list(parts)} ${insert}` : insert;
  insertTexts.set(names.join(), text);
  return text;
}

/** The tables that `lookUpText` searches. Only the leads' rows for these are sent with it. */
const lookUpTables = ['idempotency_keys', 'same_leads', 'spent_proofs'] as const;

/**
 * Selects what was stored earlier. In rows about a key or a digest, `id` is the new lead, and `lead` is the earlier lead with the
 * same key or digest. In rows about a proof of work, `id` is the spent nonce. LATERAL with LIMIT makes PostgreSQL look up each
 * row by an index. Otherwise, PostgreSQL could keep using a plan from when the table was almost empty, which reads the whole
 * table.
 */
const lookUpText = `
  SELECT 'key' AS what, input.lead_id AS id, input.digest, found.fingerprint, found.lead_id AS lead
  FROM ${input('idempotency_keys')}, LATERAL (
    SELECT fingerprint, lead_id FROM idempotency_keys AS kept
    WHERE kept.owner = input.owner AND kept.digest = input.digest
      AND ${isRemembered('kept', `input.created_at - ${keyLifetime}`)} LIMIT 1) AS found
  UNION ALL
  SELECT 'same lead', input.lead_id, NULL, NULL, found.lead_id
  FROM ${input('same_leads')}, LATERAL (
    SELECT lead_id FROM same_leads AS kept
    WHERE kept.partner = input.partner AND kept.digest = input.digest
      AND kept.created_at > input.created_at - ${keyLifetime} AND ${leadExists('kept.lead_id')} LIMIT 1) AS found
  UNION ALL
  SELECT 'proof', found.nonce, NULL, NULL, NULL
  FROM ${input('spent_proofs')}, LATERAL (
    SELECT nonce FROM spent_proofs AS kept WHERE kept.nonce = input.nonce LIMIT 1) AS found`;

/**
 * Stores a batch of leads. If the database refuses the batch because of a row, the leads are stored one by one, so that
 * only the lead with that row fails. This function never rejects: if the connection is lost, the leads that were
 * committed before still count as stored.
 * @returns the outcomes in the order of the batch
 */
export async function acceptAll(
  connections: Connections,
  batch: readonly NewRows[],
  encryptor: Encryptor,
): Promise<(Outcome<Written> | undefined)[]> {
  const outcomes = new Map<NewRows, Outcome<Written>>();
  let left = batch;
  while (left.length > 0) {
    const [round, later] = splitConflicts(left);
    for (const [rows, outcome] of await acceptRound(connections, round, encryptor))
      outcomes.set(rows, outcome);
    left = later;
  }
  return batch.map((rows) => outcomes.get(rows));
}

type Outcomes = [NewRows, Outcome<Written>][];

async function acceptRound(
  connections: Connections,
  round: readonly NewRows[],
  encryptor: Encryptor,
): Promise<Outcomes> {
  try {
    const written = await acceptTogether(connections, round, encryptor);
    return written.map(([rows, result]) => [rows, {result}]);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== 'row' || round.length === 1)
      return round.map((rows) => [rows, {error: reasonOf(error), refusal}]);
    const outcomes: Outcomes = [];
    for (const rows of round) outcomes.push(...(await acceptRound(connections, [rows], encryptor)));
    return outcomes;
  }
}

/** The names of the locks for a lead. Only one process at a time may store leads with the same key, digest or proof. */
const lockNames = ({idempotency_keys, same_leads, spent_proofs}: NewRows): string[] => [
  ...idempotency_keys.map(({owner, digest}) => `key ${owner} ${digest}`),
  ...same_leads.map(({partner, digest}) => `lead ${partner} ${digest}`),
  ...spent_proofs.map(({nonce}) => `proof ${nonce}`),
];

/** Splits a batch into leads that share no lock name, and the remaining ones, which must be stored later. */
function splitConflicts(batch: readonly NewRows[]): [NewRows[], NewRows[]] {
  const taken = new Set<string>();
  const [round, later]: [NewRows[], NewRows[]] = [[], []];
  for (const rows of batch) {
    const names = lockNames(rows);
    const conflicts = names.some((name) => taken.has(name));
    if (!conflicts) for (const name of names) taken.add(name);
    (conflicts ? later : round).push(rows);
  }
  return [round, later];
}

/** @param leads must share no lock name */
async function acceptTogether(
  connections: Connections,
  leads: readonly NewRows[],
  encryptor: Encryptor,
): Promise<[NewRows, Written][]> {
  function insert(created: readonly NewRows[]) {
    const names = newTables.filter((name) => created.some((rows) => rows[name].length > 0));
    return statement(
      insertTextOf(names),
      asParameter(
        created.map((rows) => toJson(encryptRows(rows, encryptor))),
        names.includes('deliveries') ? [...names, 'senders'] : names,
      ),
    );
  }
  if (leads.every((rows) => lockNames(rows).length === 0)) {
    const suppressed = heldOf(await connections.write(insert(leads)));
    return leads.map((rows) => [rows, {outcome: 'created', duplicateOf: null, ...suppressed(rows)}]);
  }
  let decided: [NewRows, Written][] = [];
  const last = await connections.transaction([tryLock(leads), lookUp(leads)], ([busy = [], found = []]) => {
    const [isBusy, known] = [new Set(busy.map(({id}) => id)), knownFrom(found)];
    decided = leads.map((rows): [NewRows, Written] => [
      rows,
      isBusy.has(idOf(rows)) ? {outcome: 'key-in-progress'} : decide(rows, known(rows)),
    ]);
    const created = decided.flatMap(([rows, written]) =>
      written.outcome === 'created' ? [rowsOf(rows, written.duplicateOf)] : [],
    );
    return created.length > 0 ? [insert(created)] : [];
  });
  const suppressed = heldOf(last);
  return decided.map(([rows, written]) =>
    written.outcome === 'created' ? [rows, {...written, ...suppressed(rows)}] : [rows, written],
  );
}

function heldOf([rows = []]: readonly Row[][]) {
  const found = new Map(rows.map((row) => [row['id'], row]));
  return (lead: NewRows) => {
    const {is_held, is_mailbox, mailbox_stopped_at} = found.get(idOf(lead)) ?? {};
    const mailboxStoppedAt = Number(mailbox_stopped_at ?? 0) || null;
    return {isSuppressed: is_held === 1, isMailbox: is_mailbox === 1, mailboxStoppedAt};
  };
}

/**
 * Locks the names of each lead until the end of the transaction, and selects the leads for which that failed, because another
 * process holds one of their locks. It never waits for a lock: waiting would delay all leads of the batch, and two batches could
 * deadlock. After this, no other process can change what is looked up, because each process holds its locks until it has
 * committed, and the next statement sees what was committed before it began.
 *
 * For a database without advisory locks, this would select no leads, and the transaction would have to be serializable. When two
 * transactions insert the same key, such a database aborts one of them with 40001 or a unique violation (23505). The aborted
 * transaction would have to be retried, and would then find the row of the other one.
 */
function tryLock(leads: readonly NewRows[]): Statement {
  const names = leads.flatMap((rows) => lockNames(rows).map((name) => ({id: idOf(rows), name})));
  const text = `
    SELECT id FROM jsonb_to_recordset($1::jsonb) AS input(id text, name text)
    GROUP BY id HAVING NOT bool_and(pg_try_advisory_xact_lock(hashtextextended(name, 0)))`;
  return statement(text, JSON.stringify(names));
}

const lookUp = (leads: readonly NewRows[]): Statement =>
  statement(lookUpText, asParameter(leads, lookUpTables));

function knownFrom(found: readonly Row[]): (rows: NewRows) => Known {
  const foundOf = (what: string) =>
    new Map(found.filter((row) => row['what'] === what).map((row) => [row['id'], row]));
  const [keys, sameLeads, proofs] = [foundOf('key'), foundOf('same lead'), foundOf('proof')];
  return (rows) => {
    const [key, same] = [keys.get(idOf(rows)), sameLeads.get(idOf(rows))];
    return {
      key: key && {
        digest: String(key['digest']),
        fingerprint: String(key['fingerprint']),
        lead: String(key['lead']),
      },
      isProofSpent: rows.spent_proofs.some(({nonce}) => proofs.has(nonce)),
      original: same && String(same['lead']),
    };
  };
}
