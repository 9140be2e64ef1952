/** The queries about data keys, for both databases: they list those in use, and encrypt data with another key. */
import {setTimeout as sleep} from 'node:timers/promises';
import {clearWord} from '../config/data-keys.ts';
import {sliceSize, type KeyStore} from '../leads/data-keys.ts';
import {insertKey, isMarked, writeMark} from './clear-mark.ts';
import type {RowOf} from './columns.ts';
import type {Context} from './context.ts';
import {list, statement, type Row, type Statement} from './database.ts';
import {evidenceOwner} from './evidence-queries.ts';
import {keyOwner, lockDigests} from './person-queries.ts';
import {emptiedColumns} from './personal-data.ts';
import {joinPersonal, personalDataOf, readColumns, type ReadRow} from './rows.ts';
import {
  boundColumns,
  checkInHex,
  refuseMissingKeys,
  replyPart,
  type Bound,
  type Part,
  type EncryptedText,
  type Encryptor,
} from './encryption.ts';

/** The pause between two slices, in milliseconds, in which others can write. */
const pauseBetween = 5;

/** The maximum number of rows that one read examines. */
const rowsPerRead = 2_000;

/** A table whose rows may have to be encrypted with another key, the columns of its key, and how to read and encrypt its rows. */
type Source = {
  table: string;
  keys: readonly string[];
  /** SQL for the rows that must be encrypted with another key, with the condition `range`. */
  select: (range: string) => string;
  /** The statements that encrypt one row. @throws when it cannot be read */
  encrypt: (row: never) => Statement[];
};

const parametersOf = (keys: readonly string[], from = 1) => list(keys.map((_, index) => `$${from + index}`));
const behind = (keys: readonly string[]) => `(${list(keys)}) > (${parametersOf(keys)})`;
const upTo = (keys: readonly string[]) =>
  `${behind(keys)} AND (${list(keys)}) <= (${parametersOf(keys, keys.length + 1)})`;
const inOrder = (keys: readonly string[], limit: string | number) => `ORDER BY ${list(keys)} LIMIT ${limit}`;

/** Changes the row only if it still has the blob that was read: the lead may have been erased or encrypted since. */
const reencryptText = `
  UPDATE sealed SET data_key = $1, blob = $2 WHERE lead_id = $3 AND part = $4 AND data_key = $5 AND blob = $6
  RETURNING 1 AS changed`;

/** Changes the row only if it has not changed since it was read. */
const emptyText = `
  UPDATE leads SET ${emptiedColumns} WHERE id = $1 AND clear_lead = $2 RETURNING id`;
const insertText = `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT id, $1, CAST($2 AS BIGINT), $3 FROM leads WHERE id = $4 AND clear_lead = '' AND erased_at IS NULL
  ON CONFLICT (lead_id, part) DO NOTHING`;
const dropConsent = `
  DELETE FROM consents WHERE lead_id = $1 AND EXISTS (SELECT 1 FROM leads WHERE id = lead_id AND clear_lead = '')`;

/** How many rows one read examines when parts are counted. */
const countSlice = 2_000;
const encryptedKeys = `
  SELECT lead_id, part, data_key FROM sealed
  WHERE (lead_id, part) > ($1, $2) ORDER BY lead_id, part LIMIT ${countSlice}`;
const clearLeads = `
  SELECT id, CASE WHEN clear_lead <> '' THEN 1 ELSE 0 END AS is_clear FROM leads
  WHERE id > $1 ORDER BY id LIMIT ${countSlice}`;

const emptyReply = `
  UPDATE deliveries SET last_reply = NULL
  WHERE lead_id = $1 AND destination = $2 AND content = $3 AND last_reply = $4 RETURNING 1 AS changed`;
const insertReply = `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT id, $1, CAST($2 AS BIGINT), $3 FROM leads WHERE id = $4 AND erased_at IS NULL
  ON CONFLICT (lead_id, part) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob`;

/** SQL that is true for data to encrypt: unencrypted data only, or also what another key has encrypted. */
const isToEncrypt = ({writesWith}: Encryptor, isClearOnly: boolean) =>
  isClearOnly ? 'data_key = 0' : `data_key <> ${writesWith}`;

const encryptedRows = (encryptor: Encryptor, isClearOnly: boolean): Source => ({
  table: 'sealed',
  keys: ['lead_id', 'part'],
  select: (range) => `
    SELECT lead_id, part, data_key, blob, ${boundColumns} FROM sealed JOIN leads ON leads.id = lead_id
    WHERE ${range} AND ${isToEncrypt(encryptor, isClearOnly)}`,
  encrypt({lead_id, part, data_key, blob, ...lead}: RowOf<'sealed'> & Bound) {
    const {encrypt, decrypt} = encryptor.of(lead);
    const now = encrypt(decrypt({data_key, blob}, part as Part), part as Part);
    return [statement(reencryptText, now.data_key, now.blob, lead_id, part, data_key, blob)];
  },
});

const reencryptKey = `
  UPDATE person_search SET data_key = $1, blob = $2 WHERE data_key = $3 AND blob = $4 RETURNING 1 AS changed`;

/** Encrypts the key of the digests again without changing it, because other processes may be using it. */
const personKey = (encryptor: Encryptor, isClearOnly: boolean): Source => ({
  table: 'person_search',
  keys: ['done_until'],
  select: (range) => `
    SELECT done_until, '${keyOwner.id}' AS lead_id, data_key, blob FROM person_search
    WHERE ${range} AND ${isToEncrypt(encryptor, isClearOnly)}`,
  encrypt({data_key, blob}: EncryptedText) {
    const {encrypt, decrypt} = encryptor.of(keyOwner);
    const now = encrypt(decrypt({data_key, blob}, 'person key'), 'person key');
    return [statement(reencryptKey, now.data_key, now.blob, data_key, blob)];
  },
});

const reencryptEvidence = `
  UPDATE evidence_keys SET data_key = $1, blob = $2 WHERE id = $3 AND data_key = $4 AND blob = $5 RETURNING 1 AS changed`;

/** Unencrypted rows are left out, because anybody with access to the database could have written them. */
const evidenceKeys = (encryptor: Encryptor): Source => ({
  table: 'evidence_keys',
  keys: ['id'],
  select: (range) => `
    SELECT id, id AS lead_id, data_key, blob FROM evidence_keys
    WHERE ${range} AND data_key NOT IN (0, ${encryptor.writesWith})`,
  encrypt({id, data_key, blob}: {id: string} & EncryptedText) {
    const {encrypt, decrypt} = encryptor.of(evidenceOwner(id));
    const now = encrypt(decrypt({data_key, blob}, 'evidence key'), 'evidence key');
    return [statement(reencryptEvidence, now.data_key, now.blob, id, data_key, blob)];
  },
});

const leadsInClear = (encryptor: Encryptor): Source => ({
  table: 'leads',
  keys: ['leads.id'],
  select: (range) => `
    SELECT leads.id AS lead_id, ${readColumns} FROM leads ${joinPersonal} WHERE ${range} AND clear_lead <> ''`,
  encrypt(row: ReadRow) {
    // Encrypts the answer in the row with the lead. A later answer, encrypted separately, still takes precedence.
    const personal = personalDataOf({...row, later_key: null, later_blob: null}, encryptor);
    const {data_key, blob} = encryptor.of(row).encrypt(JSON.stringify(personal), 'lead');
    return [
      statement(emptyText, row.id, row.clear_lead),
      statement(insertText, 'lead', data_key, blob, row.id),
      statement(dropConsent, row.id),
    ];
  },
});

const repliesInClear = (encryptor: Encryptor): Source => ({
  table: 'deliveries',
  keys: ['lead_id', 'destination', 'content'],
  select: (range) => `
    SELECT lead_id, destination, content, last_reply, ${boundColumns}
    FROM deliveries JOIN leads ON leads.id = lead_id WHERE ${range} AND last_reply IS NOT NULL`,
  encrypt(
    row: Pick<RowOf<'deliveries'>, 'lead_id' | 'destination' | 'content'> & {last_reply: string} & Bound,
  ) {
    const part = replyPart(row);
    const {excerpt} = JSON.parse(row.last_reply) as {excerpt: string};
    const {data_key, blob} = encryptor.of(row).encrypt(excerpt, part);
    return [
      statement(emptyReply, row.lead_id, row.destination, row.content, row.last_reply),
      statement(insertReply, part, data_key, blob, row.lead_id),
    ];
  },
});

/**
 * Encrypts the next slice of rows with the first data key.
 * @returns the counts, and the key after which the next slice begins, if there is one
 */
async function encryptSlice(
  {read, write, opener}: Context,
  {table, keys, select, encrypt}: Source,
  after: readonly string[],
) {
  const keyOf = (row: Row) => keys.map((key) => String(row[key.replace('leads.', '')]));
  const endText = `
    SELECT ${list(keys)} FROM ${table} WHERE ${behind(keys)} ${inOrder(keys, `1 OFFSET ${rowsPerRead - 1}`)}`;
  const [last] = await read(statement(endText, ...after));
  const lastKey = last && keyOf(last);
  const text = `${select(lastKey ? upTo(keys) : behind(keys))} ${inOrder(keys, sliceSize)}`;
  const rows = await read(statement(text, ...after, ...(lastKey ?? [])));
  const changes: Statement[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    try {
      changes.push(...encrypt(row as never));
    } catch {
      const id = String(row['lead_id']);
      unreadable.push(id);
      opener.note(id);
    }
  }
  const results = changes.length > 0 ? await write(...changes) : [];
  return {
    examined: rows.length,
    reencrypted: results.filter(([changed]) => changed).length,
    unreadable,
    next: rows.length === sliceSize ? rows.at(-1) && keyOf(rows.at(-1) as Row) : lastKey,
  };
}

/** All rows, but row 0, which stands for unencrypted data, only with a valid mark. Also notes whether this process may read such data. */
async function rowsOfKeys({read, encryptor}: Context) {
  const rows = await read<RowOf<'data_keys'>>(statement('SELECT * FROM data_keys ORDER BY check_value'));
  encryptor.clear.isRead = rows.some((row) => isMarked(row, encryptor));
  return rows.filter(({check_value}) => check_value !== 0 || encryptor.clear.isRead);
}

/** @returns the check values of the keys in use. @throws Error if DATA_KEY lacks one of them */
async function checkKeys(context: Context): Promise<number[]> {
  const needed = (await rowsOfKeys(context)).map(({check_value}) => check_value);
  refuseMissingKeys(needed, context.encryptor);
  return needed;
}

async function* storedParts({read}: Context): ReturnType<KeyStore['storedParts']> {
  type EncryptedRow = Pick<RowOf<'sealed'>, 'lead_id' | 'part' | 'data_key'>;
  const toPart = ({lead_id: lead, part, data_key}: EncryptedRow) => ({lead, part, key: checkInHex(data_key)});
  for (let after: EncryptedRow | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const rows = await read<EncryptedRow>(statement(encryptedKeys, after?.lead_id ?? '', after?.part ?? ''));
    yield rows.map(toPart);
    after = rows.length === countSlice ? rows.at(-1) : undefined;
  }
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: {id: string; is_clear: number}[] = await read(statement(clearLeads, after));
    const inClear = rows.filter(({is_clear}) => is_clear === 1);
    yield inClear.map(({id}) => toPart({lead_id: id, part: 'lead', data_key: 0}));
    after = rows.length === countSlice ? rows.at(-1)?.id : undefined;
  }
  const [own] = await read(statement('SELECT data_key FROM person_search'));
  if (own) yield [toPart({lead_id: keyOwner.id, part: 'person key', data_key: Number(own['data_key'])})];
  const evidence = await read(
    statement(
      "SELECT id AS lead_id, 'evidence key' AS part, data_key FROM evidence_keys WHERE blob IS NOT NULL",
    ),
  );
  yield (evidence as EncryptedRow[]).map(toPart);
}

const checkValueIn = (key: string) => (key === clearWord ? 0 : Number.parseInt(key, 16));

/** Deletes what a lost key encrypted, besides leads. Servers make its blind indexes and its key for statements again. */
async function dropEncrypted(context: Context, key: string) {
  const {write, jsonList} = context;
  const checkValue = checkValueIn(key);
  const dropReplies = `
    DELETE FROM sealed WHERE lead_id IN ${jsonList('$1')} AND data_key = $2
      AND (substr(part, 1, 6) = 'reply ' OR substr(part, 1, 8) = 'outcome ')`;
  const slice = `SELECT digest, lead_id FROM person_digests LIMIT ${countSlice}`;
  const dropDigests = `DELETE FROM person_digests WHERE (digest, lead_id) IN (${slice}) RETURNING 1 AS gone`;
  for await (const parts of storedParts(context)) {
    const lost = parts.filter((part) => part.key === key);
    const replies = JSON.stringify(lost.map(({lead}) => lead));
    if (lost.length > 0) await write(statement(dropReplies, replies, checkValue));
    if (!lost.some(({part}) => part === 'person key')) continue;
    for (let gone: unknown[] = [key]; gone.length > 0;)
      [, gone = []] = await write(lockDigests(context), statement(dropDigests));
    await write(statement('DELETE FROM person_search WHERE data_key = $1', checkValue));
  }
  await write(statement('DELETE FROM evidence_keys WHERE data_key = $1', checkValue));
}

async function* reencrypt(context: Context, isClearOnly: boolean): ReturnType<KeyStore['reencrypt']> {
  const {encryptor} = context;
  const done = {examined: 0, reencrypted: 0, unreadable: [] as string[]};
  const inClear = encryptor.clear.isRead ? [leadsInClear, repliesInClear] : [];
  // Keys of statements are encrypted first: leads that are encrypted with the new key need them for their statements.
  const sources = [...(isClearOnly ? [] : [evidenceKeys]), ...inClear, encryptedRows, personKey];
  for (const source of sources.map((make) => make(encryptor, isClearOnly))) {
    let after: readonly string[] | undefined = source.keys.map(() => '');
    while (after) {
      const {examined, reencrypted, unreadable, next} = await encryptSlice(context, source, after);
      done.examined += examined;
      done.reencrypted += reencrypted;
      done.unreadable.push(...unreadable);
      after = next;
      if (examined > 0) yield {...done};
      if (next) await sleep(pauseBetween);
    }
  }
  if (!isClearOnly && encryptor.clear.isRead) await context.write(writeMark(encryptor));
  return done;
}

export function dataKeyQueries(context: Context): KeyStore {
  const {read, write, encryptor, oneByOne} = context;
  const {writesWith} = encryptor;
  return {
    checkKeys: async () => void (await checkKeys(context)),

    async useKeys() {
      // Writes only if needed, because the disk may be full when a server starts.
      if ((await checkKeys(context)).includes(writesWith)) return;
      await write(statement(oneByOne('data keys')), insertKey(encryptor));
      // Another server may have started with another key at the same time. Only one of the two may continue.
      await checkKeys(context);
    },

    async keyUses() {
      return (await rowsOfKeys(context)).map(({check_value, since, saved_at, alone_since}) => ({
        key: checkInHex(check_value),
        since,
        savedAt: saved_at,
        aloneSince: alone_since,
      }));
    },

    storedParts: () => storedParts(context),

    reencrypt: (isClearOnly = false) => reencrypt(context, isClearOnly),

    dropEncrypted: (key) => dropEncrypted(context, key),

    async countSuppressed() {
      const [row] = await read(
        statement(
          "SELECT CAST(COUNT(DISTINCT digest) AS BIGINT) AS numbers FROM suppressed WHERE COALESCE(kind, 'number') = 'number'",
        ),
      );
      return Number(row?.['numbers']);
    },

    async forgetKey(key) {
      await write(statement('DELETE FROM data_keys WHERE check_value = $1', checkValueIn(key)));
      if (key === clearWord) encryptor.clear.isRead = false;
    },

    async noteKey(what, at) {
      const column = what === 'saved' ? 'saved_at' : 'alone_since';
      await write(statement(`UPDATE data_keys SET ${column} = $1 WHERE check_value = $2`, at, writesWith));
    },
  };
}
