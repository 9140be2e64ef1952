/** Taking a batch of leads into PostgreSQL: one statement where it can be, one transaction where it must. */
import pg from 'pg';
import type {Outcome} from './batcher.ts';
import {statement, type Row} from './database.ts';
import {reasonOf} from './lead-store.ts';
import type {Connections} from './postgres-connections.ts';
import {isThere, keyLifetime, leadColumns, type AcceptRow, type Written} from './rows.ts';

const list = (columns: readonly string[]) => columns.join(', ');

/** Whatever the columns are called, the numbers among them are these. */
const isNumber = (column: string) => /_at$|_until$|_amount$/.test(column);
const input = (columns: readonly string[]) =>
  `jsonb_to_recordset($1::jsonb) AS input(${list(columns.map((column) => `${column} ${isNumber(column) ? 'bigint' : 'text'}`))})`;

/**
 * What another process is writing with this moment is left out and never waited for here: a batch would hold up
 * every lead in it, and two batches could wait for each other.
 */
const lockWanted = `
  SELECT id, bool_and(pg_try_advisory_xact_lock(hashtextextended(want, 0))) AS free
  FROM jsonb_to_recordset($1::jsonb) AS input(id text, want text) GROUP BY id`;

/**
 * Takes a key that is free, was outlived, or whose lead is gone; tells for each whose it is now. That the lead is
 * looked for in what was committed when this statement began is safe, because of the lock: whoever had the key
 * before it was free has committed the lead by then.
 */
const takeOrTell = (
  table: string,
  keys: readonly [string, string],
  columns: readonly string[],
  from: string,
) => {
  const isOutlived = `kept.created_at <= excluded.created_at - ${keyLifetime}`;
  const taken = `${isOutlived} OR NOT ${isThere('kept.lead_id')}`;
  const update = columns.map(
    (column) => `${column} = CASE WHEN ${taken} THEN excluded.${column} ELSE kept.${column} END`,
  );
  return `
  INSERT INTO ${table} AS kept (${list([...keys, ...columns])}) ${from}
  ON CONFLICT (${list(keys)}) DO UPDATE SET ${list(update)}
  RETURNING *`;
};

const takeKeys = takeOrTell(
  'idempotency_keys',
  ['owner', 'digest'],
  ['fingerprint', 'lead_id', 'created_at'],
  `SELECT key_owner, key_digest, key_fingerprint, id, created_at
   FROM ${input(['key_owner', 'key_digest', 'key_fingerprint', 'id', 'created_at'])}`,
);
const takeSameLeads = takeOrTell(
  'same_leads',
  ['partner', 'digest'],
  ['lead_id', 'created_at'],
  `SELECT partner, same_lead, id, created_at FROM ${input(['partner', 'same_lead', 'id', 'created_at'])}`,
);
const spendProofs = `
  INSERT INTO spent_proofs SELECT proof_nonce, proof_expires_at FROM ${input(['proof_nonce', 'proof_expires_at'])}
  ON CONFLICT DO NOTHING RETURNING nonce`;
const freeKeys =
  'DELETE FROM idempotency_keys WHERE lead_id IN (SELECT jsonb_array_elements_text($1::jsonb))';

const rowColumns = [...leadColumns, 'duplicate_of'];
/** One round trip for all the leads of a batch, with their deliveries and consents. */
const insertLeads = `
  WITH input AS (
    SELECT * FROM ${input([...rowColumns, 'upstream', 'delivery_state', 'next_attempt_at', 'leased_until', 'consent'])}
  ), sent AS (
    INSERT INTO outbox (lead_id, upstream, state, attempts, ambiguous, next_attempt_at, leased_until)
    SELECT id, upstream, delivery_state, 0, 0, next_attempt_at, leased_until
    FROM input WHERE upstream IS NOT NULL AND duplicate_of IS NULL
  ), consented AS (
    INSERT INTO consents SELECT id, consent FROM input WHERE consent IS NOT NULL
  )
  INSERT INTO leads (${list(rowColumns)}) SELECT ${list(rowColumns)} FROM input`;

/**
 * A batch that the database refuses whole is tried row by row, so that only the bad row fails. Never rejects:
 * what was committed before the database went away is told as committed.
 */
export async function acceptAll(
  connections: Connections,
  batch: readonly AcceptRow[],
): Promise<Outcome<Written>[]> {
  const [round, later] = withoutRivals(batch);
  const outcomes = await acceptRound(connections, round);
  if (later.length > 0) outcomes.push(...(await acceptAll(connections, later)));
  const byId = new Map([...round, ...later].map(({id}, index) => [id, outcomes[index]!]));
  return batch.map(({id}) => byId.get(id)!);
}

async function acceptRound(
  connections: Connections,
  round: readonly AcceptRow[],
): Promise<Outcome<Written>[]> {
  try {
    return (await acceptTogether(connections, round)).map((result) => ({result}));
  } catch (error) {
    const aboutRow = error instanceof pg.DatabaseError && isRowsFault(error);
    if (!aboutRow || round.length === 1) return round.map(() => ({error: reasonOf(error), aboutRow}));
    const outcomes: Outcome<Written>[] = [];
    for (const row of round) outcomes.push(...(await acceptRound(connections, [row])));
    return outcomes;
  }
}

/** Classes 22 (data) and 23 (constraint) of the SQL standard. */
const isRowsFault = ({code = ''}: pg.DatabaseError) => code.startsWith('22') || code.startsWith('23');

/** What of a row only one writer may have at a time. */
const wantsOf = ({key_owner, key_digest, partner, same_lead, proof_nonce}: AcceptRow): string[] =>
  [
    key_owner !== null && `key ${key_owner} ${key_digest}`,
    same_lead !== null && `lead ${partner} ${same_lead}`,
    proof_nonce !== null && `proof ${proof_nonce}`,
  ].filter((want) => want !== false);

/** A statement may take a key once: of rows that want the same, the first goes now and the others after it. */
function withoutRivals(batch: readonly AcceptRow[]): [AcceptRow[], AcceptRow[]] {
  const wanted = new Set<string>();
  const [round, later]: [AcceptRow[], AcceptRow[]] = [[], []];
  for (const row of batch) {
    const wants = wantsOf(row);
    if (wants.some((want) => wanted.has(want))) later.push(row);
    else {
      for (const want of wants) wanted.add(want);
      round.push(row);
    }
  }
  return [round, later];
}

/** No two rows want the same key, proof or place. */
async function acceptTogether(connections: Connections, rows: readonly AcceptRow[]): Promise<Written[]> {
  const insert = (text: string, some: readonly object[]) => statement(text, JSON.stringify(some));
  if (rows.every((row) => wantsOf(row).length === 0)) {
    await connections.write(insert(insertLeads, rows));
    return rows.map(() => ({outcome: 'created', duplicateOf: null}));
  }
  return connections.transaction(async (run) => {
    const send = (text: string, some: readonly object[]): Promise<Row[]> => run(insert(text, some));
    const outcomes = new Map<string, Written>();
    const open = () => rows.filter(({id}) => !outcomes.has(id));

    const wanted = rows.flatMap((row) => wantsOf(row).map((want) => ({id: row.id, want})));
    for (const {id, free} of await send(lockWanted, wanted)) {
      if (!free) outcomes.set(String(id), {outcome: 'key-in-progress'});
    }

    const keyed = open().filter(({key_owner}) => key_owner !== null);
    const keys = keyed.length > 0 ? await send(takeKeys, keyed) : [];
    for (const {id, key_owner, key_digest, key_fingerprint} of keyed) {
      const kept = keys.find(({owner, digest}) => owner === key_owner && digest === key_digest)!;
      if (kept['lead_id'] === id) continue;
      const same = kept['fingerprint'] === key_fingerprint;
      outcomes.set(id, same ? {outcome: 'replayed', lead: String(kept['lead_id'])} : {outcome: 'key-reused'});
    }

    const proven = open().filter(({proof_nonce}) => proof_nonce !== null);
    if (proven.length > 0) {
      const spent = new Set((await send(spendProofs, proven)).map(({nonce}) => nonce));
      const refused = proven.filter(({proof_nonce}) => !spent.has(proof_nonce)).map(({id}) => id);
      for (const id of refused) outcomes.set(id, {outcome: 'proof-spent'});
      if (refused.length > 0) await run(statement(freeKeys, JSON.stringify(refused)));
    }

    const comparable = open().filter(({same_lead}) => same_lead !== null);
    const places = comparable.length > 0 ? await send(takeSameLeads, comparable) : [];
    const originalOf = ({id, partner, same_lead}: AcceptRow) => {
      const place = places.find((row) => row['partner'] === partner && row['digest'] === same_lead);
      return place && place['lead_id'] !== id ? String(place['lead_id']) : null;
    };
    const created = open().map((row) => ({...row, duplicate_of: originalOf(row)}));
    if (created.length > 0) await send(insertLeads, created);
    for (const {id, duplicate_of} of created)
      outcomes.set(id, {outcome: 'created', duplicateOf: duplicate_of});
    return rows.map(({id}) => outcomes.get(id)!);
  });
}
