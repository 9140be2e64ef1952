/**
 * The keys of statements about consents, each in a row that is sealed with the data key. Whoever can write to the database
 * without a data key could else have the server publish a key of their own, and forged statements would verify. So the row
 * that opens counts alone: the columns beside it are for servers before version 2.0, and for the order.
 */
import {isGenuine, type EvidenceKey, type EvidenceStore} from '../leads/evidence.ts';
import type {RowOf} from './columns.ts';
import type {Context} from './context.ts';
import {statement, type Statement} from './database.ts';
import type {Bound, SealedText, Sealer} from './sealing.ts';

type KeyRow = Pick<RowOf<'evidence_keys'>, 'id' | 'public_key' | 'data_key' | 'blob'>;
export const selectEvidenceKeys =
  'SELECT id, public_key, data_key, blob FROM evidence_keys ORDER BY since, id';

/** The sealed text of a key opens only in the row with its id, as that of a lead opens only for that lead. */
export const evidenceOwner = (id: string): Bound => ({id, cid: '', partner: null});

/** Undefined if the row does not open, or holds no key with its id. */
export function openEvidenceKey({id, data_key, blob}: KeyRow, sealer: Sealer): EvidenceKey | undefined {
  if (data_key === null || blob === null) return undefined;
  // Anybody can write a row in clear. The row of a key has been sealed from the first day.
  if (data_key === 0) return undefined;
  try {
    const text = sealer.of(evidenceOwner(id)).open({data_key, blob}, 'evidence key');
    const key = {...(JSON.parse(text) as Omit<EvidenceKey, 'id'>), id};
    return isGenuine(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

export const sealEvidenceKey = ({id, ...key}: EvidenceKey, sealer: Sealer): SealedText =>
  sealer.of(evidenceOwner(id)).seal(JSON.stringify(key), 'evidence key');

function storing(key: EvidenceKey, sealer: Sealer, known: string, jsonList: string): Statement {
  const {data_key, blob} = sealEvidenceKey(key, sealer);
  const text = `
    INSERT INTO evidence_keys (id, public_key, since, data_key, blob)
    SELECT $1, $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5
    WHERE NOT EXISTS (SELECT 1 FROM evidence_keys WHERE id NOT IN ${jsonList})
    ON CONFLICT (id) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob RETURNING 1 AS kept`;
  return statement(text, key.id, key.publicKey, Date.now(), data_key, blob, known);
}

export const evidenceQueries = ({read, write, sealer, jsonList, oneByOne}: Context): EvidenceStore => ({
  async evidenceKeys() {
    const rows = await read<KeyRow>(statement(selectEvidenceKeys));
    const opened = rows.map((row) => ({row, key: openEvidenceKey(row, sealer)}));
    return {
      keys: opened.flatMap(({key}) => key ?? []),
      ignored: opened
        .filter(({key}) => !key)
        .map(({row}) => ({id: row.id, publicKey: row.public_key, isSealed: row.blob !== null})),
    };
  },

  async keepEvidenceKeys(keys, {keys: known, ignored}) {
    const ids = JSON.stringify([...known, ...ignored, ...keys].map(({id}) => id));
    const [, ...kept] = await write(
      statement(oneByOne('evidence keys')),
      ...keys.map((key) => storing(key, sealer, ids, jsonList('$6'))),
    );
    return kept.every((rows) => rows.length > 0);
  },

  evidenceKeysAside: () => Promise.resolve([]),
});
